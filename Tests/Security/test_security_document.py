"""Every line of the threat model names a test, and every named test exists."""

import re
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
LINES = [line for line in (CHECKOUT / "SECURITY.md").read_text().splitlines() if re.match(r"\| [^-]", line)]
# A table's head is followed by a line of hyphens.
TEXT = (CHECKOUT / "SECURITY.md").read_text()
HEADS = set(re.findall(r"^(\|.*\|)\n\| ---", TEXT, re.MULTILINE))
THREATS = [line for line in LINES if line not in HEADS and line.count("|") == 5]


@cache
def swift_tests():
    """`Suite.test` of every suite, nested or not."""
    found = set()
    for file in (CHECKOUT / "Tests").rglob("*.swift"):
        text = file.read_text()
        suites = re.findall(r"@Suite[^{]*?(?:struct|enum|final class|actor) (\w+)", text)
        # Tests of a suite in several files.
        suites += re.findall(r"^extension (\w+Tests) \{", text, re.MULTILINE)
        tests = re.findall(r"@Test\b.*?\bfunc (?:`([^`]+)`|(\w+))", text, re.DOTALL)
        found |= {f"{suite}.{raw or plain}" for suite in suites for raw, plain in tests}
    return found


@cache
def python_tests():
    return {
        f"{file.relative_to(CHECKOUT / 'Tests')}::{name}"
        for file in (CHECKOUT / "Tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)}


def test_the_work_of_an_appeal_is_the_default():
    # A test compares this table with the code.
    settings = (CHECKOUT / "Documentation/configuration.md").read_text()
    bits, delay = (int(re.search(rf"^\| `{name}` \| (\d+)", settings, re.MULTILINE)[1]) for name in ("appeal-work", "appeal-delay"))
    assert f"{2 ** bits:,} hashes on average, or {delay} seconds" in TEXT
    # At 1.5 million hashes a second.
    seconds = 2 ** bits / 1_500_000
    assert f"{seconds:.2f} seconds in C on one core" in TEXT
    assert f"100,000 forms take a core {100_000 * seconds / 3600:.1f} hours" in TEXT


def test_there_is_a_line_for_everybody_who_can_hurt():
    text = TEXT.lower()
    for who in ["apps", "reporters", "brigades", "strangers", "owners of numbers", "triage", "moderators",
                "administrators", "an app's key", "the signing key", "a copy of the database", "a mirror", "a pack"]:
        assert who in text, who
    assert len(THREATS) >= 40


@pytest.mark.parametrize("line", THREATS, ids=lambda line: line.split("|")[1].strip()[:60])
def test_every_line_names_a_test_that_exists(line):
    names = re.findall(r"`([\w/]+(?:\.py::\w+|\.[^`]+))`", line.split("|")[4])
    assert names, f"No test is named: {line}"
    for name in names:
        assert name in python_tests() | swift_tests(), f"There is no test {name}"
