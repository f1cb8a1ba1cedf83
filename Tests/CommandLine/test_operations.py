"""Backup, restore and the doctor for operators."""

import fcntl
import http.client
import json
import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
import threading
import time
import uuid
from pathlib import Path

import pytest

import publications
from ringfence_server import BINARY, CHECKOUT, RingfenceServer, environment
from waiting import wait_until

OPEN = ["--min-size", "0", "--max-size", "100000", "--max-churn", "100000"]


def run(*arguments, code=0, **variables):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, env=environment() | variables, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def filled(make_server, tmp_path_factory):
    """A running server with complaints, decisions and two publications."""
    server = make_server()
    complaints = tmp_path_factory.mktemp("complaints") / "complaints.jsonl"
    run("simulate", "--seed", 7, "--complaints", 5_000, "--out", complaints)
    server.run("import", "complaints", str(complaints), "--format", "jsonl")
    server.run("decide", "+33199000248", "--identify", "A shop", "--reason", "It is one.", "--by-program", "Ada")
    server.run("protect", "add", "+49116xxx", "--reason", "Charities")
    (server.data / "recipes.yaml").write_bytes((CHECKOUT / "Resources/recipes.yaml").read_bytes())
    server.run("publish", *OPEN)
    server.run("publish", *OPEN)
    yield server
    server.close()


def rows(server, table):
    return server.query(f"SELECT * FROM {table} ORDER BY 1, 2")


def test_what_was_saved_comes_back_elsewhere_and_goes_on(filled, tmp_path):
    backup = tmp_path / "backup.tar"
    assert "rows" in run("backup", backup, "--data", filled.data).stdout
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert "exists already" in run("backup", backup, "--data", filled.data, code=3).stderr
    before = publications.check(filled.data / "publications")

    restored = RingfenceServer(tmp_path)
    said = run("restore", backup, "--data", restored.data).stdout
    assert f"publication {before['serial']}, all checks passed" in said
    assert "not empty" in run("restore", backup, "--data", restored.data, code=1).stderr
    for name in ["pseudonym.key", "signing.key"]:
        if (filled.data / name).exists():
            assert (restored.data / name).read_bytes() == (filled.data / name).read_bytes()
            assert stat.S_IMODE((restored.data / name).stat().st_mode) == 0o600
    assert (restored.data / "recipes.yaml").read_bytes() == (filled.data / "recipes.yaml").read_bytes()
    key = run("keys", "export", "--data", filled.data).stdout.strip()
    out = tmp_path / "out"
    run("fetch", f"file://{filled.data}/publications", "--key", key, "--out", out)
    restored.start()
    try:
        for table in ["numbers", "number_reporters", "number_decisions", "protected_patterns", "listings"]:
            assert rows(restored, table) == rows(filled, table), table
        assert len(rows(restored, "publications")) == len(rows(filled, "publications")) + 1
        # The chain continues: a client that saw a later publication of the old server gets the next one of the new server.
        filled.run("publish", *OPEN)
        filled.run("publish", *OPEN)
        run("fetch", f"file://{filled.data}/publications", "--key", key, "--out", out)
        assert publications.manifest(out / "current")["serial"] == before["serial"] + 2
        restored.run("publish", *OPEN)
        after = publications.check(restored.data / "publications")
        assert f"The next publication has the serial {after['serial']}." in said
        assert after["serial"] > before["serial"] + 86_400 and after["previous"]["serial"] == after["serial"] - 1
        run("fetch", f"file://{restored.data}/publications", "--key", key, "--out", out)
        assert "recounted: no differences" in restored.run("recount")
    finally:
        restored.close()


def test_a_backup_that_is_made_under_load_restores_without_extensions(make_server, tmp_path):
    server = make_server()
    as_superuser = server.dsn.replace("user=ringfence", "user=postgres")
    subprocess.run(["psql", "--quiet", "--command=CREATE EXTENSION pg_trgm", as_superuser], check=True, env=environment())
    stop, imported = threading.Event(), []

    def write():
        while not stop.is_set():
            file = tmp_path / f"{len(imported)}.jsonl"
            run("simulate", "--seed", len(imported), "--complaints", 2_000, "--out", file)
            server.run("import", "complaints", str(file), "--format", "jsonl")
            imported.append(file)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        wait_until(lambda: len(imported) > 1, 120, "reports")
        before = int(server.query("SELECT count(*) FROM reports")[0][0])
        run("backup", tmp_path / "backup", "--data", server.data)
        count = len(imported)
        wait_until(lambda: len(imported) > count, 120, "reports after the backup")
    finally:
        stop.set()
        writer.join()
    after = int(server.query("SELECT count(*) FROM reports")[0][0])
    saved = json.loads((tmp_path / "backup/backup.json").read_text())
    assert before <= saved["tables"]["reports"] < after and saved["isOfOneMoment"]
    # Partitions are counted with their table.
    assert not [name for name in saved["tables"] if name.startswith("reports_")]
    assert saved["tables"]["accounts"] == 0
    restored = RingfenceServer(tmp_path)
    assert "all checks passed" in run("restore", tmp_path / "backup", "--data", restored.data).stdout
    restored.start()
    try:
        assert restored.query("SELECT count(*) FROM reports") == [[str(saved["tables"]["reports"])]]
        assert restored.query("SELECT extname FROM pg_extension") == [["plpgsql"]]
    finally:
        restored.close()
        server.close()


def test_a_backup_of_a_cluster_is_repaired_by_its_restore(filled, tmp_path):
    """Its tables are of different moments, so that sums may differ from their reports."""
    filled.query("CREATE DATABASE moments")
    try:
        dsn = filled.dsn.replace("dbname=ringfence", "dbname=moments")
        run("backup", tmp_path / "whole", "--no-keys", "--data", filled.data)
        run("restore", tmp_path / "whole", "--data", tmp_path / "copy", DATABASE_URL=dsn)
        (number,), *_ = filled.query("SELECT number FROM numbers ORDER BY reports DESC LIMIT 1")
        subprocess.run(
            ["psql", "--quiet", f"--command=UPDATE numbers SET reports = reports + 1 WHERE number = {number}", dsn],
            check=True, env=environment())
        run("backup", tmp_path / "torn", "--no-keys", "--data", tmp_path / "copy", DATABASE_URL=dsn)
        assert "differ from the reports" in run(
            "restore", tmp_path / "torn", "--data", tmp_path / "one", code=1).stderr
        manifest = json.loads((tmp_path / "torn/backup.json").read_text())
        (tmp_path / "torn/backup.json").write_text(json.dumps(manifest | {"isOfOneMoment": False}))
        said = run("restore", tmp_path / "torn", "--data", tmp_path / "two").stdout
        assert "sums of 1 number were corrected" in said
        assert "no differences" in run("recount", "--data", tmp_path / "two").stdout
    finally:
        filled.query("DROP DATABASE moments WITH (FORCE)")


def test_a_backup_can_be_made_from_a_folder_that_its_account_cannot_enter():
    # As with sudo -u in a home folder. Root enters every folder, so it uses another account.
    who = pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    extra = {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="ringfence-") as folder:
        os.chown(folder, who.pw_uid, who.pw_gid)
        variables = {"env": environment() | {"HOME": folder}, "cwd": folder, "text": True, **extra}
        with subprocess.Popen(
                [BINARY, "serve", "--data", f"{folder}/data", "--port", "0"], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, **variables) as server:
            assert any(line.startswith("Listening") for line in server.stdout)
            script = 'mkdir home && cd home && chmod 0 "$1" && trap \'chmod 700 "$1"\' EXIT && "$0" backup "$2" --data "$3"'
            done = subprocess.run(
                ["sh", "-c", script, BINARY, f"{folder}/home", f"{folder}/backup.tar", f"{folder}/data"],
                capture_output=True, timeout=300, **variables)
            server.terminate()
        assert done.returncode == 0 and Path(folder, "backup.tar").exists(), done.stdout + done.stderr


def test_a_restore_skips_the_serials_up_to_a_given_one(filled, tmp_path):
    backup = tmp_path / "backup.tar"
    run("backup", backup, "--data", filled.data)
    saved = publications.check(filled.data / "publications")["serial"]
    for floor, code, words in [
        (saved - 1, 1, f"--serial-floor is {saved - 1}, but the backup has the serial {saved}. Pass {saved} or more."),
        (0, 2, "--serial-floor is 0. Use 1 to 4503599627370496."),
        (2**63 - 1, 2, "--serial-floor is 9223372036854775807. Use 1 to 4503599627370496."),
    ]:
        said = run("restore", backup, "--serial-floor", floor, "--data", tmp_path / "data", code=code).stderr
        assert words in said and not (tmp_path / "data").exists()

    # A client has seen a later publication of the old server.
    filled.run("publish", *OPEN)
    seen = publications.check(filled.data / "publications")["serial"]
    assert seen > saved
    key = run("keys", "export", "--data", filled.data).stdout.strip()
    out = tmp_path / "out"
    run("fetch", f"file://{filled.data}/publications", "--key", key, "--out", out)
    restored = RingfenceServer(tmp_path)
    said = run("restore", backup, "--serial-floor", seen, "--data", restored.data).stdout
    restored.run("publish", *OPEN)
    after = publications.check(restored.data / "publications")
    assert f"The next publication has the serial {after['serial']}." in said
    # Only the one that the next publication names as previous is skipped besides.
    assert after["serial"] == seen + 2 and after["previous"]["serial"] == seen + 1
    run("fetch", f"file://{restored.data}/publications", "--key", key, "--out", out)
    assert publications.manifest(out / "current")["serial"] == after["serial"]


def test_a_folder_without_keys_and_a_database_elsewhere(filled, tmp_path):
    backup = tmp_path / "backup"
    assert "contains no keys" in run("backup", backup, "--no-keys", "--data", filled.data).stdout
    assert stat.S_IMODE(backup.stat().st_mode) == 0o700 and not (backup / "keys").exists()
    filled.query("CREATE DATABASE elsewhere")
    dsn = filled.dsn.replace("dbname=ringfence", "dbname=elsewhere")
    said = run("restore", backup, "--data", tmp_path / "data", DATABASE_URL=dsn).stdout
    assert "all checks passed" in said and "has no keys" in said
    run("restore", backup, "--data", tmp_path / "other", DATABASE_URL=dsn, code=1)


def test_damage_is_found_before_anything_is_written(filled, tmp_path):
    backup = tmp_path / "backup"
    run("backup", backup, "--data", filled.data)
    whole = json.loads((backup / "backup.json").read_text())

    def refused(words):
        said = run("restore", backup, "--data", tmp_path / "data", code=1).stderr
        assert words in said and not (tmp_path / "data").exists()

    dump = (backup / "database.dump").read_bytes()
    (backup / "database.dump").write_bytes(dump[:-1] + bytes([dump[-1] ^ 1]))
    refused("database.dump of the backup is not what was saved")
    (backup / "database.dump").unlink()
    refused("missing")
    (backup / "database.dump").write_bytes(dump)
    outside = whole | {"files": whole["files"] + [whole["files"][0] | {"path": "../evil"}]}
    (backup / "backup.json").write_text(json.dumps(outside))
    refused("outside")
    (backup / "backup.json").write_text(json.dumps(whole | {"format": 2}))
    refused("format 2")
    (backup / "backup.json").unlink()
    assert "no backup.json" in run("restore", backup, "--data", tmp_path / "data", code=3).stderr


def test_every_secret_of_the_data_folder_is_saved():
    sources = "\n".join(path.read_text() for path in (CHECKOUT / "Sources").rglob("*.swift"))
    names = set(re.findall(r'\b(?:key|secret|replaceSecret|storedSecret)\("([a-z-]+(?:\.key|\.secret)|sample-end)"', sources))
    assert {"pseudonym.key", "account.key", "webhook.secret"} <= names
    saved = (CHECKOUT / "Sources/RingfenceCommand/Operations/BackupCommand.swift").read_text()
    assert not [name for name in names if f'"{name}"' not in saved]


def findings(data, code=0, **variables):
    done = run("doctor", "--json", "--data", data, code=code, **variables)
    return {line["what"]: line for line in json.loads(done.stdout)}


def test_the_doctor_sees_what_is_wrong(filled, tmp_path):
    lines = findings(filled.data)
    assert all(line["state"] != "bad" for line in lines.values()), lines
    assert lines["fsync"]["found"] == "on" and lines["publication"]["state"] == "ok"
    assert lines["protected numbers"]["state"] == "ok" and lines["schema"]["state"] == "ok"
    said = run("doctor", "--data", filled.data).stdout
    assert "ok       clock" in said

    key = filled.data / "pseudonym.key"
    if not key.exists():
        key = filled.data / "signing.key"
    os.chmod(key, 0o644)
    try:
        lines = findings(filled.data, code=1)
        assert re.match(r"[0-9]+\.[0-9.]+ of 20", lines["numbering plans"]["found"])
        line = lines[key.name]
        assert line["state"] == "bad" and f"chmod 600 {key}" in line["advice"]
    finally:
        os.chmod(key, 0o600)
    shutil.move(filled.data / "publications/manifest.json", tmp_path / "manifest.json")
    try:
        assert findings(filled.data, code=1)["publication"]["state"] == "bad"
    finally:
        shutil.move(tmp_path / "manifest.json", filled.data / "publications/manifest.json")
    assert findings(filled.data, code=1, DATABASE_URL="host=/nowhere dbname=x")["database"]["state"] == "bad"
    run("doctor", "--data", tmp_path / "absent", code=3)
    for command in (["doctor"], ["recount"], ["backup", tmp_path / "backup"], ["app", "list"]):
        assert "no database in" in run(*command, "--data", tmp_path, code=3).stderr
    assert not (tmp_path / "postgresql").exists()


def test_the_plan_for_a_cluster_names_every_table(filled):
    said = run("cluster", "plan", "--shards", 8).stdout
    tables = [name for (name,) in filled.query(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') "
        "AND NOT relispartition")]
    assert all(f"'{name}'" in said or f" {name}" in said for name in tables)
    assert "create_distributed_table('reports', 'number', colocate_with => 'numbers')" in said


def test_the_page_for_operators_can_be_typed(filled, tmp_path):
    page = (CHECKOUT / "Documentation/operations.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("ringfence ")]
    assert len(lines) >= 4
    for folder in ["backups", "srv"]:
        (tmp_path / folder).mkdir()
    today = time.strftime("%F")
    for line in lines:
        line = line.partition("#")[0].replace("/backups/", f"{tmp_path}/backups/").replace("/srv/", f"{tmp_path}/srv/")
        line = re.sub(r"\d{4}-\d{2}-\d{2}", today, line)
        if "--data" not in line and "cluster" not in line:
            line += f" --data {filled.data}"
        done = subprocess.run(
            ["bash", "-c", f'ringfence() {{ "{BINARY}" "$@"; }}; {line}'], capture_output=True, text=True,
            cwd=tmp_path, env=environment(), timeout=300)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    assert "create_distributed_table" in (tmp_path / "plan.sql").read_text()


def test_the_end_of_a_command_stops_no_database_under_another(tmp_path):
    server = RingfenceServer(tmp_path)
    lines = tmp_path / "complaints.jsonl"
    run("simulate", "--complaints", 100, "--out", lines)

    def importing(log):
        return subprocess.Popen(
            [BINARY, "import", "complaints", "-", "--format", "jsonl", "--data", str(server.data)], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=log.open("w"), env=environment())

    def is_joined():
        folder = os.open(server.data, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(folder)
        return False

    try:
        first = importing(tmp_path / "first")
        lock = server.data / "server.lock"
        wait_until(lambda: lock.exists() and lock.read_text().count("\n") == 2, 60, "the first command")
        second = importing(tmp_path / "second")
        wait_until(is_joined, 60, "the second command")
        first.stdin.write(lines.read_bytes())
        first.stdin.close()
        wait_until(lambda: "Waiting for another command" in (tmp_path / "first").read_text(), 60, "the first command to end")
        assert second.poll() is None and server.postgres_processes()
        second.communicate(lines.read_bytes(), timeout=60)
        assert second.returncode == 0, (tmp_path / "second").read_text()
        assert first.wait(timeout=60) == 0, (tmp_path / "first").read_text()
        assert not server.postgres_processes()
    finally:
        for command in (first, second):
            command.kill()
        server.close()


def test_a_new_pseudonym_key_makes_strangers(make_server, tmp_path):
    server = make_server()
    key = server.run("app", "create", "Phone").splitlines()[-1].split()[-1]

    def send(report_id):
        connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=60)
        connection.request(
            "POST", "/v1/reports", json.dumps({
                "number": "+12015550123", "category": "fraud", "reporter": "one", "report_id": report_id,
                "reported_at": said_at}),
            {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        return connection.getresponse().status

    said_at = time.strftime("%FT%TZ", time.gmtime(time.time() - 60))
    first, second = str(uuid.uuid4()), str(uuid.uuid4())
    assert [send(first), send(first)] == [201, 200]
    server.signal(15)
    assert server.ended() == 0
    (server.data / "pseudonym.key").write_text(os.urandom(32).hex() + "\n")
    server.start()
    assert [send(first), send(second)] == [409, 201]
    # The same person now counts as two reporters, and the aggregates are still consistent.
    assert server.query("SELECT reports, reporters FROM numbers") == [["2", "2"]]
    assert "recounted: no differences" in server.run("recount")
    server.close()


def test_another_account_key_does_not_start(make_server):
    server = make_server()
    server.signal(15)
    assert server.ended() == 0
    kept = (server.data / "account.key").read_text()
    (server.data / "account.key").write_text(os.urandom(32).hex() + "\n")
    server.launch()
    assert server.ended(60) == 1
    assert "The account key of this server does not match" in server.log.read_text()
    (server.data / "account.key").write_text(kept)
    server.start()
    server.close()
