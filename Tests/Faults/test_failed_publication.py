"""A publication that fails is told at once: by a webhook, by mail, in metrics and by the doctor."""

import contextlib
import http.server
import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest

import prepared_data
from ringfence_server import RingfenceServer
from waiting import wait_until

SENDMAIL = """#!/bin/sh
cat >> "$(dirname "$0")/mails"
"""


@contextlib.contextmanager
def receiver():
    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            messages.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    messages = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook", messages
        server.shutdown()


@contextlib.contextmanager
def folder_of_publications(data, options):
    """A file system of its own in the place of the folder."""
    folder = data / "publications"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.parametrize("cause, options", [("disk", "size=8k,mode=0755"), ("read_only", "ro,mode=0755")])
def test_receivers_are_told_why(cause, options, tmp_path):
    program = tmp_path / "sendmail"
    program.write_text(SENDMAIL)
    program.chmod(0o755)
    # Due since a minute ago.
    due = time.strftime("%H:%M", time.gmtime(time.time() - 60))
    with tempfile.TemporaryDirectory(prefix="ringfence-test-") as folder, receiver() as (address, messages):
        server = RingfenceServer(
            folder, "--publish-at", due, "--time-zone", "UTC", "--webhook", address, RINGFENCE_MAIL=str(program),
            RINGFENCE_MAIL_FROM="ringfence@example.org", RINGFENCE_METRICS_TOKEN="a token of metrics")
        prepared_data.copy(server)
        with folder_of_publications(server.data, options) as publications, contextlib.closing(server):
            begin = time.monotonic()
            server.start()
            server.query("INSERT INTO accounts (name, role, created_at, mail_address, mail_events) VALUES "
                         "('Grace', 'administrator', now(), 'grace@example.org', '{gate_failed}')")
            wait_until(lambda: any(message["event"] == "publication_failed" for message in messages), 60, "the webhook")
            print(f"{cause}: told {time.monotonic() - begin:.1f} s after the start: {messages[-1]}")
            [told] = [message for message in messages if message["event"] == "publication_failed"]
            assert told["cause"] == cause and str(publications) in told["reason"]
            metrics = subprocess.run(
                ["curl", "--silent", "--header", "Authorization: Bearer a token of metrics", f"{server.address}/metrics"],
                capture_output=True, text=True).stdout
            assert "ringfence_publication_failing 1" in metrics
            assert 'ringfence_folder_size_bytes{folder="publications"}' in metrics
            doctor = {line["what"]: line for line in json.loads(server.run_unchecked("doctor", "--json").stdout)}
            assert doctor["publications folder"]["state"] == ("bad" if cause == "read_only" else doctor["publications folder"]["state"])
            assert {"publications disk", "revocations", "last attempt to publish"} <= doctor.keys()
            # An account that chose the events of gates gets it from the next failure on; one event per day and cause.
            assert server.run_unchecked("publish").returncode != 0
            assert len([message for message in messages if message["event"] == "publication_failed"]) == 1
            mails = tmp_path / "mails"
            wait_until(lambda: "To: <grace@example.org>" in (mails.read_text() if mails.exists() else ""), 60, "the mail")
            print(f"{cause}: mailed {time.monotonic() - begin:.1f} s after the start")
            subprocess.run(["mount", "-o", "remount,rw,size=16m", publications], check=True)
            wait_until(lambda: any(message["event"] == "publication" for message in messages), 130, "the next attempt")
            print(f"{cause}: published {time.monotonic() - begin:.1f} s after the start")


def test_a_missing_key_is_told(tmp_path):
    with tempfile.TemporaryDirectory(prefix="ringfence-test-") as folder, receiver() as (address, messages):
        server = RingfenceServer(folder, "--webhook", address)
        prepared_data.copy(server)
        with contextlib.closing(server):
            server.start()
            server.run("publish")
            Path(server.data / "signing.key").rename(tmp_path / "key")
            assert server.run_unchecked("publish").returncode != 0
            wait_until(lambda: any(message["event"] == "publication_failed" for message in messages), 60, "the webhook")
            [told] = [message for message in messages if message["event"] == "publication_failed"]
            assert told["cause"] == "key"
