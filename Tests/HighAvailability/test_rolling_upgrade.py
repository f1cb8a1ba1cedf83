"""A rolling upgrade under load: servers of two versions run on one schema, are rolled back, and upgraded again.

The new version is the checkout with further migrations. The old version is the checkout as it is, or a former release:
RINGFENCE_OLD_BINARY names its program and RINGFENCE_OLD_HOME the folder with its Migrations, Public and Resources. With it
a database of 0.1.0 with a month of data is upgraded, too.
"""

import base64
import contextlib
import csv
import http.client
import io
import itertools
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from load import Load
from recount import check
from reports import Report
from ringfence_server import BINARY, CHECKOUT, RingfenceServer, environment
from shared_server import SharedServer
from test_stopped_database import sign_in
from waiting import wait_until

# `make test` has the same rules with one server: Tests/CommandLine/test_doctor.py.
pytestmark = pytest.mark.slow

OLD_BINARY = os.environ.get("RINGFENCE_OLD_BINARY", BINARY)
OLD_HOME = os.environ.get("RINGFENCE_OLD_HOME", environment()["RINGFENCE_HOME"])

# Of the tables that every report changes, each is altered in a file of its own.
EXPAND = {
    "29980101000000_reports": "-- expand\nALTER TABLE reports ADD COLUMN example text;",
    "29980102000000_numbers": "-- expand\nALTER TABLE numbers ADD COLUMN example integer NOT NULL DEFAULT 0;",
    "29980103000000_voters": "-- expand\nALTER TABLE number_reporters ADD COLUMN example text;",
    "29980104000000_table": "-- expand\nCREATE TABLE example (number bigint PRIMARY KEY, note text NOT NULL);",
    "29980105000000_index":
        "-- expand, concurrently\n"
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS numbers_by_example ON numbers (example) WHERE example > 0;",
}
CONTRACT = {
    "29980106000000_removal": "-- contract\nALTER TABLE reports DROP COLUMN example;",
    "29980107000000_index": "-- contract, concurrently\nDROP INDEX CONCURRENTLY IF EXISTS numbers_by_example;",
}


class Deployment:
    """Servers on one database, and a balancer that gives each new connection to the next of them."""

    def __init__(self, keeper, folder, key):
        keeper.query("CREATE DATABASE rolling")
        self.dsn = keeper.dsn.replace("dbname=ringfence", "dbname=rolling")
        self.servers = {}
        self.is_contracted = False
        self._turn = itertools.count()
        self.publications = None
        self._folder = folder
        self.variables = {
            "DATABASE_URL": self.dsn, "RINGFENCE_PSEUDONYM_KEY": key, "RINGFENCE_ACCOUNT_KEY": "cd" * 32}
        self.versions = {"old": (OLD_BINARY, OLD_HOME), "new": (BINARY, self._new_home())}

    def _new_home(self):
        home = self._folder / "new"
        (home / "Migrations").mkdir(parents=True)
        for entry in CHECKOUT.iterdir():
            if entry.name != "Migrations":
                (home / entry.name).symlink_to(entry)
        for file in (CHECKOUT / "Migrations").glob("*.sql"):
            (home / "Migrations" / file.name).write_text(file.read_text())
        for name, script in (EXPAND | CONTRACT).items():
            (home / "Migrations" / f"{name}.sql").write_text(script)
        return str(home)

    def newer(self, kind):
        """The migrations of a kind that the old version does not know, in their order."""
        known, all_of_new = (set(Path(home, "Migrations").glob("*.sql")) for _, home in self.versions.values())
        names = {file.name for file in known}
        return sorted(f.stem for f in all_of_new if f.name not in names and f.read_text().startswith(f"-- {kind}"))

    @property
    def address(self):
        """Where the next connection goes. Servers that are being stopped still get their turn."""
        addresses = [server.last_address for server in list(self.servers.values()) if server.last_address]
        return addresses[next(self._turn) % len(addresses)] if addresses else None

    def start(self, name, version):
        """Starts a server of a version, or replaces the one of this name by it: SIGTERM, its end, the new one."""
        if name in self.servers:
            self.stop(name)
        folder = self._folder / f"{name}-{time.time_ns()}"
        (folder / "data").mkdir(0o700, parents=True)
        if self.publications:
            (folder / "data/publications").symlink_to(self.publications)
        server = RingfenceServer(
            folder, "--no-limits", **self.variables, RINGFENCE_HOME=self.versions[version][1])
        server.binary = self.versions[version][0]
        server.last_address = None
        server.start()
        server.last_address = server.address
        self.servers[name] = server

    def stop(self, name):
        server = self.servers[name]
        server.signal(signal.SIGTERM)
        assert server.ended() == 0, server.log.read_text()
        server.last_address = None

    def close(self):
        for server in self.servers.values():
            server.close()

    def launch(self, version, *arguments):
        """Starts a command of a version."""
        binary, home = self.versions[version]
        return subprocess.Popen(
            [binary, *arguments, "--data", str(self._folder / "commands")], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment() | self.variables | {"RINGFENCE_HOME": home})

    def command(self, version, *arguments, code=0):
        """Returns the output or the error of a command of a version."""
        command = self.launch(version, *arguments)
        output, complaint = command.communicate(timeout=300)
        assert command.returncode == code, f"{output}{complaint}"
        return output if code == 0 else complaint

    def run(self, *arguments):
        return self.command("new" if self.is_contracted else "old", *arguments).strip()

    def query(self, sql):
        done = subprocess.run(
            ["psql", "--no-psqlrc", "--csv", "--tuples-only", "--set=ON_ERROR_STOP=1", self.dsn, f"--command={sql}"],
            env=environment(), capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return list(csv.reader(io.StringIO(done.stdout)))

    @contextlib.contextmanager
    def transaction(self, sql):
        """A transaction that stays open, such as a long query of a report or of a backup."""
        client = subprocess.Popen(
            ["psql", "--no-psqlrc", "-Atq", self.dsn], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment())
        client.stdin.write(f"BEGIN; {sql}; SELECT 'here';\n")
        client.stdin.flush()
        wait_until(lambda: client.stdout.readline() == "here\n", 60, "the transaction")
        try:
            yield
        finally:
            client.stdin.write("COMMIT;\n")
            client.communicate(timeout=30)


@pytest.fixture
def deployment(make_server, pseudonym_key, tmp_path):
    keeper = make_server()
    deployment = Deployment(keeper, tmp_path, pseudonym_key)
    yield deployment
    deployment.close()
    keeper.close()


def test_servers_are_replaced_one_by_one_under_load(deployment):
    first = {}
    for name in ["a", "b"]:
        deployment.start(name, "old")
    shared = SharedServer(deployment)
    with Load(deployment) as load:
        load.goes_on()

        # Expand, while the old servers run. A long transaction holds a table: the migration waits, the intake does not.
        with deployment.transaction("SELECT count(*) FROM reports"):
            migration = deployment.launch("new", "migrate")
            wait_until(
                lambda: deployment.query(
                    "SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' "
                    "AND relation = 'reports'::regclass"), 60, "the migration to wait for its lock")
            load.goes_on(1_000, 120)
            assert migration.poll() is None
        output, complaint = migration.communicate(timeout=120)
        assert migration.returncode == 0, complaint
        assert re.findall(r"Applied expand migration (\w+)\.", output) == deployment.newer("expand")
        assert re.findall(r"Pending: contract migration (\w+)\.", output) == deployment.newer("contract")
        load.goes_on()

        steps = [("new", "the upgrade"), ("old", "the rollback of the program"), ("new", "the second upgrade")]
        for version, step in steps:
            for name in ["a", "b"]:
                deployment.start(name, version)
                load.goes_on()
            first[step] = len(load.acknowledged)
            if step == "the rollback of the program":
                said = deployment.command("new", "migrate", "--contract", code=1)
                assert "An older Ringfence uses this database" in said and "No contract migration was applied" in said

        output = deployment.command("new", "migrate", "--contract")
        deployment.is_contracted = True
        assert re.findall(r"Applied contract migration (\w+)\.", output) == deployment.newer("contract")
        load.goes_on()
        said = deployment.command("old", "app", "list", code=1)
        assert deployment.newer("contract")[0][:14] in said, said
        with pytest.raises(AssertionError, match="The server ended with 1"):
            deployment.start("c", "old")
        deployment.start("c", "new")
        load.goes_on()

    check(shared, load)
    assert set(load.answers) <= {200, 201, 503}
    assert "no differences" in deployment.run("recount")
    assert deployment.query("SELECT count(*) FROM pg_index WHERE NOT indisvalid") == [["0"]]
    print(f"  acknowledged after each step: {first}; stored twice: 0, lost: 0")


# Columns of 0.1.0 whose rows stay.
KEPT = {
    "audit_events": "event_id, actor, role, action, subject, before, after, reason", "decisions": "*",
    "accounts": "name, role", "publications": "serial, manifest_sha256", "threshold_rules": "*",
    "app_keys": "key_hash, scopes", "protected_patterns": "*", "appeals": "appeal_id, statement"}


@pytest.fixture
def released(make_server, tmp_path):
    keeper = make_server()
    released = Deployment(keeper, tmp_path, "ab" * 32)
    released.variables["RINGFENCE_SIGNING_KEY"] = base64.b64encode(b"\x42" * 32).decode()
    folder = tmp_path / "commands"
    folder.mkdir(0o700)
    released.publications = folder / "publications"
    archive = CHECKOUT / "Tests/TestData/Fixtures/databases/0.1.0.tar.xz"
    subprocess.run(["tar", "-xJf", archive, "--no-same-owner", "-C", folder], check=True)
    restore = ["pg_restore", "--no-owner", "--exit-on-error", f"--dbname={released.dsn}", folder / "database.dump"]
    subprocess.run(restore, check=True, env=environment())
    yield released
    released.close()
    keeper.close()


@pytest.mark.skipif("RINGFENCE_OLD_BINARY" not in os.environ, reason="needs the program of a former release")
def test_a_released_database_is_upgraded_while_its_servers_run(released):
    for name in ["a", "b"]:
        released.start(name, "old")
    cookie, csrf = sign_in(released.servers["a"])

    def post(path, body, headers):
        client = http.client.HTTPConnection(released.servers["a"].address.removeprefix("http://"), timeout=60)
        client.request("POST", path, body, headers)
        return client.getresponse().status

    def publish():
        """A server makes the publication, perhaps on a connection that it has used before."""
        form = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
        assert post("/moderation/publications", f"csrf={csrf}", form) == 303
        state = "SELECT state FROM background_jobs WHERE kind = 'publication' AND state NOT IN ('waiting', 'running')"
        wait_until(lambda: released.query(state), 60, "the end of the publication")
        assert released.query(state) == [["done"]], released.query("SELECT serial, failure FROM publications")[-1]

    def report_unassigned(count):
        now = time.strftime("%FT%TZ", time.gmtime())
        report = Report(f"00000000-0000-4000-8000-{count:012}", "+12005550123", "fraud", "one", now)
        headers = {"Authorization": f"Bearer {load.key}", "Content-Type": "application/json"}
        return post("/v1/reports", report.body, headers)

    kept = {sql: released.query(sql) for sql in (f"SELECT {columns} FROM {table}" for table, columns in KEPT.items())}
    with Load(released) as load:
        publish()
        for count in [2, 5, 9]:
            migration = released.launch("new", "migrate")
            applied = f"SELECT 1 FROM schema_migrations HAVING count(*) >= {count}"
            wait_until(lambda: released.query(applied), 60, "migrations")
            migration.kill()
            migration.communicate()
        released.command("new", "migrate")
        for _ in range(6):
            publish()
        released.start("a", "new")
        load.goes_on()
        # The old server cannot read the hold of a number that no plan has.
        assert report_unassigned(1) == 422
        for version in ["old", "new", "old"]:
            released.command(version, "publish")
            assert "no differences" in released.command(version, "recount")
        for name, version in [("a", "old"), ("a", "new"), ("b", "new")]:
            released.start(name, version)
            publish()
        released.command("new", "migrate", "--contract")
        released.is_contracted = True
        assert report_unassigned(2) == 201
        publish()
    assert load.acknowledged.keys() <= {row[0] for row in released.query("SELECT report_id FROM reports")}
    for sql, rows in kept.items():
        assert {*map(tuple, rows)} <= {*map(tuple, released.query(sql))}, sql
    assert "no differences" in released.run("recount")
    assert '"bad"' not in released.run("doctor", "--json")
