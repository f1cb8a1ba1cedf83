"""A publisher killed at any time leaves the previous publication complete, and the next run removes the remains."""

import random
import signal
import subprocess
import time

import pytest

from publications import check, files, manifest, parts
from ringfence_server import BINARY, START_SECONDS, environment
from waiting import wait_until

# Every publication differs from the previous one, and all gates pass.
OPEN = ["--min-size", "0", "--max-size", "100000", "--max-churn", "100000"]


def publish(server, top):
    return subprocess.Popen(
        [BINARY, "publish", "--data", str(server.data), "--top", str(top), *OPEN], env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def publisher(make_server, tmp_path_factory):
    """A running server with data, and the duration of its publication in seconds."""
    server = make_server()
    complaints = tmp_path_factory.mktemp("complaints") / "complaints.jsonl"
    subprocess.run(
        [BINARY, "simulate", "--seed", "11", "--complaints", "40000", "--out", str(complaints)], check=True,
        env=environment(), timeout=START_SECONDS)
    server.run("import", "complaints", str(complaints), "--format", "jsonl")
    server.run("publish", "--top", "300", *OPEN)
    start = time.monotonic()
    server.run("publish", "--top", "299", *OPEN)
    yield server, time.monotonic() - start
    server.close()


@pytest.mark.parametrize("kills", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_at_random_moments(publisher, kills):
    server, seconds = publisher
    folder = server.data / "publications"
    moments = random.Random(6)
    killed = 0
    for top in range(298, 298 - kills, -1):
        former = check(folder)
        process = publish(server, top)
        try:
            process.wait(timeout=moments.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.communicate(timeout=START_SECONDS)
        shown = check(folder)
        # The folder shows the previous publication or the next one, complete.
        assert shown == former or shown["previous"]["serial"] == former["serial"]
    assert killed > 0

    former = check(folder)
    server.run("publish", "--top", "280", *OPEN)
    shown = check(folder)
    assert shown["previous"]["serial"] == former["serial"]
    # Nothing remains of publications that never became visible.
    named = {path for path, _, _ in files(shown)} | set(parts(folder, shown))
    for kept in (folder / "manifests").iterdir():
        kept_manifest = manifest(folder, kept.relative_to(folder))
        assert kept_manifest["serial"] <= shown["serial"]
        named |= {path for path, _, _ in files(kept_manifest)} | set(parts(folder, kept_manifest))
    folders = ("packs", "deltas", "formats", "bins", "descriptions")
    there = {str(path.relative_to(folder)) for name in folders for path in (folder / name).iterdir()}
    assert there <= named
    assert not list((folder / ".work").iterdir())
    assert not (folder / ".claim").exists()
    states = server.query("SELECT state, count(*) FROM publications GROUP BY state")
    assert "running" not in dict(states)
    assert server.query("SELECT max(serial) FROM publications WHERE state = 'published'") == [[str(shown["serial"])]]
    # It has the labeled numbers, too.
    listed = next(pack for pack in shown["packs"] if pack["name"] == "toxic")
    assert server.query("SELECT count(*) FROM listings") == [[str(listed["entries"])]]


def test_a_number_is_out_within_a_minute(publisher):
    server, _ = publisher
    folder = server.data / "publications"
    former = check(folder)
    number = former["packs"][0]["first"]
    said = server.run("revoke", f"+{number}", "--reason", "An appeal", "--by-program", "Ada")
    assert "is not in publication" in said
    # The running server made it, not the command.
    shown = wait_until(lambda: (m := manifest(folder))["serial"] > former["serial"] and m, 60, "the revocation")
    assert check(folder) == shown
    assert shown["as_of"] == former["as_of"]
    for pack, before in zip(shown["packs"], former["packs"]):
        dump = server_dump(folder / pack["path"])
        assert str(number) not in dump
        if str(number) in server_dump(folder / before["path"]):
            assert pack["entries"] == before["entries"] - 1
            assert any(delta["from_sha256"] == before["sha256"] for delta in pack["deltas"])
        else:
            assert pack == before


def server_dump(path):
    done = subprocess.run(
        [BINARY, "pack", "dump", str(path), "--format", "tsv"], env=environment(), capture_output=True, text=True,
        timeout=START_SECONDS, check=True)
    return {line.split("\t")[0] for line in done.stdout.splitlines()}
