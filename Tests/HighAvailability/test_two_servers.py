"""Two servers on one PostgreSQL: one runs it, the other gets its address. They share the folder of publications."""

import http.client
import json
import re
import subprocess
import time
import uuid
from datetime import datetime, timedelta, timezone

import pytest

import publications
from ringfence_server import BINARY, RingfenceServer, environment
from waiting import wait_until


@pytest.fixture(scope="module")
def servers(make_server, pseudonym_key, tmp_path_factory):
    # Due a minute ago: both servers find the scheduled publication missing at the same time.
    due = (datetime.now(timezone.utc) - timedelta(minutes=1)).strftime("%H:%M")
    signing = tmp_path_factory.mktemp("keys") / "signing.key"
    shared = {"RINGFENCE_PSEUDONYM_KEY": pseudonym_key, "RINGFENCE_ACCOUNT_KEY": "cd" * 32}
    first = make_server("--no-limits", **shared)
    complaints = tmp_path_factory.mktemp("complaints") / "complaints.jsonl"
    subprocess.run([BINARY, "simulate", "--seed", "7", "--complaints", "5000", "--out", str(complaints)],
                   env=environment(), check=True, timeout=120)
    first.run("import", "complaints", str(complaints), "--format", "jsonl")
    first.run("keys", "export")
    signing.write_text((first.data / "signing.key").read_text())
    signing.chmod(0o600)
    first.signal(15)
    assert first.ended() == 0
    first.arguments = ("--no-limits", "--publish-at", due, "--min-size", "0", "--max-churn", "100000")
    first.start()
    second = make_second(make_server, first, signing, first.arguments, shared)
    yield first, second
    second.close()
    first.close()


def make_second(make_server, first, signing, arguments, shared):
    folder = first.data.parent / "second"
    second = RingfenceServer(
        folder, *arguments, DATABASE_URL=first.dsn, RINGFENCE_SIGNING_KEY_FILE=str(signing), **shared)
    second.data.mkdir(parents=True)
    # Simulates a shared file system.
    (second.data / "publications").symlink_to(first.data / "publications")
    return second.start()


def ask(server, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=60)
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, text


def report(**changes):
    return json.dumps({
        "number": "+12015550123", "category": "fraud", "reporter": "one", "report_id": str(uuid.uuid4()),
        "reported_at": time.strftime("%FT%TZ", time.gmtime(time.time() - 60))} | changes)


def test_one_night_for_two(servers):
    first, second = servers
    wait_until(lambda: (first.data / "publications/manifest.json").exists(), 120, "the night's publication")
    wait_until(
        lambda: first.query("SELECT count(*) FROM publications WHERE state = 'published'") != [["0"]], 60, "its record")
    manifests = [ask(server, "GET", "/v1/manifest.json")[2] for server in servers]
    assert manifests[0] == manifests[1]


def test_a_report_through_either_is_one_report(servers):
    first, second = servers
    key = first.run("app", "create", "Phone").splitlines()[-1].split()[-1]
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = report()
    assert ask(first, "POST", "/v1/reports", body, headers)[0] == 201
    assert ask(second, "POST", "/v1/reports", body, headers)[0] == 200
    # The same reporter replaces a vote through the other server and adds none.
    assert ask(second, "POST", "/v1/reports", report(category="robocall"), headers)[0] == 201
    assert first.query("SELECT reporters FROM numbers WHERE number = 12015550123") == [["1"]]
    assert ask(second, "DELETE", f"/v1/reports/{json.loads(body)['report_id']}", headers=headers)[0] == 204
    assert ask(first, "POST", "/v1/reports", body, headers)[0] == 410


def test_a_session_is_good_at_both(servers):
    first, second = servers
    token = first.run("sign-in-link", "Ada", "--url", first.address).partition("token=")[2]
    _, headers, _ = ask(
        first, "POST", "/sign-in", f"token={token}", {"Content-Type": "application/x-www-form-urlencoded"})
    cookie = re.search(r"ringfence_session=[^;]+", headers["Set-Cookie"])[0]
    assert ask(second, "GET", "/moderation", headers={"Cookie": cookie})[0] == 200
    assert ask(second, "GET", "/moderation", headers={"Cookie": "ringfence_session=wrong"})[0] in (302, 303, 307)


def test_a_revocation_is_seen_through_both(servers):
    first, second = servers
    shown = publications.manifest(first.data / "publications")
    pack = next(pack for pack in shown["packs"] if pack["entries"] > 0)
    number = f"+{pack['first']}"
    second.run("revoke", number, "--reason", "An appeal", "--by-program", "Second server")
    wait_until(
        lambda: publications.manifest(first.data / "publications")["serial"] > shown["serial"], 120, "the revocation")
    for server in servers:
        status, _, text = ask(server, "GET", "/v1/manifest.json")
        assert status == 200
    assert ask(first, "GET", "/v1/manifest.json")[2] == ask(second, "GET", "/v1/manifest.json")[2]
    publications.check(first.data / "publications")


def test_a_server_that_dies_leaves_the_other_at_work(servers):
    first, second = servers
    second.signal(9)
    second.ended()
    key = first.run("app", "create", "Another phone").splitlines()[-1].split()[-1]
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    assert ask(first, "POST", "/v1/reports", report(), headers)[0] == 201
    second.start()
    assert ask(second, "POST", "/v1/reports", report(), headers)[0] == 201
    assert "recounted: no differences" in first.run("recount")
    # All the while both had the same schedule.
    assert first.query("SELECT count(*) FROM publications WHERE cause = 'schedule'") == [["1"]]
