import contextlib
import os
import shlex
import sys
import tempfile
from pathlib import Path

import pytest

import prepared_data
from ringfence_server import BINARY, CHECKOUT, RingfenceServer

# The most failures that the last lines name.
MOST_NAMED = 20


@pytest.fixture(scope="session")
def make_shared_server():
    """Starts servers for several files, as `make_server` does; all are ended and removed after the last test."""
    with servers() as make:
        yield make


@pytest.fixture(scope="module")
def make_server():
    """Starts servers with separate data folders; all are ended and removed after the last test of the file.

    Their databases are copies of one that has the schema, and the demo data after `--demo`.
    """
    with servers() as make:
        yield make


@contextlib.contextmanager
def servers():
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is missing: build it, or set RINGFENCE_BINARY.", 1)
    made = []

    def make(*arguments, **variables):
        folder = tempfile.TemporaryDirectory(prefix="ringfence-test-")
        server = RingfenceServer(folder.name, *arguments, **variables)
        made.append((server, folder))
        prepared_data.copy(server)
        return server.start()

    yield make
    for server, folder in made:
        server.close()
        folder.cleanup()


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    """The last lines name each failure: what was expected and what came, and the command that runs the test alone."""
    failed = terminalreporter.stats.get("failed", []) + terminalreporter.stats.get("error", [])
    for report in failed[:MOST_NAMED]:
        path = os.path.relpath(Path(config.rootpath) / report.nodeid.partition("::")[0], CHECKOUT)
        name = shlex.quote(f"{path}::{report.nodeid.partition('::')[2]}")
        marks = " -m slow" if "slow" in report.keywords else ""
        crash = getattr(report.longrepr, "reprcrash", None)
        terminalreporter.write_line(f"\n{path}::{report.nodeid.partition('::')[2]}")
        terminalreporter.write_line("  " + (crash.message if crash else report.longreprtext)[:1_000].replace("\n", "\n  "))
        terminalreporter.write_line(f"  alone: {os.path.relpath(sys.executable, CHECKOUT)} -m pytest{marks} {name}")
    if len(failed) > MOST_NAMED:
        terminalreporter.write_line(f"\nand {len(failed) - MOST_NAMED} more")
