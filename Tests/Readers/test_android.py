"""The library for Android on the JVM: numbers, outbox, updates, calls, and the example, with stubs of Android's classes."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
ANDROID = CHECKOUT / "Clients/android"
VECTORS = CHECKOUT / "Tests/Vectors"
BINARY = os.environ.get("RINGFENCE_BINARY", str(CHECKOUT / ".build/debug/ringfence"))
sys.path.insert(0, str(CHECKOUT / "Tests/Numbers"))

import phonenumbers  # noqa: E402
from number_strings import Strings, expected  # noqa: E402
from phonenumbers import re_util  # noqa: E402

re_util.enable_pattern_cache()


def passed(done, least):
    """The cases of a run, all of which have passed."""
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0 and not done.stderr, "\n".join(lines) + done.stderr.decode()
    assert len(lines) >= least and all(line.startswith("passed: ") for line in lines), lines
    return lines


def test_numbers_are_read_as_phonenumbers_reads_them(java, tmp_path):
    """The region of the phone is the default; strings of every region and kind."""
    strings = Strings(61)
    rows = [strings.draw() for _ in range(30_000)]

    def escaped(text):
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")

    lines = "".join(f"{region or ''}\t{escaped(text)}\n" for _, region, text in rows)
    # The plans of the library, and the same as a file that an app checks.
    for arguments in ([], [CHECKOUT / "Resources/NumberingPlans/plans.txt"]):
        done = java("ringfence.numbers.NumberProbe", *arguments, input=lines.encode())
        answers = done.stdout.decode().split("\n")[:-1]
        assert done.returncode == 0 and len(answers) == len(rows), done.stderr
        # Without the written forms.
        wanted = ["\t".join(expected(region, text).split("\t")[:4]) for _, region, text in rows] if not arguments else wanted
        assert [row for row in zip(rows, answers, wanted) if row[1] != row[2]] == []
    assert {region for _, region, _ in rows} >= set(phonenumbers.SUPPORTED_REGIONS)


def test_damaged_plans_are_refused(java, tmp_path):
    text = (CHECKOUT / "Resources/NumberingPlans/plans.txt").read_text()
    cases = {
        "cut": text[:len(text) // 2], "without an end": text.rpartition("\nend")[0] + "\n", "another form": text.replace("plans 1", "plans 2", 1),
        "a pattern": text.replace("\n[2-9]d{9}\n", "\n[2-9]d{9\n", 1), "a sign": text.replace("\n[2-9]d{9}\n", "\n.*\n", 1),
        "a field": text.replace("\nr US l=", "\nr US l:", 1), "a count": text.replace("patterns ", "patterns 9", 1), "nothing": ""}
    for name, content in cases.items():
        assert content != text
        (tmp_path / "plans").write_text(content)
        done = java("ringfence.numbers.NumberProbe", tmp_path / "plans", input=b"")
        assert done.returncode == 1 and b"java.io.IOException" in done.stderr, name


@pytest.mark.parametrize("program, arguments, least", [
    ("RunOutbox", [], 11), ("RunSending", [], 40), ("RunUpdates", [VECTORS / "publication", 1_795_000_000], 17), ("RunTransport", [], 14)])
def test_faults(java, program, arguments, least):
    passed(java(f"ringfence.client.{program}", *arguments), least)


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pack")
    (folder / "list").write_text("493023125123\tScam\tblock\n493023125124\tA bank\n")
    subprocess.run([BINARY, "pack", "build", "--in", folder / "list", "--out", folder / "both.rfpack", "--kind", "both"], check=True,
                   capture_output=True, timeout=120)
    return folder / "both.rfpack"


def test_the_service_answers_calls(java, pack):
    passed(java("ringfence.android.RunScreening", pack, "493023125123", "493023125124"), 11)


def test_a_lookup_in_two_million_numbers_takes_little_memory(java, tmp_path):
    assert java("ringfence.reader.MakePack", 1_999_999, tmp_path / "large.rfpack").returncode == 0
    done = java("ringfence.client.LargeLookup", tmp_path, "large", options=("-Xmx16m",))
    assert re.match(rb"1999999 entries, 0 mistakes, ", done.stdout), done.stdout + done.stderr


@pytest.fixture(scope="module")
def server(make_server):
    server = make_server()
    reason = ("--reason", "calls about a car's warranty", "--by", "Ada")
    server.run("decide", "+493023125123", "--block", *reason)
    server.run("decide", "+493023125124", "--identify", "A survey", *reason)
    server.run("publish")
    return server


def key(server, name, *scopes):
    return re.search(r"rf_\w+", server.run("app", "create", name, "--scopes", ",".join(scopes)))[0]


def test_the_example_runs_with_a_server(java, server):
    """The example's own code rejects, labels, spares a contact, does without permissions, and reports."""
    app = key(server, "Example", "report", "fetch")
    passed(java("com.example.calls.RunExample", server.address, app, "493023125123", "493023125124"), 1)


def test_a_client_reports_withdraws_and_counts_with_a_server(java, server, tmp_path):
    app = key(server, "Client", "report", "fetch", "identify")
    done = java("ringfence.client.RunServer", f"{server.address}/v1", app, tmp_path, "blocklist", "update", "number:493023125123",
                "number:493023125125", "report:030 23125126:1", "report:030 23125127:2", "report:12:3", "count:030 23125126", "flush",
                "withdraw:2", "flush", "tomorrow", "flush", "update")
    assert done.stdout.decode().splitlines() == [
        "update [blocklist]", "493023125123 blocked", "493023125125 none", "DROPPED number: too_short", "DELIVERED null", "DELIVERED null",
        "waiting 0", "WITHDRAWN null", "waiting 0", "COUNTED null", "waiting 0", "update []"], done.stderr.decode()


def test_the_library_has_its_size():
    def lines(folder):
        return sum(len(file.read_text().splitlines()) for file in (ANDROID / folder).rglob("*") if file.is_file())

    assert lines("core/src") <= 5_000 and lines("android/src") <= 800 and lines("example") <= 500
