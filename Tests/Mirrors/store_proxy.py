"""A proxy before the object store that forwards one change at a time, and can end its client after some of them."""

import contextlib
import http.client
import http.server
import threading


class StoreProxy:
    def __init__(self, port):
        self.upstream = port
        # Method and path of each change that the store has made.
        self.changes = []
        # Called after as many changes as `limit`; none is forwarded later.
        self.limit, self.at_limit = None, lambda: None
        self._lock = threading.Lock()
        self._site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._site.server_address[1]}"
        threading.Thread(target=self._site.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self._site.shutdown()
        self._site.server_close()

    def start(self, limit=None, at_limit=lambda: None):
        with self._lock:
            self.changes, self.limit, self.at_limit = [], limit, at_limit

    @contextlib.contextmanager
    def paused(self):
        """No change is forwarded meanwhile."""
        with self._lock:
            yield

    def forward(self, method, target, headers, body):
        """The answer of the store; None after the limit."""
        changes = method not in ("GET", "HEAD")
        with self._lock if changes else contextlib.nullcontext():
            if changes and len(self.changes) == self.limit:
                return None
            store = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=60)
            # The host is signed, so all fields are sent as they came.
            store.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in headers:
                store.putheader(name, value)
            store.endheaders(body)
            with contextlib.closing(store), store.getresponse() as answer:
                found = answer.status, answer.getheaders(), answer.read()
            if changes and found[0] < 300:
                self.changes.append((method, target.partition("?")[0]))
                if len(self.changes) == self.limit:
                    self.at_limit()
                    return None
            return found

    def _handler(proxy):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = [(name, value) for name, value in self.headers.items() if name.lower() not in ("expect", "connection")]
                found = proxy.forward(self.command, self.path, headers, body)
                if found is None:
                    self.close_connection = True
                    return
                status, fields, content = found
                self.send_response_only(status)
                for name, value in fields:
                    if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                        self.send_header(name, value)
                length = dict(fields).get("Content-Length") if self.command == "HEAD" else len(content)
                self.send_header("Content-Length", str(length or 0))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(content)

            do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

            def log_message(self, *_):
                pass

        return Handler
