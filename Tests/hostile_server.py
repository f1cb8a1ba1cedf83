"""A server whose responses exhaust a careless client; it limits its own resources."""

import contextlib
import functools
import gzip
import os
import socket
import threading
import time
import zlib
from pathlib import Path

# A careless client that buffers one response grows by this much; a careful one by a few socket buffers.
MOST_BYTES = 256 << 20
MOST_SECONDS = 25
FLOOD = bytes(1 << 16)


@functools.cache
def bomb():
    """MOST_BYTES zeros, compressed a thousandfold."""
    return gzip.compress(bytes(MOST_BYTES), 9)


def compressed(coding, pack):
    """A body that is small on the wire and large after decoding; it takes seconds to make, once."""
    @functools.cache
    def answer():
        body = pack()
        return f"{OK}Content-Encoding: {coding}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body, b""
    return answer


def repeated(head, piece):
    return lambda: (head.encode(), piece)


OK = "HTTP/1.1 200 OK\r\n"
CHUNKED = "Transfer-Encoding: chunked\r\n\r\n"
CHUNK = b"10000\r\n" + FLOOD + b"\r\n"


def text_chunk(text):
    data = (text * (65_536 // len(text) + 1)).encode()
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


# Every way: what it sends first, and what it then sends without end (b"" for nothing at all).
WAYS = {
    "chunked": repeated(OK + "Transfer-Encoding: chunked\r\n\r\n", CHUNK),
    "until-close": repeated(OK + "Connection: close\r\n\r\n", FLOOD),
    "length": repeated(OK + "Content-Length: 999999999999\r\n\r\n", FLOOD),
    "length-beyond-64-bits": repeated(OK + "Content-Length: 99999999999999999999\r\n\r\n", FLOOD),
    "length-and-silence": repeated(OK + "Content-Length: 999999999999\r\n\r\n", b""),
    "two-lengths": repeated(OK + "Content-Length: 2\r\nContent-Length: 999999999999\r\n\r\n", FLOOD),
    "gzip": compressed("gzip", bomb),
    "gzip-of-gzip": compressed("gzip, gzip", lambda: gzip.compress(bomb(), 9)),
    "deflate": compressed("deflate", lambda: zlib.compress(bytes(MOST_BYTES), 9)),
    "brotli": repeated(OK + "Content-Encoding: br\r\n" + CHUNKED, CHUNK),
    "zstd": repeated(OK + "Content-Encoding: zstd\r\n" + CHUNKED, CHUNK),
    "gzip-chunked": repeated(OK + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", CHUNK),
    "gzip-as-transfer": repeated(OK + "Transfer-Encoding: gzip, chunked\r\n\r\n", CHUNK),
    "fields": repeated(OK, b"X-Field: " + b"x" * 1_000 + b"\r\n"),
    "long-field": repeated(OK + "X-Field: ", b"x" * 65_536),
    "trailers": repeated(OK + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", b"X-Field: " + b"x" * 1_000 + b"\r\n"),
    "long-status": repeated("HTTP/1.1 200 ", b"x" * 65_536),
    "chunk-extension": repeated(OK + "Transfer-Encoding: chunked\r\n\r\n2;x=", b"x" * 65_536),
    "chunk-extensions": repeated(
        OK + "Transfer-Encoding: chunked\r\n\r\n", b"1;x=" + b"x" * 60_000 + b"\r\n{\r\n"),
    "redirect": repeated("HTTP/1.1 302 Found\r\nLocation: again\r\nTransfer-Encoding: chunked\r\n\r\n", CHUNK),
    "error": repeated("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n", CHUNK),
    # The size of chunks and of bodies.
    "small-chunks": repeated(OK + CHUNKED, b"1\r\n{\r\n" * 8_192),
    "endless-chunk": repeated(OK + CHUNKED + "7fffffffffffffff\r\n", FLOOD),
    "chunk-beyond-64-bits": repeated(OK + CHUNKED + "ffffffffffffffffff\r\n", FLOOD),
    "negative-chunk": repeated(OK + CHUNKED + "-1\r\n", FLOOD),
    "chunk-size-of-zeros": repeated(OK + CHUNKED, b"0" * 65_536),
    "chunk-size-of-digits": repeated(OK + CHUNKED, b"1" * 65_536),
    "chunk-without-end": repeated(OK + CHUNKED + "2\r\n{}", FLOOD),
    "chunked-twice": repeated(OK + "Transfer-Encoding: chunked, chunked\r\n\r\n", CHUNK),
    "length-and-chunked": repeated(OK + "Content-Length: 2\r\n" + CHUNKED, CHUNK),
    "negative-length": repeated(OK + "Content-Length: -1\r\n\r\n", FLOOD),
    "length-in-hex": repeated(OK + "Content-Length: 0xffffffff\r\n\r\n", FLOOD),
    "list-of-lengths": repeated(OK + "Content-Length: 2, 999999999999\r\n\r\n", FLOOD),
    "length-zero": repeated(OK + "Content-Length: 0\r\n\r\n", FLOOD),
    # The first line.
    "http-1.0": repeated("HTTP/1.0 200 OK\r\n\r\n", FLOOD),
    "http-0.9": repeated("", FLOOD),
    "http-2": repeated("", b"\0\0\0\4\0\0\0\0\0" * 8_192),
    "unknown-version": repeated("HTTP/9.9 200 OK\r\n" + CHUNKED, CHUNK),
    "status-999": repeated("HTTP/1.1 999 Unknown\r\n" + CHUNKED, CHUNK),
    "status-000": repeated("HTTP/1.1 000 None\r\n" + CHUNKED, CHUNK),
    "blank-lines": repeated("", b"\r\n" * 32_768),
    "spaces-before-the-status": repeated("HTTP/1.1 ", b" " * 65_536),
    # Statuses.
    "no-content": repeated("HTTP/1.1 204 No Content\r\n\r\n", FLOOD),
    "not-modified": repeated("HTTP/1.1 304 Not Modified\r\n\r\n", FLOOD),
    "partial": repeated(
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-999999999999/*\r\n" + CHUNKED, CHUNK),
    "another-protocol": repeated(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", FLOOD),
    "unauthorized": repeated("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\n" + CHUNKED, CHUNK),
    "unavailable": repeated("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\n" + CHUNKED, CHUNK),
    "long-location": repeated("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/", b"x" * 65_536),
    "many-early-hints": repeated("", b"HTTP/1.1 103 Early Hints\r\nX-Field: x\r\n\r\n" * 1_000),
    "many-continues": repeated("", b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000),
    "answers-after-the-answer": repeated(
        OK + "Content-Length: 2\r\n\r\n{}", (OK + "Content-Length: 2\r\n\r\n{}").encode() * 1_000),
    # Fields.
    "field-without-colon": repeated(OK, b"x" * 65_536),
    "folded-field": repeated(OK + "X-Field: x\r\n", b" x\r\n" * 16_384),
    "cookies": repeated(OK, b"Set-Cookie: a=" + b"x" * 1_000 + b"\r\n"),
    # Documents.
    "nested-arrays": repeated(OK + CHUNKED, text_chunk("[")),
    "endless-string": repeated(OK + CHUNKED + "6\r\n{\"a\":\"\r\n", text_chunk("x")),
    "endless-digits": repeated(OK + CHUNKED + "5\r\n{\"a\":\r\n", text_chunk("9")),
}
# The head of these is a whole answer that a receiver of webhooks may give.
WHOLE_ANSWERS = {"length-zero", "no-content", "answers-after-the-answer"}
# These take time rather than memory: a total bound ends them.
SLOW_WAYS = {
    "drip": repeated(OK + "Transfer-Encoding: chunked\r\n\r\n", b"1\r\n{\r\n"),
    "informational": repeated("", b"HTTP/1.1 103 Early Hints\r\nX-Field: x\r\n\r\n"),
}


class HostileServer:
    """Answers /WAY/… in that way; with a folder, paths that `is_hostile` does not name are served from it."""

    def __init__(self, folder=None, is_hostile=lambda path: True):
        self.folder = folder
        self.is_hostile = is_hostile
        # One entry for each hostile response: the way, the bytes sent, whether the client ended the connection.
        self.answers = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        client.settimeout(MOST_SECONDS)
        with client, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                data = client.recv(65_536)
                if not data:
                    return
                head += data
            way, _, path = head.split(b" ")[1].decode().strip("/").partition("/")
            if self.is_hostile(path):
                self._flood(client, way)
            else:
                self._give(client, path)

    def _give(self, client, path):
        file = Path(self.folder) / path
        found = file.is_file()
        content = file.read_bytes() if found else b""
        status = "200 OK" if found else "404 Not Found"
        client.sendall(f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode())
        client.sendall(content)

    def _flood(self, client, way):
        answer = {"way": way, "sent": 0, "ended": False}
        self.answers.append(answer)
        first, piece = (WAYS | SLOW_WAYS)[way]()
        deadline = time.monotonic() + MOST_SECONDS
        try:
            client.sendall(first)
            answer["sent"] += len(first)
            while piece and answer["sent"] < MOST_BYTES and time.monotonic() < deadline:
                client.sendall(piece)
                answer["sent"] += len(piece)
                if way in SLOW_WAYS and self._has_ended(client, 0.1):
                    answer["ended"] = True
                    return
            if not piece:
                answer["ended"] = self._has_ended(client, MOST_SECONDS)
        except TimeoutError:
            pass
        except ConnectionError:
            answer["ended"] = True

    @staticmethod
    def _has_ended(client, seconds):
        """Whether the client ends the connection within a time; its bytes meanwhile are read and dropped."""
        client.settimeout(seconds)
        try:
            while client.recv(65_536):
                pass
            return True
        except TimeoutError:
            return False
        finally:
            client.settimeout(MOST_SECONDS)


class Memory:
    """A process's resident memory in bytes."""

    def __init__(self, pid):
        self.pid = pid

    def _read(self, name):
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) << 10
        raise ProcessLookupError(self.pid)

    @property
    def now(self):
        return self._read("VmRSS")

    @property
    def peak(self):
        return self._read("VmHWM")

    def forget_peak(self):
        """Resets the peak (proc(5), clear_refs)."""
        with open(f"/proc/{self.pid}/clear_refs", "w") as file:
            file.write("5")


def children(pid):
    """The child processes of a process."""
    return {int(child) for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()}


def run_measured(process, seconds):
    """Waits for a process; returns its exit code and its peak resident memory, including its children."""
    peaks = {}
    deadline = time.monotonic() + seconds
    while True:
        # After a process has ended, its file contains no memory values.
        for pid in [process.pid, *peaks]:
            with contextlib.suppress(OSError):
                peaks[pid] = max(peaks.get(pid, 0), Memory(pid).peak)
        with contextlib.suppress(OSError):
            peaks |= {child: 0 for child in children(process.pid) - peaks.keys()}
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended:
            return process.wait(), sum(peaks.values())
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise AssertionError(f"{process.args} has not ended after {seconds} s.")
        time.sleep(0.01)
