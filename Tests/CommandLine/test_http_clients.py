"""Clients that ask for HTTP/2 over plain HTTP get every response at once."""

import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from ringfence_server import environment

JAVA = Path(__file__).with_name("Upgrade.java")
# A client that waits for a missing response gives up after five seconds; a virtual machine starts in one or two.
SECONDS = 60


@pytest.fixture(scope="module")
def server(make_server):
    return make_server("--no-limits")


def test_curl_gets_the_second_answer_too(server):
    address = f"{server.address}/healthz"
    ask = ["--http2", "--silent", "--show-error", "--max-time", "5", "--write-out", "%{http_code} "]
    done = subprocess.run(
        ["curl", *ask, "--output", "/dev/null", address, "--next", *ask, "--output", "/dev/null", address],
        capture_output=True, text=True, timeout=SECONDS, env=environment())
    if "does not support" in done.stderr:
        pytest.skip("curl is built without HTTP/2")
    assert (done.returncode, done.stdout.split()) == (0, ["200", "200"]), done.stderr


def test_curl_that_expects_to_be_told_to_go_on_is(server):
    done = subprocess.run(
        ["curl", "--silent", "--verbose", "--expect100-timeout", "30", "--max-time", "20", "-H", "Expect: 100-continue",
         "-H", f"Authorization: Bearer {server.run('app', 'create', 'Expecting')}", "-H", "Content-Type: application/json",
         "--data", "{}", f"{server.address}/v1/reports"],
        capture_output=True, text=True, timeout=SECONDS, env=environment())
    assert "< HTTP/1.1 100 Continue" in done.stderr and "< HTTP/1.1 400 " in done.stderr, done.stderr


def test_javas_client_gets_every_answer(server):
    if not shutil.which("javac"):
        # FramingTests sends the same bytes.
        warnings.warn("There is no JDK: Java's HttpClient is not tested. Install default-jdk-headless.", stacklevel=1)
        pytest.skip("there is no JDK: install default-jdk-headless")
    done = subprocess.run(
        ["java", str(JAVA), f"{server.address}/healthz", f"{server.address}/v1/reports"],
        capture_output=True, text=True, timeout=SECONDS, env=environment())
    assert done.stdout.split() == ["200"] * 5 + ["401"], done.stderr
