"""The program's output, files and exit codes."""

import gzip
import json
import os
import re
import signal
import subprocess
import zlib
from pathlib import Path

import pytest

import publications
from ringfence_server import BINARY, CHECKOUT, environment


def run(*arguments, code=0, text=None):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], input=text, capture_output=True, text=True, env=environment(), timeout=300)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    path = tmp_path_factory.mktemp("complaints") / "complaints.jsonl"
    run("simulate", "--seed", 7, "--complaints", 5_000, "--out", path)
    return path


def test_prints_its_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", run("--version").stdout)


def test_complaints_go_in_once_and_a_pack_comes_out(complaints, tmp_path):
    data = tmp_path / "data"
    zipped = tmp_path / "complaints.jsonl.gz"
    zipped.write_bytes(gzip.compress(complaints.read_bytes()))

    first = run("import", "complaints", complaints, "--format", "jsonl", "--data", data).stdout
    assert "5,000 accepted: 5,000 new, 0 already stored" in first
    again = run("import", "complaints", zipped, "--format", "jsonl", "--data", data).stdout
    assert "5,000 accepted: 0 new, 5,000 already stored" in again

    # The id of a row without a reporter belongs to its number, and the id of a row with one to the list.
    def row(number, category, **more):
        return json.dumps({"number": number, "category": category, "reported_at": "2026-11-20T10:00:00Z", **more}) + "\n"
    ids = [{"report_id": "4f3b1c1e-7a52-4c0a-9a63-0d1e6d3c5b10"}, {"report_id": "4f3b1c1e-7a52-4c0a-9a63-0d1e6d3c5b11", "reporter": "a"}]
    corrected = tmp_path / "corrected.jsonl"
    corrected.write_text("".join(
        row("+33199000101", "fraud", **more) + row("+33199000101", "survey", **more) + row("+33199000102", "fraud", **more)
        for more in ids))
    said = run("import", "complaints", corrected, "--format", "jsonl", "--data", data).stdout
    assert "6 accepted: 3 new, 0 already stored" in said
    assert "3 rows with the report_id of another report: not stored" in said

    recipes = tmp_path / "recipes.yaml"
    recipes.write_text("recipes:\n  - {name: toxic, kind: identification, top: 10, rank: useful}\n")
    preview = ("publish", "--preview", "--data", data, "--at", "2026-11-21T00:00:00Z", "--reproduce", "--recipes", recipes)
    assert run(*preview).stdout == "toxic: 10 entries, 10 added, 0 removed\n"
    assert "Leave out --serial" in run(*preview, "--serial", 7, code=2).stderr
    assert "Publication 1" in run("publish", "--data", data, "--at", "2026-11-21T00:00:00Z", "--reproduce").stdout
    manifest = publications.check(data / "publications")
    toxic = next(pack for pack in manifest["packs"] if pack["name"] == "toxic")
    path = data / "publications" / toxic["path"]
    assert toxic["entries"] > 20
    lines = run(*preview).stdout.splitlines()
    assert lines[0] == f"toxic: 10 entries, 0 added, {toxic['entries'] - 10} removed", lines
    # Packs that the recipes do not have any more.
    gone = [f"{pack['name']}: 0 entries, 0 added, {pack['entries']} removed" for pack in manifest["packs"] if pack != toxic]
    assert sorted(lines[1:]) == sorted(gone)
    run("pack", "verify", path)
    numbers = [int(line.split("\t")[0]) for line in run("pack", "dump", path, "--format", "tsv").stdout.splitlines()]
    assert len(numbers) == toxic["entries"]
    assert numbers == sorted(set(numbers))
    assert (numbers[0], numbers[-1]) == (toxic["first"], toxic["last"])


def test_a_first_import_gives_the_same_publication_as_a_later_one(tmp_path):
    """Into an empty database, tables are filled at once; into a filled one, batch by batch."""
    rows = tmp_path / "rows.tsv"
    rows.write_text("".join(
        f"2026-11-{row % 19 + 1:02}\t201555{1_000 + row * row % 61}\t201\n" for row in range(1_500)))
    nothing, one = tmp_path / "nothing.jsonl", tmp_path / "one.jsonl"
    nothing.write_text("")
    one.write_text('{"number": "+33199000101", "category": "fraud", "reported_at": "2026-11-05T10:00:00Z"}\n')
    packs = []
    for name, files in [("first", [nothing, rows, one]), ("later", [one, rows])]:
        data = tmp_path / name
        for file in files:
            run("import", "complaints", file, "--format", "ftc-tsv" if file == rows else "jsonl", "--data", data)
        assert "no differences" in run("recount", "--data", data).stdout
        run("publish", "--data", data, "--at", "2026-11-21T00:00:00Z", "--reproduce", "--min-size", 0)
        manifest = publications.check(data / "publications")
        packs.append({pack["name"]: (data / "publications" / pack["path"]).read_bytes() for pack in manifest["packs"]})
        assert any(pack["entries"] > 20 for pack in manifest["packs"])
    assert packs[0] == packs[1]


def test_rejected_lines_are_kept_with_their_reasons(tmp_path):
    good = '{"number":"+12015550123","category":"fraud","reported_at":"2026-11-01T00:00:00Z"}'
    lines = [good, good.replace("fraud", "spam"), good.replace("+12015550123", "911"), "{"]
    rejects = tmp_path / "rejects.tsv"
    done = run("import", "complaints", "-", "--format", "jsonl", "--data", tmp_path / "data", "--rejects", rejects,
               text="\n".join(lines))
    assert "1 accepted: 1 new" in done.stdout
    assert [line.split("\t")[:2] for line in rejects.read_text().splitlines()] == [
        ["2", "unknown_category"], ["3", "needs_region"], ["4", "bad_json"]]


def test_wrong_usage_bad_data_and_unreadable_files_have_their_exit_codes(tmp_path):
    data = tmp_path / "data"
    run("--help")
    assert "unknown" in run("serve", "--nonsense", code=2).stderr.lower()
    assert "The option --because is now --reason." in run("thresholds", "set", "--because", "x", code=2).stderr
    assert run("decide", "+33199000248", "--blok", "--by-program", "Ada", code=2).stderr == (
        "Error: Unknown option '--blok'. List the options with: ringfence decide --help\n")
    assert "List the options with: ringfence thresholds set --help" in run(
        "thresholds", "set", "--reson=x", "--reason", "x", code=2).stderr
    assert "Pass one of --block" in run("decide", "+33199000248", "--by-program", "Ada", "--reason=--blok", code=2).stderr
    run("import", "complaints", "x", "--format", "xls", "--data", data, code=2)
    run("publish", "--at", "soon", "--data", data, code=2)
    run("publish", "--at", "1970-01-01T00:00:00Z", "--data", data, code=2)
    run("import", "complaints", tmp_path / "absent", "--format", "jsonl", "--data", data, code=3)
    broken = tmp_path / "broken.rfpack"
    broken.write_bytes(b"nonsense")
    run("pack", "verify", broken, code=1)
    run("pack", "verify", tmp_path / "absent", code=3)


def empty_pack(more=b""):
    """A pack without entries, with bytes that no rule allows before its index."""
    data = bytearray((CHECKOUT / "Tests/CallerPackTests/Golden/empty.rfpack").read_bytes() + more)
    data[120:124] = len(data).to_bytes(4, "little")
    data[124:128] = zlib.crc32(data[:124]).to_bytes(4, "little")
    return data


def test_verify_names_each_invalid_pack_and_goes_on(tmp_path):
    good, broken, gap, absent = (tmp_path / name for name in ("good", "broken", "gap", "absent"))
    good.write_bytes(empty_pack())
    broken.write_bytes(b"nonsense")
    gap.write_bytes(empty_pack(b"\0"))
    done = run("pack", "verify", broken, gap, absent, good, code=1)
    assert done.stdout == f"{good}: 0 entries, valid\n"
    lines = done.stderr.splitlines()
    assert [line.split(": ")[1] for line in lines[:2]] == [str(broken), str(gap)]
    assert "there are bytes between the dictionary and the index" in lines[1] and str(absent) in lines[2]
    assert run("pack", "verify", absent, good, code=3).stdout == done.stdout


@pytest.mark.parametrize("kind", ["blocking", "identification"])
def test_a_build_that_is_ended_leaves_no_file(tmp_path, kind):
    out = tmp_path / "list.rfpack"
    out.write_bytes(b"the former pack")
    label = "" if kind == "blocking" else "\tA survey"
    with subprocess.Popen([BINARY, "pack", "build", "--in", "-", "--out", out, "--kind", kind], stdin=subprocess.PIPE, env=environment()) as build:
        # More than a pipe holds, so that the program has read a part of it when this returns.
        build.stdin.write("".join(f"{6_434_000_000 + number}{label}\n" for number in range(100_000)).encode())
        build.stdin.flush()
        build.terminate()
        assert build.wait(timeout=60) == -signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["list.rfpack"]
    assert out.read_bytes() == b"the former pack"


def test_commands_join_a_running_server(make_server, complaints):
    server = make_server()
    assert server.data.exists()
    # The steps after a first start.
    assert "ringfence account add NAME --role administrator" in server.said
    run("import", "complaints", complaints, "--format", "jsonl", "--data", server.data)
    run("publish", "--data", server.data)
    # The running server's address, whatever the settings' defaults are.
    link = run("sign-in-link", "Ada", "--data", server.data).stdout
    assert link.startswith(f"{server.address}/sign-in?token=")
    for address in ("javascript:alert(1)", "example.org", "https://", "https://x.example/p?x=1", "https://u:p@x.example", "https://x.example:99999"):
        said = run("sign-in-link", "Ada", "--data", server.data, "--url", address, code=2).stderr
        assert "--url" in said and "https://ringfence.example" in said, said
    assert run("app", "create", "Phone", "--data", server.data).stdout.startswith("rf_")
    # The address of a server that was killed leads nowhere.
    server.signal(signal.SIGKILL)
    server.ended()
    link = run("sign-in-link", "Ada", "--data", server.data).stdout
    assert link.startswith("http://127.0.0.1:8080/sign-in?token=")


def test_a_port_that_is_taken_is_named(make_server, tmp_path):
    server = make_server()
    said = run("serve", "--port", server.port, "--data", tmp_path / "data", code=1).stderr
    assert f"Cannot listen on port {server.port} of 127.0.0.1: Address already in use." in said


def test_a_device_is_not_replaced_by_rejected_lines(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    run("import", "complaints", "-", "--format", "jsonl", "--data", tmp_path / "data", "--rejects", pipe, text="{", code=3)
    assert pipe.is_fifo()
    said = run(
        "import", "complaints", "-", "--format", "jsonl", "--data", tmp_path / "data", "--rejects", "/dev/null", text="{").stdout
    assert "1 rejected" in said and Path("/dev/null").is_char_device()


def test_simulated_complaints_go_through_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    run("simulate", "--complaints", 3, "--out", tmp_path / "link")
    assert len((tmp_path / "file").read_text().splitlines()) == 3
    assert (tmp_path / "link").is_symlink()


def test_healthcheck_says_no_where_nobody_answers():
    done = subprocess.run(
        [BINARY, "healthcheck", "--url", "http://127.0.0.1:9/healthz"], capture_output=True, text=True,
        env=environment(), timeout=60)
    assert done.returncode == 1 and "No server answers" in done.stderr
