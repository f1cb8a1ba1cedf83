"""Receivers get signed messages about publications, again after a failure, and only at their own address."""

import hashlib
import hmac
import http.server
import json
import threading

import pytest

from waiting import wait_until


@pytest.fixture
def receiver():
    """Refuses the first message to /hook, accepts all others, and redirects /moved to /elsewhere."""
    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            messages.append((self.path, dict(self.headers), body))
            hooks = [path for path, _, _ in messages if path == "/hook"]
            self.send_response(302 if self.path == "/moved" else 500 if len(hooks) == 1 and self.path == "/hook" else 204)
            if self.path == "/moved":
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    messages = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.messages = messages
    server.address = f"http://127.0.0.1:{server.server_address[1]}"
    yield server
    server.shutdown()
    server.server_close()


def test_a_receiver_does_not_wait_for_mail(make_server, receiver, tmp_path):
    """A mail server that hangs holds each of 24 mails for a minute."""
    program = tmp_path / "sendmail"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    server = make_server(
        "--webhook", f"{receiver.address}/told", RINGFENCE_MAIL=str(program), RINGFENCE_MAIL_FROM="ringfence@example.org")
    server.query(
        "INSERT INTO accounts (name, role, created_at, mail_address, mail_events) SELECT 'Grace ' || i, 'administrator', now(), "
        "'grace' || i || '@example.org', '{backup_failed}' FROM generate_series(1, 24) AS i")
    server.run_unchecked("backup", str(server.data))
    wait_until(lambda: server.query("SELECT 1 FROM outbox WHERE receiver LIKE 'mailto:%' AND attempts > 0"), 60, "a mail")
    server.run_unchecked("backup", str(server.data))
    wait_until(lambda: len(receiver.messages) == 2, 40, "both events")


def test_a_receiver_is_told_until_it_has_understood(make_server, receiver):
    server = make_server("--demo", "--webhook", f"{receiver.address}/hook")
    # The sample publication was made before any receiver was configured.
    server.run("publish", "--webhook", f"{receiver.address}/hook", "--webhook", f"{receiver.address}/moved")
    hooks = lambda: [message for message in receiver.messages if message[0] == "/hook"]
    wait_until(lambda: len(hooks()) >= 2, 60, "a second attempt")
    (_, first, body), (_, second, again) = hooks()[:2]
    assert body == again
    message = json.loads(body)
    assert message["event"] == "publication" and message["serial"] >= 1
    assert first["Ringfence-Delivery"] == second["Ringfence-Delivery"] != message["id"]
    secret = (server.data / "webhook.secret").read_text().strip().encode()
    for fields in first, second:
        signed = dict(part.split("=") for part in fields["Ringfence-Signature"].split(","))
        expected = hmac.new(secret, signed["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
        assert hmac.compare_digest(signed["v1"], expected)
    wait_until(
        lambda: server.query("SELECT count(*) FROM outbox WHERE delivered_at IS NOT NULL") == [["1"]], 30,
        "the delivery to be settled")
    [[why]] = server.query("SELECT last_error FROM outbox WHERE delivered_at IS NULL")
    assert "302" in why
    assert not [path for path, _, _ in receiver.messages if path == "/elsewhere"]
