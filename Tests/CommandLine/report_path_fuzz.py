"""Pairs of requests that differ in one field, which keeps the second request off the fast path of reports. Their
responses must be the same. Run it alone for more pairs than a test has time for:

    python Tests/CommandLine/report_path_fuzz.py ADDRESS KEY [PAIRS [SEED]]
"""

import json
import random
import re
import socket
import sys
import threading
import time
import uuid

# Changes only the path that handles the request.
DETOUR = b"Sec-Fetch-Site: none\r\n"
# In the place of a report's id, and as long: the length of the body is declared before the id is known.
ID = "@ID@" + 32 * "-"
NEXT = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
SECONDS = 30


def maybe(chance, probability, usual, others):
    return chance.choice(others) if chance.random() < probability else usual


def value(chance):
    """An unusual value of a field."""
    return chance.choice([
        "", " ", ",", "\t", "x" * chance.choice([1, 63, 64, 65, 255, 256, 257, 4_000, 9_000]), "\u00e9", "a b", "a,b", "0", "-1",
        "\x00", "\x7f", "\x01", "null", "\"", "%00", "../x", "203.0.113.7", "[::1]", "keep-alive, close", "chunked"])


def body(chance):
    report = {
        "number": "+33199000248", "category": "fraud", "reporter": ID, "report_id": ID,
        "reported_at": time.strftime("%FT%TZ", time.gmtime(time.time() - 60))}
    members = [f"{json.dumps(name)}:{json.dumps(text)}" for name, text in report.items()]
    kind = chance.randrange(24)
    if kind == 0:
        members.append(chance.choice(members))
    elif kind == 1:
        members.pop(chance.randrange(len(members)))
    elif kind == 2:
        members.append(chance.choice([
            '"comment":"hello"', '"comment":null', '"region":"FR"', '"extra":1', '"client_address":"203.0.113.7"', '"reporter_since":null', '"extra":{"a":[1,2]}', '"comment":"\\u00e9"',
            '"comment":"\u00e9\u2028"', '"comment":1', '"r\\u0065gion":"FR"', '"comment":"\\ud800"', '"":""', '"comment":"\x00"']))
    elif kind == 3:
        members[chance.randrange(len(members))] = chance.choice([
            '"number":"33199000248"', '"number":33199000248', '"category":"none"', '"reported_at":"1990-01-01T00:00:00Z"',
            '"reporter":""', '"report_id":"x"', '"number":"+33 1 99 00 02 48"'])
    chance.shuffle(members)
    text = "{" + chance.choice([",", " , ", ",\r\n", ",\t"]).join(members) + "}"
    if kind == 4:
        text = chance.choice([f"[{text}]", f" {text}", f"{text}\n", f"{text}x", f"{text}{text}", "", "{}", "[]", "{", text[:-2],
                              f"\ufeff{text}", f"{text}\x00", " " * 20_000 + text, text[:-1] + ",}"])
    if kind == 5:
        return text.encode(chance.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32"]))
    data = text.encode()
    if kind == 6:
        place = chance.randrange(len(data))
        data = data[:place] + bytes([chance.randrange(256)]) + data[place + chance.randrange(2):]
    return data


def framing(chance, data):
    """The fields of the body's length, and the bytes after the head."""
    kind = chance.randrange(30)
    length = len(data)
    if kind == 0:
        return [b"Transfer-Encoding: chunked"], chunked(chance, data)
    if kind == 1:
        coding = chance.choice(["gzip, chunked", "chunked, gzip", "identity", "Chunked", "chunked ", "\tchunked", "x", ""])
        return [f"Transfer-Encoding: {coding}".encode()], chunked(chance, data)
    if kind == 2:
        return [b"Transfer-Encoding: chunked", f"Content-Length: {length}".encode()], chunked(chance, data)
    if kind == 3:
        return [f"Content-Length: {length}".encode()] * 2, data
    if kind == 4:
        return [], data
    if kind == 5:
        text = chance.choice([
            f"+{length}", f"0{length}", f"{length} ", f"{length},{length}", f"0x{length:x}", f"-{length}", "", "99999999999999999999",
            f"{length + 1}", f"{max(0, length - 1)}", "0", "1e2", "20000", "2000000"])
        return [f"Content-Length: {text}".encode()], data
    if kind == 6:
        return [f"Content-Length : {length}".encode()], data
    return [f"{maybe(chance, 0.2, 'Content-Length', ['content-length', 'CONTENT-LENGTH'])}: {length}".encode()], data


def chunked(chance, data):
    out = b""
    while data:
        size = chance.choice([1, 7, 100, len(data)])
        piece, data = data[:size], data[size:]
        extension = maybe(chance, 0.1, b"", [b";x", b";x=y", b" ", b";x=\"a b\""])
        out += f"{len(piece):x}".encode() + extension + b"\r\n" + piece + b"\r\n"
    return out + maybe(chance, 0.1, b"0\r\n\r\n", [b"0\r\nX: y\r\n\r\n", b"00\r\n\r\n", b"0;x\r\n\r\n", b"0\r\n", b"g\r\n\r\n"])


def request(chance, key):
    """The head up to the last field, its end, and the following bytes."""
    data = body(chance)
    lengths, rest = framing(chance, data)
    method = maybe(chance, 0.03, "POST", ["post", "PUT", "GET", "POSTX", "CONNECT", "OPTIONS", "PRI"])
    path = maybe(chance, 0.05, "/v1/reports", [
        "/v1/reports/", "/v1/reports?x=1", "//v1/reports", "/v1/%72eports", "/v1/reports#x", "/V1/reports", "*", "",
        "http://localhost/v1/reports", "http://other/v1/reports", "/v1/./reports", "/v1/reports\u00e9"])
    version = maybe(chance, 0.05, "HTTP/1.1", ["HTTP/1.0", "HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "http/1.1", "HTTP/1.1 ", ""])
    fields = [
        maybe(chance, 0.1, "Host: localhost", [
            "Host:", "host: LOCALHOST:8080", "Host: ", f"Host: {value(chance)}", "X: y", "Host: a\r\nHost: b", "Host: a b"]),
        maybe(chance, 0.1, f"Authorization: Bearer {key}", [
            f"authorization: bearer {key}", f"Authorization: Bearer  {key}", f"Authorization: Bearer {key} ", "Authorization: Bearer",
            f"Authorization: Basic {key}", f"Authorization: {value(chance)}", f"Authorization: Bearer {key}x", "X: y",
            f"Authorization: Bearer {key}\r\nAuthorization: Bearer {key}", f"Authorization: Bearer\t{key}"]),
        maybe(chance, 0.1, "Content-Type: application/json", [
            "Content-Type: application/json; charset=utf-8", "Content-Type: APPLICATION/JSON", "Content-Type: text/plain", "X: y",
            "Content-Type: application/json;charset=utf-16", "Content-Type: application/x-ndjson", f"Content-Type: {value(chance)}",
            "Content-Type: application/json\r\nContent-Type: text/plain", "Content-Type: application/json, text/plain"]),
    ]
    extra = [
        "Accept: */*", "Accept: application/json", "Accept: text/html", "Accept: application/json;q=0", "Connection: keep-alive",
        "Connection: close", "Connection: Keep-Alive, X", "Connection: Upgrade\r\nUpgrade: h2c", "Upgrade: h2c", "Cookie: session=x",
        "Content-Encoding: gzip", "Content-Encoding: identity", f"Idempotency-Key: {ID}", "X-Request-Id: abc", "Origin: null",
        "Origin: http://other", "X-Forwarded-For: 203.0.113.7", "X-Request-Id: a b", "X-HTTP-Method-Override: GET", "TE: trailers",
        "Trailer: X", "Range: bytes=0-1", "If-None-Match: *", "Accept-Language: ru", "Keep-Alive: timeout=5", "Date: x",
        " folded: x", "X:y", "X :y", ":x", "X", "X\u00e9: y", "X: \u00e9", "X(: y", "\x00: y", "Proxy-Connection: close"]
    names = ["Accept", "Connection", "X-Request-Id", "X-Forwarded-For", "X-Y", "Accept-Encoding", "User-Agent", "Cookie"]
    for _ in range(chance.choice([0, 0, 0, 1, 1, 2, 3])):
        fields.append(chance.choice(extra) if chance.random() < 0.6 else f"{chance.choice(names)}: {value(chance)}")
    if chance.random() < 0.005:
        fields += [f"X-{i}: y" for i in range(chance.choice([90, 99, 100, 101, 200]))]
    if not path.startswith("/v1/"):
        # Pages check Origin unless the detour's field is present.
        fields = [field for field in fields if not field.startswith("Origin:")]
    lines = [field.encode("utf-8") for field in fields] + lengths
    chance.shuffle(lines)
    end = maybe(chance, 0.02, b"\r\n", [b"\n", b"\r", b"\r\n "])
    head = f"{method} {path} {version}".encode() + end + b"\r\n".join(lines) + b"\r\n"
    return head, rest


def exchange(address, data, pieces):
    """All bytes that the server sends until it closes the connection."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for start, stop in zip([0, *pieces], [*pieces, len(data)]):
                connection.sendall(data[start:stop])
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        received = b""
        try:
            while piece := connection.recv(65_536):
                received += piece
        except ConnectionError:
            pass
        return received


def normal(answer, report):
    """A response without the parts that differ between requests, with each head's lines in order."""
    text = answer.decode("utf-8", "surrogateescape").replace(report, "ID")
    text = re.sub(r"\r\n(date|x-request-id): [^\r]*", lambda match: f"\r\n{match[1]}", text, flags=re.IGNORECASE)
    heads = re.split(r"(?=HTTP/1\.[01] \d)", text)
    out = []
    for part in heads:
        head, _, rest = part.partition("\r\n\r\n")
        first, *lines = head.split("\r\n")
        out.append((first, sorted(line.lower() for line in lines), rest))
    return out


def compare(address, key, seed):
    """A pair of requests and their answers, where these differ each time. An answer that does not wait for the body ends
    the connection or keeps it, by how much of the body has come."""
    for _ in range(3):
        difference = compare_once(address, key, seed)
        if not difference:
            return None
    return difference


def compare_once(address, key, seed):
    chance = random.Random(seed)
    head, rest = request(chance, key)
    pieces = chance.random() < 0.1
    answers, sent = [], []
    for detour in (b"", DETOUR):
        report = str(uuid.uuid4())
        data = (head + detour + b"\r\n" + rest + NEXT).replace(ID.encode(), report.encode())
        cuts = sorted(random.Random(seed).sample(range(1, len(data)), 2)) if pieces else []
        sent.append(data)
        answers.append(normal(exchange(address, data, cuts), report))
    if answers[0] != answers[1]:
        return {"seed": seed, "sent": sent[0], "short": answers[0], "long": answers[1]}
    return None


def run(address, key, pairs, seed=0, threads=4):
    """The differences found in `pairs` pairs."""
    differences, lock, following = [], threading.Lock(), iter(range(seed, seed + pairs))

    def work():
        while True:
            with lock:
                number = next(following, None)
            if number is None:
                return
            difference = compare(address, key, number)
            if difference:
                with lock:
                    differences.append(difference)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return differences


if __name__ == "__main__":
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
    first = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
    found = run(sys.argv[1], sys.argv[2], count, first)
    for item in found[:20]:
        print(json.dumps({name: repr(content) for name, content in item.items()}, indent=2))
    print(f"{count} pairs, seeds from {first}, {len(found)} differences")
    sys.exit(bool(found))
