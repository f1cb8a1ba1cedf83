"""The server on a PostgreSQL that somebody else set up: as initdb makes it, behind a pooler, with settings of a role."""

import json
import subprocess
import urllib.request
import uuid
from datetime import datetime, timezone

import pytest

import publications
from ringfence_server import BINARY, RingfenceServer, environment
from stock_postgres import Pooler, StockCluster
from waiting import wait_until


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stock")
    for path in [folder, *folder.parents[:3]]:
        path.chmod(path.stat().st_mode | 0o711)
    cluster = StockCluster(folder / "cluster")
    yield cluster
    cluster.close()


class Server(RingfenceServer):
    """A server whose database is elsewhere."""

    def report(self, number, reporter):
        """The status of a report."""
        body = {"number": number, "category": "robocall", "reporter": reporter, "report_id": str(uuid.uuid4()),
                "reported_at": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
        request = urllib.request.Request(
            f"{self.address}/v1/reports", json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status


@pytest.fixture
def start(tmp_path):
    servers = []

    def start(dsn, **variables):
        server = Server(tmp_path / f"{len(servers)}", "--no-limits", DATABASE_URL=dsn, **variables)
        server.data.mkdir(parents=True)
        servers.append(server)
        server.start()
        server.key = server.run("app", "create", "An app").split()[0]
        return server

    yield start
    for server in servers:
        server.close()


def walk(server, folder):
    """Intake, imports, the queue, a decision, a publication, a recount."""
    # From the sixth on, PostgreSQL uses one plan for all values.
    for place in range(12):
        assert server.report("+12015550123", f"reporter {place}") == 201
    complaints = str(folder / "complaints.jsonl")
    subprocess.run([BINARY, "simulate", "--seed", "7", "--complaints", "3000", "--fictional", "--out", complaints],
                   env=environment(), check=True, timeout=120)
    assert "3,000 accepted" in server.run("import", "complaints", complaints, "--format", "jsonl", "--source", "one")
    # The second import meets rows, and takes the other path.
    assert "3,000 already stored" in server.run("import", "complaints", complaints, "--format", "jsonl", "--source", "one")
    names = folder / "names.csv"
    names.write_text("name,number\nCafé Müller,+493023125123\nMairie,+33199000123\n")
    assert "2 entries" in server.run("import", "directory", str(names), "--source", "names")
    server.run("decide", "+493023125200", "--block", "--label", "Survey", "--reason", "Reports quote a caller.", "--by", "Zoë")
    assert "+493023125200" in server.run("explain", "+493023125200")
    server.run("prefixes", "detect")
    server.run("queue", "sweep")
    server.run("publish")
    publications.check(server.data / "publications")
    assert "recounted: no differences" in server.run("recount")


def backup_and_doctor(server, folder):
    """The checks of the doctor by name, none of which is bad."""
    server.run("backup", str(folder / "backup.tar"))
    found = json.loads(server.run_unchecked("doctor", "--json").stdout)
    assert [one for one in found if one["state"] == "bad"] == []
    return {one["what"]: one for one in found}


def compiled(cluster, database):
    """The statements that PostgreSQL compiled, which takes longer than most of them run."""
    return cluster.admin(
        "SELECT left(query, 200) FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid "
        f"WHERE jit_functions > 0 AND datname = '{database}'")


def test_no_statement_is_compiled_with_the_settings_of_initdb(cluster, start, tmp_path):
    dsn = cluster.database("stock")
    cluster.admin("CREATE EXTENSION pg_stat_statements")
    assert cluster.admin("SELECT pg_jit_available() AND current_setting('jit')::boolean") == ["t"]
    # The worst of a role: every statement costs more than the limit.
    cluster.admin("ALTER ROLE ringfence IN DATABASE stock SET jit_above_cost = 0")
    server = start(dsn)
    walk(server, tmp_path)
    assert cluster.admin("SELECT count(*) > 50 FROM pg_stat_statements") == ["t"]
    assert compiled(cluster, "stock") == []
    assert "jit" not in backup_and_doctor(server, tmp_path)


def test_reports_are_cheap_for_the_planner(cluster, start):
    """Without the session's settings: PostgreSQL compiles statements whose cost is above 100,000."""
    dsn = cluster.database("costs")
    cluster.admin("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    server = start(f"{dsn} options='-c jit=on'", RINGFENCE_DATABASE_POOLER="transaction")
    for place in range(12):
        server.report("+12015550123", f"reporter {place}")
    assert compiled(cluster, "costs") == []


def test_behind_pgbouncer_in_transaction_mode(cluster, start, tmp_path):
    cluster.database("pooled")
    cluster.admin("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    pooler = Pooler(cluster, "pooled")
    try:
        server = start(pooler.dsn, RINGFENCE_DATABASE_POOLER="transaction")
        assert cluster.admin(
            "SELECT setconfig::text FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase "
            "WHERE datname = 'pooled'") == ["{jit=off}"]
        # As RECONNECT on PgBouncer's console: sessions from before the first migration do not know the setting.
        cluster.admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'pooled'")
        walk(server, tmp_path)
        assert "jit" not in backup_and_doctor(server, tmp_path)
        # A setting that a DBA makes later is named.
        cluster.admin("ALTER ROLE ringfence IN DATABASE pooled RESET jit")
        cluster.admin("ALTER ROLE ringfence IN DATABASE pooled SET statement_timeout = '2s'")
        cluster.admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'pooled'")
        found = {one["what"]: one for one in json.loads(server.run_unchecked("doctor", "--json").stdout)}
        assert found["jit"]["state"] == "warning" and "RECONNECT" in found["jit"]["advice"]
        assert found["statement_timeout"]["found"] == "2000 ms"
    finally:
        pooler.close()


def test_a_pooler_without_its_setting_is_named(cluster, start, tmp_path):
    dsn = cluster.database("unnamed")
    pooler = Pooler(cluster, "unnamed", "default_pool_size = 1")
    try:
        server = start(dsn)
        server.variables["DATABASE_URL"] = pooler.dsn
        # Each command prepares statements in the one session that it shares with the others.
        refused = None
        for _ in range(3):
            done = server.run_unchecked("doctor", "--json")
            refused = next((one for one in json.loads(done.stdout) if one["what"] == "database"), refused)
        commands = [server.run_unchecked("retention", "show") for _ in range(2)]
        texts = [done.stderr for done in commands if done.returncode != 0]
        assert refused and "RINGFENCE_DATABASE_POOLER=transaction" in refused["advice"]
        assert texts and all("RINGFENCE_DATABASE_POOLER=transaction" in text for text in texts)
    finally:
        pooler.close()


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_is_not_utf8_is_refused(cluster, tmp_path, encoding):
    name = f"of_{encoding.lower()}"
    dsn = cluster.database(name, f"ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    for command in [["migrate"], ["doctor"], ["serve", "--port", "0"], ["app", "create", "An app"]]:
        done = subprocess.run([BINARY, *command, "--data", str(tmp_path)], env=environment() | {"DATABASE_URL": dsn},
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 1, command
        said = done.stdout + done.stderr
        assert encoding in said and "createdb --encoding=UTF8" in said
    assert cluster.admin("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", name) == ["0"]


def test_settings_of_the_role_change_nothing(cluster, start, tmp_path):
    dsn = cluster.database("odd")
    for setting in ["default_transaction_isolation = 'serializable'", "datestyle = 'German'", "timezone = 'America/St_Johns'",
                    "statement_timeout = '20ms'", "lock_timeout = '1ms'", "idle_in_transaction_session_timeout = '5ms'",
                    "standard_conforming_strings = off", "plan_cache_mode = 'force_custom_plan'", "bytea_output = 'escape'",
                    "client_encoding = 'LATIN1'", "intervalstyle = 'sql_standard'", "extra_float_digits = -15"]:
        cluster.admin(f"ALTER ROLE ringfence IN DATABASE odd SET {setting}")
    server = start(dsn)
    walk(server, tmp_path)
    backup_and_doctor(server, tmp_path)


def test_doctor_names_a_new_collation_and_settings_of_the_planner(cluster, start):
    server = start(cluster.database("upgraded"))
    found = {one["what"]: one for one in json.loads(server.run_unchecked("doctor", "--json").stdout)}
    assert found["encoding"] == {"what": "encoding", "state": "ok", "found": "UTF8", "advice": ""}
    assert "planner" not in found
    dsn = cluster.database("sorted", "ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' LOCALE 'C.UTF-8' TEMPLATE template0")
    cluster.admin("UPDATE pg_database SET datcollversion = '1.2.3' WHERE datname = 'sorted'")
    cluster.admin("ALTER ROLE ringfence IN DATABASE sorted SET enable_indexscan = off")
    server = start(dsn)
    found = {one["what"]: one for one in json.loads(server.run_unchecked("doctor", "--json").stdout)}
    assert "1.2.3" in found["encoding"]["found"] and "REINDEX DATABASE" in found["encoding"]["advice"]
    assert found["encoding"]["state"] == "warning"
    assert found["planner"]["found"] == "off: enable_indexscan"


def test_a_read_only_database_is_named(cluster, start):
    server = start(cluster.database("closed"))
    cluster.admin("ALTER ROLE ringfence IN DATABASE closed SET default_transaction_read_only = on")
    found = {one["what"]: one for one in json.loads(server.run_unchecked("doctor", "--json").stdout)}
    assert found["default_transaction_read_only"]["state"] == "bad"


def test_backup_names_the_package_for_a_newer_server(start, cluster, tmp_path):
    """A program that says to be of version 14 stands for the `pg_dump` of an older Debian."""
    server = start(cluster.database("newer"))
    programs = tmp_path / "old"
    programs.mkdir()
    (programs / "pg_dump").write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 14.9'\n")
    (programs / "pg_dump").chmod(0o755)
    target = tmp_path / "backup.tar"
    # The newer one of this machine is found all the same.
    assert "rows" in server.run("backup", str(target), "--pg-bin", str(programs))
    done = subprocess.run(
        ["/usr/bin/unshare", "--mount", "/bin/sh", "-c",
         '/bin/mount -t tmpfs none /usr/lib/postgresql && exec "$0" "$@"', BINARY, "backup", str(tmp_path / "second.tar"), "--data", str(server.data), "--pg-bin", str(programs)],
        env=environment() | server.variables | {"PATH": str(programs)}, capture_output=True, text=True, timeout=120)
    if "Operation not permitted" in done.stderr:
        pytest.skip("only root may hide /usr/lib/postgresql")
    assert done.returncode == 1
    assert "14" in done.stderr and "apt install postgresql-client-15" in done.stderr and "--pg-bin" in done.stderr
    assert not (tmp_path / "second.tar").exists()
