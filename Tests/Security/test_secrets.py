"""Secrets come from files and the environment, and are not written elsewhere."""

import base64
import contextlib
import json
import re
import subprocess
import time
import urllib.error
import urllib.request
import uuid

import pytest
import requests

from ringfence_server import BENCHMARK, BINARY, environment

NUMBER = "+33199000248"
REPORTER = "alice@example.org"


def words(binary, *command):
    """The words in the help of a command."""
    done = subprocess.run([binary, *command, "--help"], capture_output=True, text=True, env=environment(), timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands(binary, *path):
    """The paths of all commands of a program."""
    said = words(binary, *path)
    yield path, said
    [listed] = re.findall(r"\nSUBCOMMANDS:\n(.*?)\n\n", said, re.DOTALL) or [""]
    for name in re.findall(r"^  ([a-z][\w-]*)(?:, [\w-]+)*(?: |$|\n)", listed, re.MULTILINE):
        if name != "help":
            yield from commands(binary, *path, name)


# Their values are not secrets: a public key, a file name, the id of a key.
HARMLESS = {
    "fetch": {"key"}, "sources add": {"key"},
}


@pytest.mark.parametrize("binary, count", [(BINARY, 40), pytest.param(BENCHMARK, 7, marks=pytest.mark.slow)], ids=["ringfence", "benchmark"])
def test_no_option_takes_a_secret(binary, count):
    seen = 0
    for path, said in commands(binary):
        seen += 1
        for option, value in re.findall(r"--([\w-]+) <([\w-]+)>", said):
            if option in HARMLESS.get(" ".join(path), set()):
                continue
            is_secret = re.search(r"(^|-)(key|secret|password|token|passphrase|dsn)$", option)
            assert not is_secret, f"ringfence {' '.join(path)} --{option} <{value}> takes a secret on the command line"
    assert seen > count


def ask(server, path, key=None, body=None, headers=()):
    request = urllib.request.Request(
        server.address + path, json.dumps(body).encode() if body else None,
        {**({"Authorization": f"Bearer {key}"} if key else {}), "Content-Type": "application/json", **dict(headers)})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers


@pytest.fixture(scope="module")
def used(make_server):
    """A server that has used every secret."""
    server = make_server("--trust-proxy")
    key = server.run("app", "create", "Secrets").split()[-1]
    link = server.run("sign-in-link", "Ada").split()[-1]
    report = {"number": NUMBER, "category": "fraud", "reporter": REPORTER, "report_id": str(uuid.uuid4()),
              "reported_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    assert ask(server, "/v1/reports", key, report, [("X-Forwarded-For", "203.0.113.77")])[0] == 201
    # Again with a wrong key, a wrong body, a wrong number and a wrong link.
    ask(server, "/v1/reports", "rf_" + "0" * 43, report)
    ask(server, "/v1/reports", key, {**report, "number": "12"})
    ask(server, f"/v1/numbers/{NUMBER.replace('+', '%2B')}", key)
    ask(server, "/sign-in?token=" + "A" * 43)
    installation = requests.post(
        server.address + "/v1/installations", headers={"Authorization": f"Bearer {key}"}, timeout=30).json()["token"]
    session = requests.Session()
    code = server.run("rights", "code", NUMBER, "--by", "Ada").splitlines()[0]
    page = session.post(server.address + "/rights/code", data={"number": NUMBER, "code": code}, timeout=30)
    assert page.status_code == 200
    appeal = session.post(page.url + "/object", data={"statement": "It is my shop."}, timeout=30)
    staff = requests.Session()
    entered = staff.post(server.address + "/sign-in", data={"token": link.partition("token=")[2]}, timeout=30)
    assert entered.status_code == 200 and staff.cookies
    return server, key, [
        installation, link.partition("token=")[2], code, code.replace(" ", ""), page.url.rpartition("/")[2],
        appeal.url.rpartition("/")[2], *(cookie.value for cookie in staff.cookies),
    ]


def forms(secret):
    """A secret as a text may contain it: itself, and the bytes of 64 hex digits or of Base64 in other forms."""
    yield secret
    for decode in (bytes.fromhex, base64.b64decode):
        with contextlib.suppress(ValueError):
            raw = decode(secret)
            yield from (raw.hex(), base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("="))


def test_a_copy_of_the_database_holds_no_secret_and_no_person(used):
    server, key, tokens = used
    socket = (server.data / "server.lock").read_text().split("\n")[1]
    dump = subprocess.run(
        ["pg_dump", f"--host={socket}", "--username=ringfence", "ringfence"], capture_output=True, text=True,
        env=environment(), timeout=60)
    assert dump.returncode == 0, dump.stderr
    # The database stores the number itself.
    assert NUMBER[1:] in dump.stdout
    files = [file.read_text().strip() for file in server.data.iterdir() if file.suffix in (".key", ".secret", ".token")]
    assert len(files) >= 5 and len(tokens) >= 7
    for secret in [key, key.removeprefix("rf_"), *tokens, *files, REPORTER, "203.0.113.77", "203.0.113"]:
        for form in forms(secret):
            # Any number may have the digits of a code.
            found = re.search(rf"(?<![\w]){re.escape(form)}(?![\w])", dump.stdout) if len(form) < 12 else form in dump.stdout
            assert not found, form


def test_the_log_holds_no_secret_no_number_and_no_person(used):
    server, key, tokens = used
    log = server.log.read_text()
    for secret in [key, *tokens, REPORTER, "203.0.113.77", NUMBER[1:], "A" * 43]:
        assert secret not in log


def test_keys_are_readable_by_their_owner_alone(used):
    server, _, _ = used
    secrets = [file for file in server.data.iterdir() if file.suffix in (".key", ".secret")]
    assert secrets
    for file in secrets:
        assert file.stat().st_mode & 0o077 == 0, file


def test_a_page_lets_no_other_site_in(used):
    server, _, _ = used
    _, _, headers = ask(server, "/sign-in")
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy or "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] in ("no-referrer", "same-origin")
    assert "Server" not in headers or "/" not in headers["Server"]


def test_two_secrets_for_one_thing_are_refused(tmp_path):
    file = tmp_path / "url"
    file.write_text("postgresql://nobody@127.0.0.1:1/x\n")
    done = subprocess.run(
        [BINARY, "app", "create", "x", "--data", tmp_path], capture_output=True, text=True, timeout=60,
        env={**environment(), "DATABASE_URL": "postgresql://x@127.0.0.1:1/x", "DATABASE_URL_FILE": str(file)})
    assert done.returncode == 1 and "DATABASE_URL and DATABASE_URL_FILE are both set" in done.stderr
    gone = subprocess.run(
        [BINARY, "app", "create", "x", "--data", tmp_path], capture_output=True, text=True, timeout=60,
        env={**environment(), "DATABASE_URL_FILE": str(tmp_path / "none")})
    assert gone.returncode == 3 and "Cannot read" in gone.stderr
