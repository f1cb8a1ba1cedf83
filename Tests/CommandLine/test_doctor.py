"""Creates every fault that the doctor reports, and upgrades while servers of an older version run."""

import contextlib
import json
import os
import socket
import socketserver
import struct
import subprocess
import threading
import time

import pytest

from ringfence_server import BINARY, CHECKOUT, environment
from waiting import wait_until

OPEN = ["--min-size", "0", "--max-size", "100000", "--max-churn", "100000"]


def run(*arguments, code=0, **variables):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, env=environment() | variables, timeout=300)
    assert done.returncode == code, f"{arguments}\n{done.stdout}{done.stderr}"
    return done


def examine(data, **variables):
    """The doctor's lines by the name of the check."""
    done = subprocess.run(
        [BINARY, "doctor", "--json", "--data", str(data)], capture_output=True, text=True,
        env=environment() | variables, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    lines = {line["what"]: line for line in json.loads(done.stdout)}
    assert (done.returncode == 1) == any(line["state"] == "bad" for line in lines.values())
    assert all(line["advice"] for line in lines.values() if line["state"] != "ok")
    return lines


@pytest.fixture(scope="module")
def server(make_server, tmp_path_factory):
    """A running server with complaints and a publication."""
    server = make_server()
    complaints = tmp_path_factory.mktemp("complaints") / "complaints.jsonl"
    run("simulate", "--seed", 7, "--complaints", 5_000, "--out", complaints)
    server.run("import", "complaints", str(complaints), "--format", "jsonl")
    server.run("publish", *OPEN)
    yield server
    server.close()


def as_superuser(server, *statements):
    """Runs statements that the server's own role may not run."""
    dsn = server.dsn.replace("user=ringfence", "user=postgres")
    done = subprocess.run(
        ["psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", dsn, *(f"--command={each}" for each in statements)],
        capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def small_disk(path, options):
    """Mounts a file system of a limited size at `path`."""
    path.mkdir()
    if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


# Catalogs of Citus by their names alone, with two nodes that do not answer, and one place of a shard.
CATALOGS = [
    "CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql AS $$SELECT 'Citus'$$",
    "CREATE TABLE pg_dist_partition (logicalrelid regclass)",
    "CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text)",
    "CREATE TABLE pg_dist_placement (shardid bigint, groupid integer)",
    "CREATE TABLE pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text, isactive boolean,"
    " metadatasynced boolean, shouldhaveshards boolean)",
    "INSERT INTO pg_dist_node VALUES (0, 'here', 1, 'primary', true, true, true),"
    " (1, '/nowhere', 5432, 'primary', true, true, true), (2, '/unused', 5432, 'primary', true, true, false)",
    "INSERT INTO pg_dist_partition VALUES ('numbers')",
    "INSERT INTO pg_dist_shard VALUES ('numbers', 1, '0'), ('reports', 2, '0')",
    "INSERT INTO pg_dist_placement VALUES (1, 0), (2, 0), (2, 1)",
    "INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)"
    " VALUES (99999, 'citus', 10, 2200, false, '13.2-1')",
    "GRANT SELECT ON pg_dist_partition, pg_dist_shard, pg_dist_placement, pg_dist_node TO PUBLIC",
]


def test_the_nodes_of_a_cluster_are_examined(server, tmp_path):
    server.query("CREATE DATABASE trial")
    data = tmp_path / "data"
    try:
        dsn = server.dsn.replace("dbname=ringfence", "dbname=trial")
        run("migrate", "--data", data, DATABASE_URL=dsn)
        assert not [name for name in examine(data, DATABASE_URL=dsn) if name.startswith("node ")]
        done = subprocess.run(
            ["psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", dsn.replace("user=ringfence", "user=postgres"),
             *(f"--command={each}" for each in CATALOGS)], capture_output=True, text=True, env=environment())
        assert done.returncode == 0, done.stderr
        lines = examine(data, DATABASE_URL=dsn)
        nodes = sorted(name for name in lines if name.startswith("node "))
        assert nodes == ["node /nowhere:5432", "node here:1"]
        assert lines["node /nowhere:5432"]["state"] == "bad"
        assert "does not answer" in lines["node /nowhere:5432"]["found"]
        assert lines["node here:1"]["state"] == "ok" and lines["node here:1"]["found"] == "Citus 13.2-1, 1 shard"
        missing = lines["distributed tables"]
        assert missing["state"] == "bad" and "cluster plan --survey" in missing["advice"]
    finally:
        server.query("DROP DATABASE trial WITH (FORCE)")


def test_the_list_of_revoked_keys_is_examined(server, tmp_path):
    assert "attested phones" not in examine(server.data)
    listed, settings = tmp_path / "android-status.json", {"RINGFENCE_ATTESTATION_FILES": str(tmp_path)}
    missing = examine(server.data, **settings)["attested phones"]
    assert missing["state"] == "warning" and "is missing" in missing["found"] and "software" in missing["advice"]
    listed.write_text('{"entries": {"a1": {"status": "REVOKED"}}}')
    assert examine(server.data, **settings)["attested phones"]["found"] == "a list with 1 revoked key"
    old = time.time() - 31 * 86_400
    os.utime(listed, (old, old))
    assert examine(server.data, **settings)["attested phones"]["state"] == "warning"
    (tmp_path / "apple-roots.pem").write_text("none")
    wrong = examine(server.data, **settings)["attested phones"]
    assert wrong["state"] == "bad" and "has no certificate" in wrong["found"]


def test_a_full_disk_is_named(server, tmp_path):
    with small_disk(tmp_path / "disk", "size=2m") as disk:
        with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
        lines = examine(disk, DATABASE_URL=server.dsn)
        assert lines["data folder"]["state"] == "bad" and "No space left" in lines["data folder"]["found"]
        assert "Free space" in lines["data folder"]["advice"]
        assert lines["disk"]["state"] == "bad" and lines["disk"]["found"].startswith("0 MB of 2 MB")


def test_a_file_system_without_room_for_files_is_named(server, tmp_path):
    with small_disk(tmp_path / "disk", "size=50m,nr_inodes=20") as disk:
        lines = examine(disk, DATABASE_URL=server.dsn)
        assert lines["files"]["state"] == "bad" and "df -i" in lines["files"]["advice"]


def test_a_read_only_folder_is_named(server, tmp_path):
    with small_disk(tmp_path / "disk", "size=2m") as disk:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        lines = examine(disk, DATABASE_URL=server.dsn)
        assert lines["data folder"]["state"] == "bad" and "dmesg" in lines["data folder"]["advice"]


@pytest.mark.parametrize("options, what, words", [
    ("-c synchronous_commit=off", "synchronous_commit", "not yet on disk"),
    ("-c role=doctor_guest", "privileges", "GRANT CREATE"),
])
def test_a_connection_that_may_not_or_forgets_is_named(server, options, what, words):
    as_superuser(server, "CREATE ROLE doctor_guest", "GRANT doctor_guest TO ringfence",
                 "GRANT SELECT ON ALL TABLES IN SCHEMA public TO doctor_guest")
    try:
        line = examine(server.data, DATABASE_URL=f"{server.dsn} options='{options}'")[what]
        assert line["state"] == "bad" and words in line["advice"]
    finally:
        as_superuser(server, "DROP OWNED BY doctor_guest", "DROP ROLE doctor_guest")


class Refusing(socketserver.BaseRequestHandler):
    """Asks for a password as PostgreSQL does, and refuses it in the language of another server."""

    def handle(self):
        def read():
            return self.request.recv(struct.unpack("!I", self.request.recv(4, socket.MSG_WAITALL))[0] - 4, socket.MSG_WAITALL)

        read()
        self.request.sendall(struct.pack("!cII", b"R", 8, 3))
        self.request.recv(1)
        read()
        fields = "SСБОЙ\0C28P01\0Mпользователь не прошёл проверку подлинности (по паролю)\0\0".encode()
        self.request.sendall(struct.pack("!cI", b"E", 4 + len(fields)) + fields)


def test_a_refused_password_is_named_with_its_setting(server, tmp_path):
    file = tmp_path / "url"
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusing) as postgres:
        threading.Thread(target=postgres.serve_forever, daemon=True).start()
        file.write_text(
            f"host=127.0.0.1 port={postgres.server_address[1]} user=guest password=wrong sslmode=disable gssencmode=disable")
        line = examine(server.data, DATABASE_URL_FILE=str(file))["database"]
        postgres.shutdown()
    assert line["found"].startswith("The database refused the connection. ") and "wrong" not in line["found"]
    assert "пользователь не прошёл проверку" in line["found"]
    assert line["advice"] == "Correct the user, the password or the database in DATABASE_URL_FILE, or PostgreSQL's pg_hba.conf."


def test_a_database_that_is_not_reached_is_named_with_its_setting(server):
    line = examine(server.data, DATABASE_URL="host=127.0.0.1 port=1 user=x")["database"]
    assert line["found"].startswith("The database could not be reached. ")
    assert line["advice"] == "Check that PostgreSQL runs and that DATABASE_URL is correct."


def test_settings_that_lose_what_was_acknowledged_are_named(server):
    for name in ["fsync", "full_page_writes"]:
        as_superuser(server, f"ALTER SYSTEM SET {name} = off", "SELECT pg_reload_conf()")
        try:
            wait_until(lambda: server.query(f"SHOW {name}") == [["off"]], 30, f"{name} to be off")
            assert examine(server.data)[name]["state"] == "bad"
        finally:
            as_superuser(server, f"ALTER SYSTEM RESET {name}", "SELECT pg_reload_conf()")
            wait_until(lambda: server.query(f"SHOW {name}") == [["on"]], 30, f"{name} to be on")


def test_what_stands_in_the_database_is_named(server):
    def line(what, change, back):
        as_superuser(server, change)
        try:
            return examine(server.data)[what]
        finally:
            as_superuser(server, back)

    found = line("replication slots", "SELECT pg_create_physical_replication_slot('left_behind')",
                 "SELECT pg_drop_replication_slot('left_behind')")
    assert found["state"] == "bad" and "left_behind" in found["found"]
    found = line("schema", "INSERT INTO schema_migrations VALUES (29990101000000, 'future', 'contract', '', now(), 1)",
                 "DELETE FROM schema_migrations WHERE version = 29990101000000")
    assert found["state"] == "bad" and "Another version" in found["advice"]
    found = line("publication", "UPDATE publications SET published_at = published_at - interval '2 days'",
                 "UPDATE publications SET published_at = published_at + interval '2 days'")
    assert found["state"] == "warning"
    found = line("publication", "UPDATE publications SET published_at = published_at + interval '2 days'",
                 "UPDATE publications SET published_at = published_at - interval '2 days'")
    assert found["state"] == "bad" and "in the future" in found["found"]
    found = line(
        "events", "INSERT INTO outbox (message_id, event_id, event, receiver, body, created_at, next_attempt_at) "
        "VALUES (gen_random_uuid(), gen_random_uuid(), 'test', 'http://127.0.0.1:9/', '{}', "
        "now() - interval '2 hours', now() + interval '1 day')",
        "DELETE FROM outbox")
    assert found["state"] == "warning"
    found = line(
        "sources", "INSERT INTO source_feeds (app_id, name, url, format, every_seconds, options, ceiling, added_at, next_at, "
        "failures) VALUES (99, 'list', 'http://127.0.0.1:9/', 'csv', 3600, '{\"countries\": [], \"categories\": {}}', "
        "'review', now(), now() + interval '1 day', 3)", "DELETE FROM source_feeds")
    assert found["state"] == "warning" and found["found"] == "1 of 1 cannot be read: list (3 attempts)"
    found = line("protected numbers", "SELECT 1", "SELECT 1")
    assert found["state"] == "warning"


def test_a_case_that_waits_longer_than_the_setting_is_named(server):
    as_superuser(
        server, "INSERT INTO queue (number, causes, urgency, country, since) "
        "VALUES (12015550199, 1, 0, 'US', now() - interval '2 hours')")
    try:
        assert examine(server.data)["review queue"]["state"] == "ok"
        assert examine(server.data, RINGFENCE_CASE_TARGET_HOURS="1")["review queue"]["state"] == "warning"
    finally:
        as_superuser(server, "DELETE FROM queue WHERE number = 12015550199")


def test_a_backup_is_late_after_a_day_and_a_half(server):
    record = server.data / "last-backup"
    for hours, state in [(35, "ok"), (37, "warning")]:
        record.touch()
        os.utime(record, (time.time() - hours * 3_600,) * 2)
        assert examine(server.data)["backup"]["state"] == state
    record.unlink()


def test_a_gate_that_holds_is_named(server):
    run("publish", "--top", 3, "--min-size", 100, "--tolerance", 0, "--data", server.data, code=4)
    assert examine(server.data)["gates"]["state"] == "warning"
    server.run("publish", *OPEN)
    assert examine(server.data)["gates"]["state"] == "ok"


def test_keys_that_do_not_belong_are_named(server, tmp_path):
    assert examine(server.data)["root"]["state"] == "ok" and examine(server.data)["account key"]["state"] == "ok"
    for name, what in [("signing.key", "root"), ("account.key", "account key")]:
        kept = (server.data / name).read_text()
        try:
            if name == "signing.key":
                (server.data / name).unlink()
                run("keys", "create", "--data", server.data)
            else:
                (server.data / name).write_text(os.urandom(32).hex() + "\n")
            assert examine(server.data)[what]["state"] == "bad"
        finally:
            (server.data / name).write_text(kept)
    assert examine(server.data)["root"]["state"] == "ok"


def test_a_publication_that_has_expired_is_named(tmp_path):
    (tmp_path / "list").write_text("\n".join(
        json.dumps({"number": "+12015550123", "category": "fraud", "reported_at": f"2025-10-{day}T0{hour}:00:00Z"})
        for day in range(20, 31) for hour in range(3)))
    run("import", "complaints", tmp_path / "list", "--format", "jsonl", "--data", tmp_path / "data")
    run("publish", "--at", "2025-11-02T00:00:00Z", "--reproduce", *OPEN, "--data", tmp_path / "data")
    line = examine(tmp_path / "data")["publication"]
    assert line["state"] == "bad" and "expired" in line["found"]


@contextlib.contextmanager
def connection(server, program, database="ringfence"):
    """A connection of another program with its application name."""
    dsn = server.dsn.replace("dbname=ringfence", f"dbname={database}") + f" application_name='{program}'"
    client = subprocess.Popen(["psql", "--no-psqlrc", dsn], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              env=environment())
    try:
        wait_until(lambda: server.query(
            f"SELECT 1 FROM pg_stat_activity WHERE application_name = '{program}' AND datname = '{database}'"),
            30, "the other program to connect")
        yield
    finally:
        client.kill()
        client.wait()


def test_contract_migrations_wait_for_older_programs(server, tmp_path):
    """The steps of Documentation/operations.md, Upgrade, for several servers on one database."""
    dsn = server.dsn.replace("dbname=ringfence", "dbname=upgrading")
    server.query("CREATE DATABASE upgrading")
    # The current program, and its successor with one more migration.
    files = sorted((CHECKOUT / "Migrations").glob("*.sql"))
    homes = {name: tmp_path / name for name in ["present", "next"]}
    for home in homes.values():
        (home / "Migrations").mkdir(parents=True)
        for entry in CHECKOUT.iterdir():
            if entry.name != "Migrations":
                (home / entry.name).symlink_to(entry)
        for file in files:
            (home / "Migrations" / file.name).write_text(file.read_text())
    added = homes["next"] / "Migrations"
    (added / "29981230000000_removal.sql").write_text("-- contract\nDROP TABLE number_notes;")
    (added / "29981231000000_example.sql").write_text("-- expand\nCREATE TABLE example (id bigint PRIMARY KEY);")
    present = {"DATABASE_URL": dsn, "RINGFENCE_HOME": str(homes["present"])}
    new = {"DATABASE_URL": dsn, "RINGFENCE_HOME": str(homes["next"])}
    data = tmp_path / "data"
    run("app", "list", "--data", data, **present)
    before = newest(server)
    assert before == files[-1].name.partition("_")[0]

    with connection(server, f"ringfence {before}", "upgrading"):
        line = examine(data, **new)["schema"]
        assert line["state"] == "warning" and "an older Ringfence runs" in line["found"]
        # The expand migration is applied while the older program runs, which can be started again.
        run("app", "list", "--data", data, **new)
        assert newest(server) == "29981231000000"
    # The connection was ended, and a server opens a new one.
    with connection(server, f"ringfence {before}", "upgrading"):
        run("app", "list", "--data", data, **present)
        assert "newer than this program, which can use it" in examine(data, **present)["schema"]["found"]
        assert "newer than this program" in run("migrate", "--data", data, **present).stdout
        lines = examine(data, **new)
        assert lines["servers"]["state"] == "warning" and "Replace it" in lines["servers"]["advice"]
        assert lines["schema"]["state"] == "warning" and "29981230000000_removal" in lines["schema"]["found"]
        assert "Pending: contract migration 29981230000000_removal." in run("migrate", "--data", data, **new).stdout
        # The contract migration is not.
        said = run("migrate", "--contract", "--data", data, code=1, **new).stderr
        assert "An older Ringfence uses this database (this machine: 1 connection since" in said
        assert "No contract migration was applied." in said
    # It waits for older programs that are being stopped.
    with connection(server, f"ringfence {before}", "upgrading"):
        waiting = subprocess.Popen(
            [BINARY, "migrate", "--contract", "--data", str(data)], env=environment() | new, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        wait_until(lambda: server.query(
            "SELECT 1 FROM pg_stat_activity WHERE datname = 'upgrading' AND application_name > 'ringfence "
            f"{before}'"), 60, "the command to connect")
    output, complaint = waiting.communicate(timeout=60)
    assert waiting.returncode == 0, complaint
    assert "Applied contract migration 29981230000000_removal." in output
    assert examine(data, **new)["schema"]["state"] == "ok"
    # An old one that was forgotten. One that is started now refuses.
    with connection(server, f"ringfence {before}", "upgrading"):
        line = examine(data, **new)["servers"]
        assert line["state"] == "bad" and "Stop it" in line["advice"]
    late = run("app", "list", "--data", data, code=1, **present).stderr
    assert f"knows the schema up to {before}" in late and "Start a program that knows 29981230000000" in late
    assert examine(data, **present)["schema"]["state"] == "bad"


def newest(server):
    done = subprocess.run(
        ["psql", "--no-psqlrc", "--csv", "--tuples-only", server.dsn.replace("dbname=ringfence", "dbname=upgrading"),
         "--command=SELECT max(version) FROM schema_migrations"], capture_output=True, text=True, env=environment())
    return done.stdout.strip()
