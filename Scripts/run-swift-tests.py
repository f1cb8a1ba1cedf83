#!/usr/bin/env python3
"""Runs the built Swift tests: Scripts/run-swift-tests.py SCRATCH-PATH

Suites with failures run once more, alone, because a test with a limit of time can fail on a busy machine. The end of the
output names the first failures in both cases: a test that passes only alone needs a correction.
"""
import os
import re
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

# With more failures than this, nothing is repeated.
MOST_REPEATED = 5


def run(scratch: str, width: int, suites: list[str] = []) -> tuple[int, dict[str, list[str]]]:
    """The exit status, and the failures of each suite."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["swift", "test", "--scratch-path", scratch, "--skip-build", "--xunit-output", f"{folder}/tests.xml"]
        for suite in suites:
            command += ["--filter", f"^{re.escape(suite)}/"]
        # Without a bound all tests start at once, and on two cores each waits for the others longer than its limits allow.
        environment = dict(os.environ, SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=str(width))
        status = subprocess.run(command, env=environment).returncode
        failures: dict[str, list[str]] = {}
        try:
            cases = ElementTree.parse(f"{folder}/tests-swift-testing.xml").iter("testcase")
        except (OSError, ElementTree.ParseError):
            return status or 1, failures  # The process ended before its report.
        for case in cases:
            for failure in case.iter("failure"):
                failures.setdefault(case.get("classname", ""), []).append(
                    f"{case.get('classname')}: {case.get('name')}: {failure.get('message')}")
        return status, failures


def main() -> int:
    scratch = sys.argv[1]
    status, failures = run(scratch, width=16)
    if status == 0 or not failures:
        return status
    texts = [text for suite in failures.values() for text in suite]
    if len(texts) <= MOST_REPEATED:
        status, _ = run(scratch, width=1, suites=list(failures))
    print("\nFailed beside other tests, passed alone:" if status == 0 else "\nFailed:")
    print("\n".join(texts), flush=True)
    return status


sys.exit(main())
