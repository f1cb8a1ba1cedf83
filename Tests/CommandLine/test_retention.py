"""Ringfence over years: repeated imports, retention, missing folders."""

import itertools
import json
import subprocess
import time
from pathlib import Path

import pytest

from ringfence_server import BENCHMARK, BINARY, CHECKOUT, environment


def run(*arguments, code=0, **variables):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, env=environment() | variables, timeout=300)
    assert done.returncode == code, f"{arguments}\n{done.stdout}{done.stderr}"
    return done


def test_a_list_that_comes_again_after_its_months_were_dropped_counts_once(make_server, tmp_path):
    path = tmp_path / "list.jsonl"
    with path.open("w") as file:
        for days in [600, 500, 30, 20]:
            at = time.strftime("%FT%TZ", time.gmtime(time.time() - days * 86_400))
            file.write(json.dumps({"number": "+12015550123", "category": "fraud", "reported_at": at}) + "\n")
    server = make_server()
    server.run("import", "complaints", str(path), "--format", "jsonl")
    server.signal(15)
    assert server.ended() == 0
    server.arguments = ["--report-months", "13"]
    server.start()
    assert server.query("SELECT reports FROM numbers") == [["4"]]
    said = server.run("import", "complaints", str(path), "--format", "jsonl", "--rejects", str(tmp_path / "rejects"))
    assert "2 accepted: 0 new, 2 already stored" in said and "date_before_retention 2" in said
    [[before]] = server.query("SELECT to_char(dropped_before AT TIME ZONE 'UTC', 'YYYY-MM-DD') FROM report_retention")
    assert f"the date is before {before}T00:00:00Z" in said
    assert [line.split("\t")[1] for line in (tmp_path / "rejects").read_text().splitlines()] == [
        "date_before_retention"] * 2
    assert server.query("SELECT reports FROM numbers") == [["4"]]
    server.close()


def test_months_that_were_dropped_too_young_are_named(make_server):
    server = make_server()

    def said(*arguments, code=0):
        return run(*arguments, "--data", server.data, code=code)

    def examine(code):
        findings = {one["what"]: one for one in json.loads(said("doctor", "--json", code=code).stdout)}
        return findings["dropped reports"]

    def day(days):
        return time.strftime("%FT00:00:00Z", time.gmtime(time.time() + days * 86_400))

    assert examine(0)["state"] == "ok"
    assert "No reports were deleted" in said("retention", "show").stdout
    server.query(f"INSERT INTO report_retention (only_row, dropped_before) VALUES (true, '{day(-420)}')")
    assert examine(0)["state"] == "ok"
    shown = said("retention", "show").stdout
    assert day(-420) in shown and "clock" not in shown
    # Simulates that all months until a future time were dropped.
    server.query(f"UPDATE report_retention SET dropped_before = '{day(30)}'")
    found = examine(1)
    assert found["state"] == "bad" and day(30) in found["found"] and "backup" in found["advice"]
    shown = said("retention", "show").stdout
    assert day(30) in shown and "a clock was wrong" in shown
    server.close()


# The options that each command needs besides --data to reach its data; add new commands here.
REFUSING = {
    "publish": [], "migrate": [], "upgrade-postgresql": [], "revoke": ["+12015550123", "--reason", "x", "--by-program", "Ada"],
    "explain": ["+12015550123"], "decide": ["+12015550123", "--allow", "--reason", "x", "--by-program", "Ada"],
    "decisions": ["+12015550123"], "holds": [], "queue sweep": [], "queue list": [],
    "queue show": ["+12015550123"], "notify": [],
    "protect import": ["LIST"], "protect check": ["+12015550123"],
    "protect add": ["+12015550123", "--reason", "x"], "protect list": [], "protect remove": ["+12015550123"],
    "reporters recount": [], "prefixes detect": [], "prefixes list": [],
    "prefixes approve": ["+1201555012x", "--by-program", "Ada"], "prefixes reject": ["+1201555012x", "--by-program", "Ada"],
    "prefixes add": ["+1201555012x", "--reason", "x"], "prefixes remove": ["+1201555012x"], "prefixes of": ["+12015550123"],
    "prefixes import": ["fr-arcep"], "appeals file": ["+12015550123", "--statement", "x"],
    "appeals list": [], "appeals answer": ["+12015550123", "--uphold", "--by-program", "Ada"],
    "thresholds show": [], "thresholds history": [],
    "thresholds set": ["--category", "fraud", "--enter-heat", "3", "--reason", "x"],
    "thresholds preview": ["--category", "fraud", "--enter-heat", "3"],
    "sources list": [], "sources set": ["x", "--days", "2", "--reason", "x"],
    "sources preview": ["x", "--days", "2"], "sources status": [], "sources refresh": ["x"], "sources remove": ["x"],
    "sources resume": ["x"],
    "keys rotate": [], "keys list": [], "keys export": [],
    "regions load": [Path(CHECKOUT) / "Resources/regions-us.tsv"], "regions list": [], "regions of": ["+12015550123"],
    "numbering show": [], "numbering check": [], "numbering update": [Path(CHECKOUT) / "Resources/NumberingPlans/plans.txt"],
    "app create": ["x"], "app list": [], "app keys": [], "app rotate": ["x"], "app revoke": ["1"],
    "app attestation": ["x"], "app failed-calls": ["x", "label"], "app history": ["x", "LIST"], "app scopes": ["1", "report"], "app withdraw": ["1", "--since", "2026-11-01T00:00:00Z", "--reason", "x"],
    "account list": [], "account add": ["x"], "account role": ["x", "triage"], "account disable": ["x"],
    "account enable": ["x"], "account reset": ["x"], "sign-in-link": ["Ada"],
    "report statements": ["--from", "2026-01-01", "--to", "2026-12-31"],
    "report transparency": ["--from", "2026-01-01", "--to", "2026-12-31"],
    "rights code": ["+12015550123"], "rights show": ["+12015550123"],
    "rights suppress": ["+12015550123", "--reason", "x"], "rights repeat": [], "rights finish": [],
    "cluster plan": ["--survey"], "recipes show": [], "retention show": [], "recount": [], "doctor": [], "backup": ["BACKUP"],
}
# Commands that store the first data of a folder, read only an optional file of it, or first require a key.
# `sources catalog` and `protect catalog` read no data folder.
MAKING = {
    "serve", "import complaints", "import directory", "restore", "keys create", "sources add", "sources catalog",
    "protect catalog",
}
# The same for ringfence-benchmark.
BENCHMARK_REFUSING = {"pages": []}
BENCHMARK_MAKING = {
    "mixed", "fill", "intake", "assemble", "curation replay",
}


def commands_with_data(command, path=()):
    """The paths of all commands with --data, from the program's dump of its help."""
    inner = [sub for sub in command.get("subcommands") or [] if sub["commandName"] != "help"]
    for sub in inner:
        yield from commands_with_data(sub, (*path, sub["commandName"]))
    names = {name["name"] for argument in command.get("arguments") or [] for name in argument.get("names") or []}
    if "data" in names and not inner:
        yield " ".join(path)


@pytest.mark.parametrize("binary, refusing, making", [
    pytest.param(BINARY, REFUSING, MAKING, id="ringfence"),
    pytest.param(BENCHMARK, BENCHMARK_REFUSING, BENCHMARK_MAKING, id="benchmark", marks=pytest.mark.slow)])
def test_a_mistyped_data_folder_is_refused_and_stays_as_it_was(binary, refusing, making, tmp_path, tmp_path_factory):
    dumped = subprocess.run([binary, "--experimental-dump-help"], capture_output=True, env=environment(), check=True)
    # `account tie` asks for the setting oidc-issuer first.
    commands = set(commands_with_data(json.loads(dumped.stdout)["command"])) - {"account tie"}
    assert commands - making == set(refusing), "say in REFUSING what the command needs, or in MAKING that it makes one"
    absent, other = tmp_path / "absent", tmp_path / "other"
    other.mkdir()
    # Half of the commands get a folder that is absent, the others one that is empty.
    for (command, arguments), folder in zip(refusing.items(), itertools.cycle([absent, other])):
        places = {"BACKUP": tmp_path / "backup", "LIST": tmp_path_factory.mktemp("list") / "list"}
        places["LIST"].write_text("+12015550123\n")
        arguments = [places.get(argument, argument) if isinstance(argument, str) else argument for argument in arguments]
        done = subprocess.run(
            [binary, *command.split(), *map(str, arguments), "--data", str(folder)], capture_output=True, text=True,
            env=environment(), timeout=60)
        assert done.returncode in (1, 3), f"{command}: {done.returncode} {done.stdout}{done.stderr}"
        words = ["There is no database in", "There is no data folder", "There is no signing key"]
        assert any(word in done.stderr for word in words), f"{command}: {done.stderr}"
        assert not absent.exists() and not any(other.iterdir()), command
        assert {path.name for path in tmp_path.iterdir()} == {"other"}, command


def test_backups_at_once_leave_each_other_alone(make_server, tmp_path):
    server = make_server()
    server.run("import", "complaints", "/dev/null", "--format", "jsonl")
    # The file of a backup that was interrupted or is running.
    other = tmp_path / "one.tar.partial"
    other.mkdir()
    (other / "database.dump").write_text("half")
    backups = [
        subprocess.Popen(
            [BINARY, "backup", str(tmp_path / "one.tar"), "--data", str(server.data)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment())
        for _ in range(3)]
    said = [(*backup.communicate(timeout=300), backup.returncode) for backup in backups]
    assert sorted(code for _, _, code in said) == [0, 3, 3], said
    for output, error, code in said:
        assert code == 0 or "in the meantime" in error or "exists already" in error, error
    listed = subprocess.run(["tar", "--list", f"--file={tmp_path / 'one.tar'}"], capture_output=True, text=True)
    assert listed.returncode == 0 and "./backup.json" in listed.stdout
    assert (other / "database.dump").read_text() == "half"
    assert {path.name for path in tmp_path.iterdir()} == {"one.tar", "one.tar.partial"}
    server.close()
