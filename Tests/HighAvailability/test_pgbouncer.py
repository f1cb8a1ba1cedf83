"""Runs behind PgBouncer in transaction mode, where each transaction may use another connection to PostgreSQL.

Statements prepared on another connection fail there (RINGFENCE_DATABASE_POOLER=transaction sends all statements
unnamed), and so do settings of a session. The server uses neither LISTEN nor session locks; its migrations and
publications hold their locks in transactions."""

import os
import pwd
import re
import subprocess

import pytest

import publications
from shared_server import SharedServer
from load import Load
from programs import Daemon, find, free_port, opted_in, wait_for_port
from recount import check
from ringfence_server import BINARY, RingfenceServer, environment
from waiting import wait_until


def pooler(keeper, folder, *settings):
    """PgBouncer in front of a server's own PostgreSQL: the process, and its address."""
    opted_in("RINGFENCE_TEST_PGBOUNCER", "a server behind PgBouncer")
    program = find("pgbouncer", "RINGFENCE_PGBOUNCER") or pytest.skip("pgbouncer is not there (Debian: apt install pgbouncer)")
    socket = re.search("host=(\\S+)", keeper.dsn)[1]
    # It runs as the cluster's account, which peer authentication accepts; root's folders are closed to it.
    owner = pwd.getpwuid((keeper.data / "postgresql/data").stat().st_uid)
    for path in [keeper.data.parent, keeper.data]:
        path.chmod(0o711)
    port = free_port()
    folder.mkdir()
    (folder / "users").write_text('"ringfence" "secret"\n')
    (folder / "pgbouncer.ini").write_text("\n".join([
        "[databases]", f"ringfence = host={socket} port=5432 user=ringfence", "[pgbouncer]", "listen_addr = 127.0.0.1",
        f"listen_port = {port}", "unix_socket_dir =", "auth_type = plain", f"auth_file = {folder}/users",
        "ignore_startup_parameters = extra_float_digits", *settings, ""]))
    if os.geteuid() == 0:
        for path in [folder, *folder.iterdir()]:
            os.chown(path, owner.pw_uid, owner.pw_gid)
    libraries = {k: os.environ[k] for k in ["LD_LIBRARY_PATH"] if k in os.environ}
    daemon = Daemon(folder, "pgbouncer", [program, folder / "pgbouncer.ini"], owner, **libraries)
    wait_for_port(port, daemon)
    return daemon, f"host=127.0.0.1 port={port} dbname=ringfence user=ringfence password=secret"


@pytest.fixture
def behind(make_server, open_folder, pseudonym_key):
    opted_in("RINGFENCE_TEST_PGBOUNCER", "a server behind PgBouncer")
    keeper = make_server("--no-limits", RINGFENCE_PSEUDONYM_KEY=pseudonym_key, RINGFENCE_ACCOUNT_KEY="cd" * 32)
    # Three connections for sixteen of the server, so they must be shared.
    daemon, dsn = pooler(keeper, open_folder / "pgbouncer", "pool_mode = transaction", "default_pool_size = 3")
    server = RingfenceServer(
        open_folder / "behind", "--no-limits", RINGFENCE_PSEUDONYM_KEY=pseudonym_key, RINGFENCE_ACCOUNT_KEY="cd" * 32,
        RINGFENCE_DATABASE_POOLER="transaction", DATABASE_URL=dsn)
    server.data.mkdir(parents=True)
    server.query = keeper.query
    try:
        yield server.start()
    finally:
        server.close()
        daemon.kill()


@pytest.mark.parametrize("settings, keeps", [
    (["pool_mode = session"], False), (["pool_mode = session", "server_reset_query ="], True),
    (["pool_mode = transaction"], True)])
def test_what_is_left_of_the_name_of_a_program_that_has_gone(make_server, open_folder, settings, keeps):
    """Older programs are detected by the names of connections; see Upgrade in Documentation/operations.md."""
    keeper = make_server()
    daemon, dsn = pooler(keeper, open_folder / "pgbouncer", *settings)

    def sees_an_older_one():
        done = subprocess.run(
            [BINARY, "doctor", "--data", str(keeper.data)], env=environment(), capture_output=True, text=True, timeout=120)
        assert "servers: " in done.stdout, done.stderr
        return "an older Ringfence runs" in done.stdout

    try:
        older = subprocess.Popen(
            [find("psql"), f"{dsn} application_name='ringfence 20261121120000'", "-Atq"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        older.stdin.write("SELECT 'here';\n")
        older.stdin.flush()
        assert older.stdout.readline() == "here\n"
        assert sees_an_older_one()
        older.communicate(timeout=30)
        # PgBouncer notices it a moment later.
        wait_until(lambda: sees_an_older_one() == keeps, 30, f"the name to be kept: {keeps}")
    finally:
        daemon.kill()


def test_load_publication_and_backup(behind, tmp_path):
    shared = SharedServer(behind)
    with Load(behind) as load:
        load.goes_on(2_000, 300)
    check(shared, load)
    assert load.answers[500] == 0
    complaints = str(tmp_path / "complaints.jsonl")
    subprocess.run([BINARY, "simulate", "--seed", "7", "--complaints", "5000", "--out", complaints],
                   env=environment(), check=True, timeout=120)
    behind.run("import", "complaints", complaints, "--format", "jsonl")
    behind.run("publish")
    publications.check(behind.data / "publications")
    assert "recounted: no differences" in behind.run("recount")
    behind.run("backup", str(tmp_path / "backup"))
    assert "bad" not in behind.run("doctor")
