"""The mixed load sends every kind of request, and the benchmark of pages asks for each of them."""

import re
import subprocess

import pytest

from ringfence_server import BENCHMARK, BINARY, environment

pytestmark = pytest.mark.slow


def test_every_kind_is_asked_and_an_overload_is_survived(make_server):
    server = make_server("--no-limits", "--demo")
    done = subprocess.run(
        [BENCHMARK, "mixed", "--url", server.address, "--data", server.data, "--server-pid", str(server.process.pid),
         "--seconds", "5", "--overload", "2", "--minutes", "0.05", "--reporters", "4", "--lookup-clients", "4", "--downloaders", "2", "--moderators", "1"],
        capture_output=True, text=True, env=environment(), timeout=400)
    assert done.returncode == 0, done.stderr
    tables = re.findall(r"^(As fast as answers come|Half of that|2\.0 times that|Half of that again),", done.stdout,
                        re.MULTILINE)
    assert len(tables) == 4, done.stdout
    first = done.stdout.split("\n\n")[0]
    for kind in ("report", "look-up by number", "look-up by hash", "manifest or pack, 304", "pack, whole", "sign-in"):
        [answered] = re.findall(rf"^{kind} +([\d.]+)", first, re.MULTILINE)
        assert float(answered) > 0, first
    assert "Server's memory:" in first
    assert re.search(r"normal again", done.stdout)
    # The server is ready after the load.
    health = subprocess.run(
        [BINARY, "healthcheck", "--url", f"{server.address}/readyz", "--seconds", "30"], env=environment(), timeout=60)
    assert health.returncode == 0


def test_each_page_is_measured(make_server):
    server = make_server("--no-limits")
    for arguments in (["fill", "--numbers", "2000", "--queue", "500"], ["pages", "--url", server.address, "--rounds", "10"]):
        done = subprocess.run(
            [BENCHMARK, *arguments, "--data", server.data], capture_output=True, text=True, env=environment(), timeout=400)
        assert done.returncode == 0, done.stderr
        assert not done.stderr, done.stderr
    rows = re.findall(r"^([a-z, ]+?) +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +\d+$", done.stdout, re.MULTILINE)
    assert rows == [
        "queue, first page", "queue, next page", "queue, filtered", "what is left", "case", "decision and next",
        "search, part of a number"]
    assert server.query("SELECT decision, count(*) FROM number_decisions GROUP BY 1") == [["allow", "10"]]


def test_other_machines_are_not_loaded(tmp_path):
    done = subprocess.run(
        [BENCHMARK, "mixed", "--url", "http://192.0.2.1:8080", "--data", tmp_path], capture_output=True, text=True,
        env=environment(), timeout=60)
    assert done.returncode == 2 and "loopback" in done.stderr
