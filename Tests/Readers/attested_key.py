"""Certificates as a phone's secure hardware makes them: attested_key.py ROOT, with a challenge and a public key in hexadecimal digits.

Writes the chain as lines of hexadecimal digits, the leaf first.
"""
import datetime
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DIGEST = "5a" * 32
PACKAGE = b"org.example.caller"
DESCRIPTION = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.1.17")


def der(tag, *parts):
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x81, size]) if size < 256 else bytes([0x82, size >> 8, size & 255])
    return tag + length + content


def sequence(*parts):
    return der(b"\x30", *parts)


def octets(content):
    return der(b"\x04", content)


def integer(value, tag=b"\x02"):
    return der(tag, bytes([value]))


def member(number, content):
    """An explicit tag of two or three bytes."""
    tag = bytes([0xA0 | number]) if number < 31 else bytes([0xBF, 0x80 | number >> 7, number & 127])
    return der(tag, content)


def description(challenge):
    """The key's description: hardware, a verified and locked system, a key that was made there and signs."""
    level = integer(1, b"\x0a")
    application = octets(sequence(der(b"\x31", sequence(octets(PACKAGE), integer(3))), der(b"\x31", octets(bytes.fromhex(DIGEST)))))
    system = sequence(octets(b"\1"), b"\x01\x01\xff", integer(0, b"\x0a"), octets(b"\2"))
    hardware = sequence(member(1, der(b"\x31", integer(2))), member(702, integer(0)), member(704, system))
    return sequence(integer(4), level, integer(4), level, octets(challenge), octets(b""), sequence(member(709, application)), hardware)


def certificate(subject, public, issuer, key, challenge=None):
    today = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder(
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]), public,
        x509.random_serial_number(), today - datetime.timedelta(days=2), today + datetime.timedelta(days=400))
    if challenge is None:
        builder = builder.add_extension(x509.BasicConstraints(True, None), True)
        usage = dict.fromkeys(("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "crl_sign",
                               "encipher_only", "decipher_only"), False)
        builder = builder.add_extension(x509.KeyUsage(key_cert_sign=True, **usage), True)
    else:
        builder = builder.add_extension(x509.UnrecognizedExtension(DESCRIPTION, description(challenge)), False)
    return builder.sign(key, hashes.SHA256())


def make_root(folder, pem):
    """Writes a root's key and its certificate. Returns the file of the key."""
    key = ec.generate_private_key(ec.SECP256R1())
    file = folder / "root-key"
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    pem.write_bytes(certificate("root", key.public_key(), "root", key).public_bytes(serialization.Encoding.PEM))
    file.with_name(f"{file.name}.pem").write_bytes(pem.read_bytes())
    return file


def main():
    file, challenge, public = sys.argv[1:]
    with open(file, "rb") as content:
        root = serialization.load_pem_private_key(content.read(), None)
    with open(f"{file}.pem", "rb") as content:
        top = x509.load_pem_x509_certificate(content.read())
    middle = ec.generate_private_key(ec.SECP256R1())
    chain = [
        certificate("leaf", serialization.load_der_public_key(bytes.fromhex(public)), "middle", middle, bytes.fromhex(challenge)),
        certificate("middle", middle.public_key(), "root", root), top]
    for one in chain:
        print(one.public_bytes(serialization.Encoding.DER).hex())


if __name__ == "__main__":
    main()
