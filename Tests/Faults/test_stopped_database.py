"""A stopped PostgreSQL (SIGSTOP) keeps its sockets open without answering: no request waits without limit."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
import uuid

import pytest

from waiting import wait_until

# Limits, not expectations: readiness responds after 0.8 s, other requests after 3 s.
READINESS_SECONDS = 4
ANSWER_SECONDS = 20


def ask(server, method, path, body=None, seconds=60, **headers):
    """The status and the duration of the response in seconds."""
    began = time.monotonic()
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=seconds)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    status = connection.getresponse().status
    connection.close()
    return status, time.monotonic() - began


def report(key):
    body = json.dumps({
        "number": "+33199000248", "category": "fraud", "reporter": "somebody", "report_id": str(uuid.uuid4()),
        "reported_at": time.strftime("%FT%TZ", time.gmtime(time.time() - 60))})
    return body, {"Authorization": f"Bearer {key}", "Content_Type": "application/json"}


@pytest.fixture
def server(make_server):
    server = make_server("--demo")
    yield server
    for process in server.postgres_processes():
        os.kill(process, signal.SIGCONT)
    server.close()


def test_nobody_waits_for_a_stopped_database_without_end(server):
    key = server.run("app", "create", "Stopped")
    (first, fields), (second, _), (third, _) = report(key), report(key), report(key)
    # Afterwards both paths of a report have the key in their cache.
    assert ask(server, "POST", "/v1/reports", first, **fields)[0] == 201
    assert ask(server, "GET", "/v1/numbers/33199000248", Authorization=f"Bearer {key}")[0] == 200
    for process in server.postgres_processes():
        os.kill(process, signal.SIGSTOP)
    lines = server.log.read_text().count("\n")
    began = time.monotonic()

    answers = {}

    def note(name, *arguments, **more):
        answers[name] = ask(server, *arguments, **more)

    asked = {
        "ready": ("GET", "/readyz"), "look-up": ("GET", "/v1/numbers/33199000248"), "report": ("POST", "/v1/reports", second),
        "batch": ("POST", "/v1/reports", f"[{third}]"), "hash": ("GET", "/v1/numbers/by-hash/abcd")}
    clients = [threading.Thread(target=note, args=(name, *arguments), kwargs={} if name == "ready" else fields)
               for name, arguments in asked.items()]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert {name: status for name, (status, _) in answers.items()} == dict.fromkeys(asked, 503)
    assert answers["ready"][1] < READINESS_SECONDS, answers
    assert max(seconds for _, seconds in answers.values()) < ANSWER_SECONDS, answers

    # While the database is stopped, reports are refused at once, and the log does not grow with them.
    refused = [ask(server, "POST", "/v1/reports", report(key)[0], **fields) for _ in range(200)]
    assert {status for status, _ in refused} == {503}
    assert sum(seconds for _, seconds in refused) < ANSWER_SECONDS
    assert ask(server, "GET", "/readyz")[0] == 503
    new_lines = server.log.read_text().count("\n") - lines
    assert new_lines <= 3 * (time.monotonic() - began) + 10, server.log.read_text()[-3_000:]

    for process in server.postgres_processes():
        os.kill(process, signal.SIGCONT)
    wait_until(lambda: ask(server, "GET", "/readyz")[0] == 200, 60, "the server to be ready again")
    # Each counts once, whether or not it was committed at first.
    for body in (second, third):
        wait_until(lambda body=body: ask(server, "POST", "/v1/reports", body, **fields)[0] in (200, 201), 60, "the report to be taken")
        assert ask(server, "POST", "/v1/reports", body, **fields)[0] == 200


def test_a_row_that_another_session_locks_is_told_and_leaves_no_sessions(server):
    key = server.run("app", "create", "Locked")
    (first, fields), (second, _) = report(key), report(key)
    assert ask(server, "POST", "/v1/reports", first, **fields)[0] == 201
    token = (server.data / "metrics.token").read_text().strip()

    def failures():
        connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=60)
        connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
        text = connection.getresponse().read().decode()
        return float(re.search(r'^ringfence_intake_commit_failures_total{kind="reports"} (\S+)', text, re.M)[1])

    def sessions():
        return {pid for (pid,) in server.query("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'")}

    other = subprocess.Popen(["psql", "-XqAt", server.dsn], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    other.stdin.write("BEGIN; SELECT 1 FROM numbers WHERE number = 33199000248 FOR UPDATE;\n")
    other.stdin.flush()
    locked = "SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND application_name = 'psql'"
    wait_until(lambda: server.query(locked), 60, "the row to be locked")
    assert ask(server, "POST", "/v1/reports", second, **fields)[0] == 503
    wait_until(lambda: "Reports are not stored" in server.log.read_text(), 60, "the log to say so")
    wait_until(lambda: failures() >= 1, 60, "the metric to say so")
    # After ten seconds the commit is tried again on another connection. The session before ends without its client.
    before = sessions()
    wait_until(lambda: sessions() - before, 120, "a second attempt")
    wait_until(lambda: len(sessions()) == 1, 60, "the first attempt to end")
    other.communicate("ROLLBACK;\n")
    wait_until(lambda: ask(server, "GET", "/readyz")[0] == 200, 60, "the server to be ready again")
    assert ask(server, "POST", "/v1/reports", second, **fields)[0] == 200


PAGES = [
    "", "/queue", "/search?q=0248", "/numbers/33199000248", "/appeals", "/reporters", "/ranges", "/protected",
    "/thresholds", "/thresholds/edit", "/publications", "/recipes", "/apps", "/accounts", "/account", "/audit", "/health",
]
FORMS = [
    "/queue/next", "/queue/ping", "/queue/release", "/numbers/33199000248/decision", "/numbers/33199000248/undo",
    "/numbers/33199000248/notes", "/bulk/preview", "/bulk", "/appeals/33199000248", "/protected", "/account/language",
]
# 3 seconds, and 1 for the check of the database; the rest is for a busy machine.
PAGE_SECONDS = 6


def sign_in(server):
    """The cookie of a session and the token of its forms."""
    link = server.run("sign-in-link", "Ada", "--role", "administrator", "--url", server.address)
    token = re.search(r"token=([^\s&]+)", link)[1]
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=60)
    connection.request("POST", "/sign-in", f"token={token}", {"Content-Type": "application/x-www-form-urlencoded"})
    cookie = connection.getresponse().headers["Set-Cookie"].split(";")[0]
    connection.close()
    connection.request("GET", "/moderation", headers={"Cookie": cookie, "Accept": "text/html"})
    page = connection.getresponse().read().decode()
    connection.close()
    return cookie, re.search(r'name="csrf" value="([^"]+)"', page)[1]


def ask_all(server, cookie, csrf):
    """The answers of all pages and forms, asked at once."""
    answers = {}
    form = {"Content_Type": "application/x-www-form-urlencoded"}

    def note(name, *arguments, **fields):
        answers[name] = ask(server, *arguments, Cookie=cookie, Accept="text/html", **fields)

    clients = [threading.Thread(target=note, args=(path, "GET", f"/moderation{path}")) for path in PAGES]
    clients += [threading.Thread(target=note, args=(f"POST {path}", "POST", f"/moderation{path}", f"csrf={csrf}"), kwargs=form)
                for path in FORMS]
    clients += [threading.Thread(target=note, args=(path, "GET", path)) for path in ("/appeal/00000000-00000000-00000000-00000000",)]
    for client in clients:
        client.start()
    return answers, clients


def check_answers(answers, clients):
    for client in clients:
        client.join()
    assert {name: status for name, (status, _) in answers.items() if status != 503} == {}
    assert max(seconds for _, seconds in answers.values()) < PAGE_SECONDS, answers


def test_every_page_answers_while_the_database_is_stopped(server):
    cookie, csrf = sign_in(server)
    for process in server.postgres_processes():
        os.kill(process, signal.SIGSTOP)
    check_answers(*ask_all(server, cookie, csrf))


def test_a_page_answers_when_the_database_stops_after_the_session_was_read(server):
    cookie, _ = sign_in(server)

    def hold_the_lock():
        # The server's end interrupts it.
        with contextlib.suppress(AssertionError):
            server.query("BEGIN; LOCK TABLE queue, number_decisions; SELECT pg_sleep(20)")

    threading.Thread(target=hold_the_lock, daemon=True).start()
    locked = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'queue'::regclass"
    wait_until(lambda: server.query(locked) == [["1"]], 30, "the lock")
    answers = {}

    def note():
        answers["case"] = ask(server, "GET", "/moderation/numbers/33199000248", Cookie=cookie, Accept="text/html")

    client = threading.Thread(target=note)
    client.start()
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    wait_until(lambda: int(server.query(waiting)[0][0]) > 0, 30, "the page to wait for the lock")
    for process in server.postgres_processes():
        os.kill(process, signal.SIGSTOP)
    check_answers(answers, [client])
