#!/usr/bin/env python3
"""Runs the built Swift tests: Scripts/run-swift-tests.py SCRATCH-PATH

The suites of intake, imports, sources, publications and the queue run on a cluster of Debian's PostgreSQL as initdb makes
it, where statements are compiled (JIT) unless the server prevents it; the others run on the embedded one.

The end of the output names the failures. After half an hour the tests are ended, and those that have begun are named: one
of them waits forever.
"""
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Tests"))
from stock_postgres import StockCluster, open_folder  # noqa: E402

SECONDS = 1_800

STOCK = [
    r"^(IntakeTests|ImportingTests)\.", r"^StorageTests\.(.*Queue|.*Source|AcceptReports|.*Withdraw|BulkImport)",
    r"^PublishingTests\.(Publisher|Provenance|Selection|RangePublication)",
]

STARTED = re.compile(r"^\S+ Test (\S.*) started\.$")
ENDED = re.compile(r"^\S+ Test (\S.*?)(?: with \d+ test cases?)? (?:passed|failed|skipped|recorded|cancelled)\b")


def watch(command: list[str], environment: dict[str, str]) -> int:
    """Runs the tests, prints what they print, and ends them after the limit.
    - Returns: their status."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, errors="replace",
                          start_new_session=True) as process:
        # The program of the tests has a process group of its own, and the same session.
        def end():
            subprocess.run(["pkill", "-KILL", "--session", str(process.pid)])
        timer = threading.Timer(SECONDS, end)
        timer.start()
        begun = {}
        try:
            for line in process.stdout:
                print(line, end="", flush=True)
                if match := STARTED.match(line):
                    begun[match[1]] = True
                elif match := ENDED.match(line):
                    begun.pop(match[1], None)
            status = process.wait()
        except KeyboardInterrupt:
            end()
            raise
        finally:
            timer.cancel()
    if status == -signal.SIGKILL:
        print(f"\nEnded after {SECONDS} s. These tests had begun:\n" + "\n".join(begun), flush=True)
        return 1
    return status


def run(scratch: str, choice: list[str]) -> tuple[int, list[str]]:
    """Runs the tests that options of `swift test` choose.
    - Returns: their status, and a text for each failure."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["swift", "test", "--scratch-path", scratch, "--skip-build", "--xunit-output", f"{folder}/tests.xml"]
        # Without a bound all tests start at once, and on two cores each waits for the others longer than its limits allow.
        environment = dict(os.environ, SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="16")
        status = watch(command + choice, environment)
        try:
            cases = ElementTree.parse(f"{folder}/tests-swift-testing.xml").iter("testcase")
        except (OSError, ElementTree.ParseError):
            return status or 1, ["The process ended before its report."]
        failures = [(f"{case.get('classname')}/{case.get('name')}", failure.get("message"))
                    for case in cases for failure in case.iter("failure")]
    texts = []
    for name, message in failures:
        alone = shlex.quote(f"^{re.escape(name)}".replace(r"\ ", " "))
        texts.append(f"{name}\n  {message}\n  alone: swift test --scratch-path {scratch} --skip-build --filter {alone}")
    return status, texts


def main() -> int:
    scratch = sys.argv[1]
    status, failures = run(scratch, [part for suite in STOCK for part in ("--skip", suite)])
    try:
        stock, more = run_on_stock(scratch)
        failures += more
    finally:
        if failures:
            print("\nFailed:", *failures, sep="\n", flush=True)
    return status or stock


def run_on_stock(scratch: str) -> tuple[int, list[str]]:
    """Runs the suites for Debian's PostgreSQL, as `run`."""
    with open_folder() as folder:
        # As many connections as the tests have; the private cluster of the tests allows them too.
        cluster = StockCluster(folder, settings=["max_connections = 300"])
        try:
            assert cluster.admin("SELECT pg_jit_available() AND current_setting('jit')::boolean") == ["t"]
            cluster.admin("ALTER ROLE ringfence CREATEDB")
            os.environ["RINGFENCE_TEST_DATABASE_URL"] = f"host={cluster.folder} port={cluster.port} user=ringfence"
            return run(scratch, [part for suite in STOCK for part in ("--filter", suite)])
        finally:
            cluster.close()


sys.exit(main())
