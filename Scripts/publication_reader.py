#!/usr/bin/env python3
"""Follows a publication in a folder: an independent reader, written from Publication.md alone.

usage: publication_reader.py FOLDER KEY [TIME]     checks everything; KEY in Base64, TIME in seconds since 1970

Every refusal names the section of Publication.md with the broken rule.
"""
import base64
import binascii
import datetime
import hashlib
import json
import re
import sys
import time
from functools import cache
from pathlib import Path

from pack_reader import MOST_NUMBER, Refused, content_digest, must, read_header, read_pack

MANIFEST = "application/vnd.ringfence.manifest+json"
ROOT = "application/vnd.ringfence.root+json"
MOST_DOCUMENT = 1 << 20
MOST_CONTENT = 1 << 30
MOST_ENVELOPE = MOST_DOCUMENT * 4 // 3 + 8192
NAME = re.compile(r"(?!.*\.\.)[a-z0-9][a-z0-9_.-]{0,63}", re.ASCII)
PATH = re.compile(r"[a-z0-9][a-z0-9_.-]*(/[a-z0-9][a-z0-9_.-]*){0,2}", re.ASCII)
DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
KEY_ID = re.compile(r"[0-9a-f]{16}", re.ASCII)


class Ed25519:
    """RFC 8032, sections 5.1.6 and 5.1.7. Slow and not constant in time: for tests only."""

    P = 2**255 - 19
    L = 2**252 + 27742317777372353535851937790883648493
    D = -121665 * pow(121666, -1, P) % P
    I = pow(2, (P - 1) // 4, P)

    @classmethod
    def recover(cls, y, sign):
        if y >= cls.P:
            return None
        square = (y * y - 1) * pow(cls.D * y * y + 1, -1, cls.P) % cls.P
        x = pow(square, (cls.P + 3) // 8, cls.P)
        if x * x % cls.P != square:
            x = x * cls.I % cls.P
        if x * x % cls.P != square or (x == 0 and sign):
            return None
        return cls.P - x if x & 1 != sign else x

    @classmethod
    def add(cls, a, b):
        A, B = (a[1] - a[0]) * (b[1] - b[0]) % cls.P, (a[1] + a[0]) * (b[1] + b[0]) % cls.P
        C, D = 2 * a[3] * b[3] * cls.D % cls.P, 2 * a[2] * b[2] % cls.P
        E, F, G, H = B - A, D - C, D + C, B + A
        return E * F % cls.P, G * H % cls.P, F * G % cls.P, E * H % cls.P

    @classmethod
    def times(cls, n, point):
        result = (0, 1, 1, 0)
        while n:
            if n & 1:
                result = cls.add(result, point)
            point, n = cls.add(point, point), n >> 1
        return result

    @classmethod
    @cache
    def base(cls):
        y = 4 * pow(5, -1, cls.P) % cls.P
        x = cls.recover(y, 0)
        return x, y, 1, x * y % cls.P

    @classmethod
    def pack(cls, point):
        z = pow(point[2], -1, cls.P)
        return (point[1] * z % cls.P | (point[0] * z % cls.P & 1) << 255).to_bytes(32, "little")

    @classmethod
    def unpack(cls, data):
        y = int.from_bytes(data, "little")
        x = cls.recover(y & (1 << 255) - 1, y >> 255)
        y &= (1 << 255) - 1
        return None if x is None else (x, y, 1, x * y % cls.P)

    @classmethod
    def secret(cls, seed):
        digest = hashlib.sha512(seed).digest()
        return int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254, digest[32:]

    @classmethod
    @cache
    def public(cls, seed):
        return cls.pack(cls.times(cls.secret(seed)[0], cls.base()))

    @classmethod
    def hash(cls, *parts):
        return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % cls.L

    @classmethod
    def sign(cls, seed, message):
        a, prefix = cls.secret(seed)
        r = cls.hash(prefix, message)
        point = cls.pack(cls.times(r, cls.base()))
        s = (r + cls.hash(point, cls.public(seed), message) * a) % cls.L
        return point + s.to_bytes(32, "little")

    @classmethod
    def is_proper(cls, public):
        """Whether a key's y is in its only form, and of no point of small order."""
        y = int.from_bytes(public, "little") & (1 << 255) - 1
        x = cls.recover(y, 0)
        return y < cls.P and (x is None or cls.pack(cls.times(8, (x, y, 1, x * y % cls.P))) != cls.pack((0, 1, 1, 0)))

    @classmethod
    def verify(cls, public, message, signature):
        if len(signature) != 64 or not cls.is_proper(public):
            return False
        A, R, s = cls.unpack(public), cls.unpack(signature[:32]), int.from_bytes(signature[32:], "little")
        if A is None or R is None or s >= cls.L:
            return False
        right = cls.add(R, cls.times(cls.hash(signature[:32], public, message), A))
        return cls.pack(cls.times(s, cls.base())) == cls.pack(right)


# Documents.


def base64_bytes(text, section):
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Refused(section, "this is not Base64")
    must(base64.b64encode(data).decode() == text, section, "Base64 is not in its canonical form")
    return data


def canonical(value):
    """The one form of a document with these fields."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def pairs(items):
    must(len(dict(items)) == len(items), "3.1", "a key occurs twice")
    return dict(items)


def no_fraction(text):
    raise Refused("3.1", "a number is not an integer")


def depth(value):
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def document(data, kind, version):
    must(len(data) <= MOST_DOCUMENT, "3.1", "the document is too long")
    try:
        fields = json.loads(data.decode(), object_pairs_hook=pairs, parse_float=no_fraction, parse_constant=no_fraction)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise Refused("3.1", "this is not JSON")
    must(isinstance(fields, dict) and depth(fields) <= 8, "3.1", "this is not a document")
    must(not any(is_null(value) for value in walk(fields)), "3.1", "null stands for nothing")
    must(canonical(fields) == data and not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", data), "3.1", "the form is not canonical")
    must(not re.search(rb'\\[^"\\]', data.replace(rb"\\", b"")), "3.1", "the form is not canonical")
    must(not re.search(rb"[:,\[]-?\d{19,}[,}\]]", data), "3.1", "an integer is too long")
    must(fields.get("type") == kind, "3.2", "the type is another one")
    must(type(fields.get("version")) is int and fields["version"] == version, "3.2", "the version is unknown")
    return fields


def is_null(value):
    return value is None


def walk(value):
    yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from walk(child)


def field(fields, name, kind, section):
    must(type(fields.get(name)) is kind, section, f"{name} is missing or of another type")
    return fields[name]


def moment(fields, name, section):
    text = field(fields, name, str, section)
    must(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text, re.ASCII), "3.3", "a time has another form")
    try:
        # Python's calendar is the proleptic Gregorian one, of the years 1 to 9999.
        found = datetime.datetime(*map(int, re.findall(r"\d+", text)))
    except ValueError:
        raise Refused("3.3", "there is no such time")
    return (found - datetime.datetime(1970, 1, 1)) // datetime.timedelta(seconds=1)


def digest(fields, name):
    text = field(fields, name, str, "3.4")
    must(DIGEST.fullmatch(text), "3.4", "a digest has another form")
    return text


def key_id(public):
    return hashlib.sha256(public).hexdigest()[:16]


# Envelopes and signatures.


class Envelope:
    def __init__(self, data, kind):
        must(len(data) <= MOST_ENVELOPE, "4.1", "the envelope is too long")
        found = re.fullmatch(
            rb'\{"payload":"([^"\\]*)","payloadType":"([^"\\]*)","signatures":\[(.*)\]\}\n', data, re.DOTALL)
        must(found, "4.1", "this is not an envelope")
        one = rb'\{"keyid":"([^"\\]*)","sig":"([^"\\]*)"\}'
        must(re.fullmatch(one + rb"(," + one + rb")*", found[3], re.DOTALL), "4.1", "the signatures have another form")
        must(found[2] == kind.encode(), "4.1", "the payload is of another type")
        self.payload = base64_bytes(found[1].decode("latin1"), "4.1")
        self.signatures = {}
        signatures = [(a.decode("latin1"), b.decode("latin1")) for a, b in re.findall(one, found[3])]
        must(len(signatures) <= 16, "4.1", "there are too many signatures")
        for name, text in signatures:
            must(KEY_ID.fullmatch(name), "4.2", "a key id has another form")
            must(name not in self.signatures, "4.2", "a key signs twice")
            self.signatures[name] = base64_bytes(text, "4.2")
            must(self.signatures[name], "4.2", "a signature is empty")
        self.signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(self.payload), self.payload)
        self.digest = hashlib.sha256(self.payload).hexdigest()

    def check(self, keys, threshold):
        known = {key_id(key): key for key in keys if key_id(key) in self.signatures}
        must(len(known) >= threshold, "4.3", "too few trusted keys have signed")
        for name, key in known.items():
            must(Ed25519.verify(key, self.signed, self.signatures[name]), "4.3", "a signature is wrong")


class Root:
    def __init__(self, data):
        self.envelope = Envelope(data, ROOT)
        fields = document(self.envelope.payload, "root", 1)
        self.serial = field(fields, "serial", int, "8")
        issued, self.expires = moment(fields, "issued", "8"), moment(fields, "expires", "8")
        self.keys = []
        for key in field(fields, "keys", list, "8"):
            must(isinstance(key, dict) and key.get("algorithm") == "ed25519", "8", "a key has another algorithm")
            public = base64_bytes(field(key, "public", str, "8"), "8")
            must(len(public) == 32 and key.get("keyid") == key_id(public), "8", "a key has another id")
            must(Ed25519.is_proper(public), "8", "a key is not in canonical form, or of small order")
            self.keys.append(public)
        self.threshold = field(fields, "threshold", int, "8")
        must(self.serial >= 1 and issued < self.expires, "8", "the serial or the times are wrong")
        must(1 <= len(self.keys) <= 16 and len(set(self.keys)) == len(self.keys), "8", "the keys are not 1 to 16 different")
        must(1 <= self.threshold <= len(self.keys), "8", "the threshold is out of range")


class Trust:
    def __init__(self, key=None, root=None):
        self.keys, self.threshold, self.root = [key], 1, None
        if root:
            self.root = Root(root)
            self.root.envelope.check(self.root.keys, self.root.threshold)
            self.keys, self.threshold = self.root.keys, self.root.threshold

    def follow(self, data):
        root = Root(data)
        must(not self.root or root.serial == self.root.serial + 1, "9.2", "this is not the next root")
        root.envelope.check(self.keys, self.threshold)
        root.envelope.check(root.keys, root.threshold)
        self.root, self.keys, self.threshold = root, root.keys, root.threshold

    def verify(self, data, now, seen=None):
        """Returns the head of a manifest; `seen` is the serial and SHA-256 of the last one."""
        must(not self.root or now < self.root.expires, "9.2", "the root has expired")
        envelope = Envelope(data, MANIFEST)
        envelope.check(self.keys, self.threshold)
        head = read_head(envelope.payload)
        if seen and (head["serial"], envelope.digest) != seen:
            previous = head.get("previous")
            must(head["serial"] > seen[0] and previous and previous["serial"] >= seen[0], "9.5", "this does not continue")
            must(previous["serial"] > seen[0] or previous["sha256"] == seen[1], "9.5", "this continues another one")
        must(now < moment(head, "expires", "5"), "9.4", "the manifest has expired")
        return head, (head["serial"], envelope.digest)


# The manifest.


def read_head(data):
    head = document(data, "manifest", 3)
    serial = field(head, "serial", int, "5")
    issued, as_of, expires = (moment(head, name, "5") for name in ("issued", "as_of", "expires"))
    must(serial >= 1 and as_of <= issued < expires, "5", "the serial or the times are wrong")
    if "previous" in head:
        previous = field(head, "previous", dict, "5")
        must(1 <= field(previous, "serial", int, "5") < serial, "5", "previous is not before")
        digest(previous, "sha256")
    bins = field(head, "bins", list, "5")
    must(1 <= len(bins) <= 4096 and len(bins) & len(bins) - 1 == 0, "5", "the number of bins is no power of two")
    must(all(type(name) is str and DIGEST.fullmatch(name) for name in bins), "3.4", "a bin's digest has another form")
    return head


def bin_of(name, count):
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") >> 33 - count.bit_length()


def read_bin(data, index, count):
    packs = field(document(data, "bin", 1), "packs", dict, "6")
    for name in packs:
        must(NAME.fullmatch(name), "6", "a name has another form")
        must(bin_of(name, count) == index, "6", "a pack is in the bin of another name")
        digest(packs, name)
    return packs


def read_file(fields, name="bytes"):
    path = field(fields, "path", str, "3.4")
    must(PATH.fullmatch(path) and len(path) <= 200, "3.4", "a path has another form")
    must(0 <= field(fields, name, int, "7") <= 0xFFFFFFFF, "7", "bytes are out of range")
    digest(fields, "sha256")


def read_description(data, name, newest):
    pack = document(data, "pack", 1)
    must(field(pack, "name", str, "7") == name, "7", "the description is of another pack")
    must(pack.get("kind") in ("blocking", "identification", "both"), "7", "the kind is unknown")
    must(type(pack.get("region", "")) is str, "7", "the region is no text")
    must(1 <= field(pack, "serial", int, "7") <= newest, "7", "the serial is out of range")
    entries = field(pack, "entries", int, "7")
    must(0 <= entries <= 16777216, "7", "entries are out of range")
    must("shard" not in pack or field(pack, "shard", int, "7") >= 1, "7", "the shard is out of range")
    must(("first" in pack, "last" in pack) == (entries > 0, entries > 0), "7", "first and last do not fit entries")
    if entries:
        first, last = field(pack, "first", int, "7"), field(pack, "last", int, "7")
        must(1 <= first <= last <= MOST_NUMBER, "7", "first and last are out of range")
    read_file(pack)
    digest(pack, "content_sha256")
    for delta in field(pack, "deltas", list, "7"):
        must(isinstance(delta, dict), "7", "a delta is no object")
        read_file(delta)
        digest(delta, "from_sha256")
        must(1 <= field(delta, "from_serial", int, "7") < pack["serial"], "7", "from_serial is out of range")
    for file in field(pack, "formats", list, "7"):
        must(isinstance(file, dict), "7", "a format is no object")
        read_file(file)
        must(NAME.fullmatch(field(file, "format", str, "7")), "7", "a format's name has another form")
    return pack


def check_pack(pack, data):
    """Checks that a file is the pack of a description."""
    must(len(data) == pack["bytes"] and hashlib.sha256(data).hexdigest() == pack["sha256"], "9.7", "this is another file")
    header = read_header(data)
    content = 11 * header.entries + header.identifying * header.max_label
    must(content <= MOST_CONTENT, "11", "the entries are too long in total")
    header, _, entries = read_pack(data)
    must(["blocking", "identification", "both"][header.kind - 1] == pack["kind"], "9.7", "the kind is another one")
    must(header.serial == pack["serial"] and header.entries == pack["entries"], "9.7", "the serial or the count is another one")
    region = header.region[1:header.region[0] + 1].decode()
    must(region == pack.get("region", ""), "9.7", "the region is another one")
    ends = (entries[0][0], entries[-1][0]) if entries else (None, None)
    must(ends == (pack.get("first"), pack.get("last")), "9.7", "the first or last number is another one")
    must(content_digest(entries) == pack["content_sha256"], "9.7", "the entries are others")


def part(folder, kind, name):
    data = (folder / kind / f"{name}.json").read_bytes()
    must(hashlib.sha256(data).hexdigest() == name, "9.6", "a part has another content")
    return data


def follow(folder, key, now):
    """Checks a publication; returns its packs by name."""
    folder, trust, serial = Path(folder), Trust(key), 1
    while (path := folder / f"roots/{serial}.root.json").exists():
        try:
            trust.follow(path.read_bytes())
        except Refused as refusal:
            # With only a key, roots before it are skipped: the key may have come with a later one.
            if trust.root or refusal.section != "4.3":
                raise
        serial += 1
    head, _ = trust.verify((folder / "manifest.json").read_bytes(), now)
    packs = {}
    for index, name in enumerate(head["bins"]):
        for pack, description in read_bin(part(folder, "bins", name), index, len(head["bins"])).items():
            packs[pack] = read_description(part(folder, "descriptions", description), pack, head["serial"])
            check_pack(packs[pack], (folder / packs[pack]["path"]).read_bytes())
    return packs


if __name__ == "__main__":
    try:
        found = follow(sys.argv[1], base64.b64decode(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else time.time())
    except Refused as refusal:
        sys.exit(f"refused: {refusal}")
    for name in sorted(found):
        print(f"{name}\t{found[name]['entries']}\t{found[name]['path']}")
