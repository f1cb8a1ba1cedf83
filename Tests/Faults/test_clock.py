"""A clock that jumps forward and back, for the server and its PostgreSQL together (libfaketime; Debian's libfaketime)."""

import base64
import json
import time
import urllib.request
from pathlib import Path

import pytest

from ringfence_server import BINARY, RingfenceServer
from waiting import wait_until

LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"


@pytest.fixture
def place(tmp_path):
    offset = tmp_path / "offset"
    offset.write_text("+0\n")
    assert Path(LIBRARY).exists(), "libfaketime is missing: Scripts/install-dependencies test"
    # Readable by the account of PostgreSQL.
    for folder in [*tmp_path.parents][:2] + [tmp_path]:
        folder.chmod(0o755)
    server = RingfenceServer(tmp_path / "server", "--no-limits")
    server.binary = tmp_path / "ringfence"
    server.binary.write_text(
        f"#!/bin/sh\nexport LD_PRELOAD={LIBRARY} FAKETIME_TIMESTAMP_FILE={offset} FAKETIME_NO_CACHE=1\n"
        f'export FAKETIME_DONT_FAKE_MONOTONIC=1\nexec timeout --foreground 1d {BINARY} "$@"\n')
    server.binary.chmod(0o755)
    server.data.parent.mkdir()
    server.start()
    yield server, offset
    server.close()


def get(server, path):
    with urllib.request.urlopen(server.address + path, timeout=30) as answer:
        return json.load(answer)


def serial(server):
    """The serial of the newest publication."""
    return json.loads(base64.b64decode(get(server, "/v1/manifest.json")["payload"]))["serial"]


def report(server, key, number, report_id, offset=0):
    body = json.dumps({
        "number": number, "category": "fraud", "reporter": "somebody", "report_id": report_id,
        "reported_at": time.strftime("%FT%TZ", time.gmtime(time.time() + offset - 60))}).encode()
    request = urllib.request.Request(
        f"{server.address}/v1/reports", body, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.status


@pytest.mark.parametrize("hours", [26, 9_600])
def test_a_clock_that_jumped_for_a_while_stops_nothing_afterwards(place, hours):
    server, offset = place
    key = server.run("app", "create", "Clock")
    assert report(server, key, "+12015550123", "0195f0c0-0000-7000-8000-000000000001") == 201
    server.run("publish", "--min-size", "0")
    offset.write_text(f"+{hours}h\n")
    jumped = hours * 3_600
    assert report(server, key, "+12015550124", "0195f0c0-0000-7000-8000-000000000002", jumped) == 201
    server.run("publish", "--min-size", "0", "--overrule", "churn", "--reason", "A test", "--by-program", "Clock")
    later = serial(server)
    offset.write_text("+0\n")
    # At once: reports, lookups, sign-ins and a publication, which is the newest.
    assert report(server, key, "+12015550125", "0195f0c0-0000-7000-8000-000000000003") == 201
    server.run("sign-in-link", "Ada", "--role", "administrator")
    server.run("publish", "--min-size", "0", "--overrule", "churn", "--reason", "A test", "--by", "Ada")
    assert serial(server) > later
    assert "publication" in server.run_unchecked("doctor").stdout
    wait_until(lambda: get(server, "/readyz")["wrong_times"], 90, "/readyz to name times in the future")
