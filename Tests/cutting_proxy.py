"""A proxy between a client and a server that cuts or holds connections on request of a test."""

import contextlib
import re
import socket
import threading


class CuttingProxy:
    """Forwards connections to a server on this machine; every response of a matching path is cut short."""

    def __init__(self, port):
        self.upstream = port
        self.cut = lambda path: None
        # Called after all allowed bytes were forwarded, before the connection is cut.
        self.before_cut = lambda: None
        self.requests = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def close(self):
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        """One request on each connection, so that the cut response is known."""
        with client, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                data = client.recv(65_536)
                if not data:
                    return
                head += data
            text = head.decode()
            path = text.split(" ")[1]
            self.requests.append((path, re.search(r"(?im)^range: *(\S+)", text)))
            with socket.create_connection(("127.0.0.1", self.upstream)) as server:
                server.sendall(text.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1).encode())
                left = self.cut(path)
                while left is None or left > 0:
                    data = server.recv(65_536 if left is None else min(65_536, left))
                    if not data:
                        break
                    client.sendall(data)
                    if left is not None:
                        left -= len(data)
                if left == 0:
                    self.before_cut()
