"""A PostgreSQL cluster as initdb makes it, without any setting of Ringfence, and PgBouncer in front of it."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from waiting import wait_until

# Debian's PostgreSQL, which compiles statements (JIT) by default; RINGFENCE_TEST_PG_BIN names others.
PROGRAMS = os.environ.get("RINGFENCE_TEST_PG_BIN", "/usr/lib/postgresql/15/bin")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def account():
    """The account for PostgreSQL, which refuses root."""
    return pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())


@contextlib.contextmanager
def open_folder():
    """A temporary folder that every account can enter, with a short path, because sockets are in it."""
    with tempfile.TemporaryDirectory(prefix="stock-") as folder:
        os.chmod(folder, 0o711)
        yield Path(folder)


class StockCluster:
    """A running cluster in `folder`, which its account can enter. The role `ringfence` has no special rights.

    `settings` are further lines of postgresql.conf. With `root`, the folder is in this Debian root, whose programs run there.
    """

    def __init__(self, folder, programs=PROGRAMS, settings=(), root=None):
        self.folder, self.programs, self.root, self.port = Path(folder) / "cluster", programs, root, free_port()
        owner = account()
        self.folder.mkdir(parents=True)
        # As the programs see it.
        inside = f"/{self.folder.relative_to(root)}" if root else str(self.folder)
        if root:
            # Accounts have other numbers there.
            subprocess.run(["chroot", str(root), "chown", "postgres:", inside], check=True)
        elif os.geteuid() == 0:
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self.data = f"{inside}/data"
        self.run("initdb", f"--pgdata={self.data}", "--locale=C.UTF-8", "--encoding=UTF8", "--auth=trust",
                 "--username=postgres", "--no-sync")
        # Counts the functions that are compiled.
        with (self.folder / "data/postgresql.conf").open("a") as file:
            file.write("\n".join([
                "shared_preload_libraries = 'pg_stat_statements'", f"port = {self.port}",
                f"unix_socket_directories = '{inside}'", *settings, ""]))
        self.run("pg_ctl", f"--pgdata={self.data}", f"--log={inside}/log", "--wait", "start")
        self.admin("CREATE ROLE ringfence LOGIN")

    def run(self, program, *arguments):
        """Runs a program of PostgreSQL as its account."""
        owner = account()
        extra = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
        command = [f"{self.programs}/{program}", *arguments]
        if self.root:
            command, extra = ["chroot", "--userspec=postgres", str(self.root), *command], {}
        with open(os.devnull, "w") as nothing:
            subprocess.run(command, check=True, cwd=self.folder, stdout=nothing,
                           env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}, timeout=120, **extra)

    def database(self, name, options="ENCODING 'UTF8' TEMPLATE template0"):
        """Makes a database of the role `ringfence`, and returns its address."""
        self.admin(f"CREATE DATABASE {name} OWNER ringfence {options}")
        return f"host={self.folder} port={self.port} user=ringfence dbname={name}"

    def admin(self, sql, database="postgres"):
        """Runs a statement as the superuser; returns the lines of its output."""
        done = subprocess.run(
            ["psql", "--no-psqlrc", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", f"--host={self.folder}",
             f"--port={self.port}", "--username=postgres", f"--dbname={database}", f"--command={sql}"],
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def close(self):
        self.run("pg_ctl", f"--pgdata={self.data}", "--mode=immediate", "--wait", "stop")


class Pooler:
    """PgBouncer in transaction mode in front of one database of a cluster, with fewer connections than its clients."""

    def __init__(self, cluster, database, *settings):
        self.folder = cluster.folder / f"pgbouncer-{database}"
        self.port = free_port()
        self.folder.mkdir()
        (self.folder / "users").write_text('"ringfence" "secret"\n')
        (self.folder / "pgbouncer.ini").write_text("\n".join([
            "[databases]", f"{database} = host={cluster.folder} port={cluster.port} user=ringfence", "[pgbouncer]",
            "listen_addr = 127.0.0.1", f"listen_port = {self.port}", "unix_socket_dir =", "auth_type = plain",
            f"auth_file = {self.folder}/users", "pool_mode = transaction", "default_pool_size = 3", *settings, ""]))
        owner = account()
        extra = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
        if extra:
            for path in [self.folder, *self.folder.iterdir()]:
                os.chown(path, owner.pw_uid, owner.pw_gid)
        program = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
        assert program, "pgbouncer is missing: Scripts/install-dependencies test"
        with (self.folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                [program, str(self.folder / "pgbouncer.ini")], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.folder, env={"PATH": os.environ["PATH"]}, **extra)
        wait_until(self._listens, 30, lambda: f"PgBouncer to listen; it said:\n{(self.folder / 'log').read_text()}")
        self.dsn = f"host=127.0.0.1 port={self.port} dbname={database} user=ringfence password=secret"

    def _listens(self):
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self):
        self.process.kill()
        self.process.wait(30)
