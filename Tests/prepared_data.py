"""Data folders that servers of tests begin with, each made once for a program and its files: a start then takes a second."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ringfence_server import BINARY, CHECKOUT, START_SECONDS, RingfenceServer
from waiting import wait_until

# Options of a demo whose data does not depend on them.
PLAIN = {"--demo", "--no-limits", "--public-number-pages", "hidden"}


def copy(server):
    """Gives the folder of a server that has not started its first data. A server on another database gets none."""
    if server.data.exists() or {"DATABASE_URL", "RINGFENCE_HOME", "RINGFENCE_PG_BIN"} & server.variables.keys():
        return
    if "--demo" not in server.arguments:
        server.data.mkdir(mode=0o700)
        _copy("schema", _make_schema, "data/postgresql", server.data / "postgresql")
    elif set(server.arguments) <= PLAIN and not server.variables:
        _copy("demo", _make_demo, "data", server.data)


def _make_schema(folder):
    server = RingfenceServer(folder)
    with contextlib.closing(server):
        server.start()
        # Rows of this server alone: no two servers have the same keys.
        server.query("TRUNCATE account_key, job_leases, daily_statistics, statistics_watermarks")


def _make_demo(folder):
    server = RingfenceServer(folder, "--demo")
    with contextlib.closing(server):
        server.start()
        # The numbers that are not evaluated yet are in the memory of this server.
        wait_until(lambda: int(server.query("SELECT count(*) FROM queue")[0][0]) > 80, START_SECONDS, "the queue to fill")


def _copy(name, make, part, target):
    """Copies a part of the folder of this kind; the first process that needs it makes it, and others wait for it."""
    home = Path(tempfile.gettempdir()) / f"ringfence-prepared-{os.geteuid()}"
    home.mkdir(mode=0o711, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        key = _key()
        for old in home.iterdir():
            if old.is_dir() and not old.name.endswith(key):
                shutil.rmtree(old)
        ready = home / f"{name}-{key}"
        if not ready.exists():
            making = home / f"making-{name}-{key}"
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir(mode=0o711)
            make(making)
            making.rename(ready)
        # With owners, which Python does not copy.
        subprocess.run(["cp", "--archive", "--reflink=auto", ready / part, target], check=True, timeout=START_SECONDS)


def _key():
    """A short name of the program, the schema and the day, because demo data ends on the day on which it is made."""
    home = Path(os.environ.get("RINGFENCE_HOME", CHECKOUT))
    files = [Path(BINARY), *sorted((home / "Migrations").iterdir()), home / "Resources/sources.yaml"]
    texts = [f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files]
    day = subprocess.run(["date", "--utc", "+%F"], check=True, capture_output=True, text=True).stdout
    return hashlib.sha256("\n".join([*texts, day]).encode()).hexdigest()[:12]
