"""Behind PgBouncer in transaction mode, where each transaction may meet another connection of PostgreSQL's.

What breaks there: statements that were prepared on another connection (RINGFENCE_DATABASE_POOLER=transaction sends all
unnamed), and whatever is set for a session. The server uses neither LISTEN nor locks of a session; its migrations and
its publications hold their locks in transactions."""

import os
import re
import subprocess

import pytest

import publications
from bench import Bench
from load import Load
from programs import Daemon, account, find, free_port, opted_in, wait_for_port
from recount import check
from ringfence_server import BINARY, RingfenceServer, environment


@pytest.fixture
def behind(make_server, open_folder, pseudonym_key):
    opted_in("RINGFENCE_TEST_PGBOUNCER", "a server behind PgBouncer")
    program = find("pgbouncer", "RINGFENCE_PGBOUNCER") or pytest.skip("pgbouncer is not there (Debian: apt install pgbouncer)")
    keeper = make_server("--no-limits", RINGFENCE_PSEUDONYM_KEY=pseudonym_key, RINGFENCE_ACCOUNT_KEY="cd" * 32)
    socket = re.search("host=(\\S+)", keeper.dsn)[1]
    # Its own account has to get to the socket; root's folders are closed to others.
    keeper.data.parent.chmod(0o711)
    port = free_port()
    folder = open_folder / "pgbouncer"
    folder.mkdir()
    (folder / "users").write_text('"ringfence" "secret"\n')
    # Three connections for sixteen of the server's: they have to be shared.
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\nringfence = host={socket} port=5432 user=ringfence\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = plain\n"
        f"auth_file = {folder}/users\npool_mode = transaction\ndefault_pool_size = 3\n"
        f"ignore_startup_parameters = extra_float_digits\n")
    if os.geteuid() == 0:
        for path in [folder, *folder.iterdir()]:
            os.chown(path, account().pw_uid, account().pw_gid)
    libraries = {k: os.environ[k] for k in ["LD_LIBRARY_PATH"] if k in os.environ}
    daemon = Daemon(folder, "pgbouncer", [program, folder / "pgbouncer.ini"], **libraries)
    wait_for_port(port, daemon)
    server = RingfenceServer(
        open_folder / "behind", "--no-limits", RINGFENCE_PSEUDONYM_KEY=pseudonym_key, RINGFENCE_ACCOUNT_KEY="cd" * 32,
        RINGFENCE_DATABASE_POOLER="transaction",
        DATABASE_URL=f"host=127.0.0.1 port={port} dbname=ringfence user=ringfence password=secret")
    server.data.mkdir(parents=True)
    server.query = keeper.query
    try:
        yield server.start()
    finally:
        server.close()
        daemon.kill()


def test_load_publication_and_backup(behind, tmp_path):
    bench = Bench(behind)
    with Load(behind) as load:
        load.goes_on(2_000, 300)
    check(bench, load)
    assert load.answers[500] == 0
    complaints = str(tmp_path / "complaints.jsonl")
    subprocess.run([BINARY, "simulate", "--seed", "7", "--complaints", "5000", "--out", complaints],
                   env=environment(), check=True, timeout=120)
    behind.run("import", "complaints", complaints, "--format", "jsonl")
    behind.run("publish")
    publications.check(behind.data / "publications")
    assert "all is as it should be" in behind.run("audit")
    behind.run("backup", str(tmp_path / "backup"))
    assert "bad" not in behind.run("doctor")
