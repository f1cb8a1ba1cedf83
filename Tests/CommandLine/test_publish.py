"""Publishing on the command line: gates and overruling, keys and rotation, the schedule of a server."""

import json
import os
import stat
import subprocess

import pytest

from publications import check, manifest
from ringfence_server import BINARY, environment
from waiting import wait_until

OPEN = ["--min-size", "0", "--max-size", "100000", "--max-churn", "100000"]


def run(*arguments, code=0, **variables):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, env=environment() | variables, timeout=300)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def server(make_server, tmp_path_factory):
    """A running server with complaints and without a publication."""
    server = make_server()
    complaints = tmp_path_factory.mktemp("complaints") / "complaints.jsonl"
    run("simulate", "--seed", 7, "--complaints", 20_000, "--out", complaints)
    server.run("import", "complaints", str(complaints), "--format", "jsonl")
    yield server
    server.close()


def fetch(server, out, key):
    return run("fetch", f"file://{server.data}/publications", "--key", key, "--out", out)


def test_gates_keys_and_rotation(server, tmp_path):
    data, folder = server.data, server.data / "publications"
    (tmp_path / "new").mkdir()
    for command in ["list", "export", "rotate"]:
        assert "There is no signing key" in run("keys", command, "--data", tmp_path / "new", code=1).stderr
    assert not any((tmp_path / "new").iterdir())
    assert "There is no root yet" in run("keys", "list", "--data", data).stdout
    assert "Publication 1" in run("publish", "--data", data, "--top", 50).stdout
    first = check(folder)
    assert stat.S_IMODE(os.stat(data / "signing.key").st_mode) == 0o600
    key = run("keys", "export", "--data", data).stdout.strip()
    assert json.loads(run("keys", "export", "--root", "--data", data).stdout)["payloadType"].endswith("root+json")
    fetch(server, tmp_path / "out", key)

    # A gate refuses it until an operator overrules the gate.
    strict = ["publish", "--data", data, "--max-churn", 1, "--tolerance", 5]
    held = run(*strict, code=4)
    assert "churn (blocklist)" in held.stderr and "The previous publication stays in place" in held.stderr
    assert manifest(folder) == first
    assert run(*strict, "--overrule", "churn", code=2).stderr
    assert "cannot be overruled" in run(*strict, "--overrule", "protected", "--reason", "x", "--by-program", "y", code=2).stderr
    words = ["--reason", "More room", "--by-program", "Ada"]
    run(*strict, "--overrule", "churn", "--overrule", "size", *words)
    assert check(folder)["previous"]["serial"] == first["serial"]
    assert server.query("SELECT DISTINCT overruled_by FROM publication_gates WHERE NOT passed AND serial = 3") == [["Ada"]]

    # A reader with the old key accepts the new one.
    rotated = run("keys", "rotate", "--data", data).stdout
    assert "Root 2" in rotated
    assert run("keys", "export", "--data", data).stdout.strip() in rotated
    fetch(server, tmp_path / "late", key)
    run("publish", "--data", data, *OPEN, "--top", 50)
    fetch(server, tmp_path / "out", key)
    assert not (data / "signing.key.next").exists()

    # A key that no root lists cannot sign.
    stranger = tmp_path / "stranger.key"
    run("keys", "create", "--out", stranger)
    assert stat.S_IMODE(stranger.stat().st_mode) == 0o600
    refused = run("publish", "--data", data, code=1, RINGFENCE_SIGNING_KEY_FILE=str(stranger))
    assert "is not in root 2" in refused.stderr


def test_a_time_that_is_over_is_refused_and_reproduced(server):
    data = server.data
    said = run("publish", "--data", data, "--at", "2024-02-29T03:00:00Z", code=2).stderr
    assert "2024-03-02T03:00:00Z" in said and "--reproduce" in said
    run("publish", "--data", data, *OPEN)
    assert run("publish", "--data", data, "--serial", "1", code=1).stderr.startswith("Error: The serial 1 is already used")


def test_a_refused_publication_keeps_names_that_a_recipe_lacks(server, tmp_path):
    """A number that reports or decisions do not list keeps its name; one that is protected leaves."""
    names = tmp_path / "names.csv"
    names.write_text("phone,name\n+12015550147,Bakery\n+12015550148,School\n+12015550149,Bank\n")
    server.run("import", "directory", str(names), "--source", "names")
    run("publish", "--data", server.data, *OPEN)
    server.run("decide", "+12015550148", "--allow", "--reason", "A school.", "--by-program", "Ada")
    server.run("protect", "add", "+12015550149", "--reason", "A bank")
    recipes = tmp_path / "recipes.yaml"
    recipes.write_text("recipes:\n  - {name: blocklist, kind: blocking, top: 1999999}\n")
    strict = ["publish", "--data", server.data, "--recipes", recipes, "--tolerance", 0]
    assert "non-empty" in run(*strict, code=4).stderr
    pack = next(pack for pack in manifest(server.data / "publications")["packs"] if pack["name"] == "directory-us")
    said = run("pack", "dump", server.data / "publications" / pack["path"], "--format", "tsv").stdout
    assert [line.split("\t")[0] for line in said.splitlines()] == ["12015550147", "12015550148"]


def test_a_server_publishes_the_night_that_was_missed(make_server, tmp_path):
    server = make_server()
    complaints = tmp_path / "complaints.jsonl"
    run("simulate", "--seed", 7, "--complaints", 20_000, "--out", complaints)
    server.run("import", "complaints", str(complaints), "--format", "jsonl")
    folder = server.data / "publications"
    assert not (folder / "manifest.json").exists()
    server.close()
    server.arguments = ("--publish-at", "03:00", "--time-zone", "Europe/Berlin")
    server.start()
    wait_until(lambda: (folder / "manifest.json").exists(), 60, lambda: f"a publication:\n{server.log.read_text()}")
    assert check(folder)["serial"] == 1
    wait_until(
        lambda: server.query("SELECT cause, state FROM publications") == [["schedule", "published"]], 30, "the record")
    assert run("serve", "--publish-at", "25:00", code=2).stderr
    server.close()


@pytest.mark.parametrize("arguments", [[], ["--publish-at", "03:00"]])
def test_an_empty_installation_publishes_an_empty_list(make_server, arguments):
    server = make_server(*arguments)
    folder = server.data / "publications"
    if arguments:
        wait_until(lambda: (folder / "manifest.json").exists(), 60, lambda: f"a publication:\n{server.log.read_text()}")
        wait_until(lambda: "no_source, no_app, no_report" in server.log.read_text(), 30, "the reasons in the log")
    else:
        said = server.run("publish")
        assert "Publication 1" in said and "blocklist-1.rfpack: 0 numbers" in said
        assert "The list is empty. There is no source." in said and "There is no app." in said
    assert check(folder)["serial"] == 1
    cause = "schedule" if arguments else "command"
    wait_until(
        lambda: server.query("SELECT cause, state FROM publications") == [[cause, "published"]], 30, "the record")
    server.close()
