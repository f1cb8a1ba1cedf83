"""Scripts/try-cluster on a plain PostgreSQL: every step of the operator's acceptance test of a cluster."""

import subprocess

import pytest

from ringfence_server import BINARY, CHECKOUT, environment


@pytest.fixture
def database(make_server):
    """An empty database in the PostgreSQL of a server, which itself uses a different one."""
    server = make_server()
    server.query("CREATE DATABASE trial")
    return server.dsn.replace("dbname=ringfence", "dbname=trial")


def run(*arguments):
    return subprocess.run(
        [CHECKOUT / "Scripts/try-cluster", *arguments, "--program", BINARY], env=environment(), capture_output=True,
        text=True, timeout=900)


# It repeats what other tests do with each command and operation; only its script has no other test.
@pytest.mark.slow
def test_every_step_passes_on_plain_postgresql(database):
    done = run(database, "--plain")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert all(line.startswith("ok ") for line in lines[:-1]), done.stdout
    assert lines[-1] == f"{len(lines) - 1} steps, 0 failed." and len(lines) > 25


def test_a_database_without_citus_fails(database):
    done = run(database)
    assert done.returncode == 1
    assert "FAILED  find the workers: The database has no extension citus." in done.stdout
