"""The program reads numbers as PyPI's `phonenumbers` does, whose data it has.

Compared are the result, the reason of a refusal, and of each number its region, kind and written forms.
"""
import collections
import gzip
import os
import subprocess
from pathlib import Path

import phonenumbers
import pytest
from number_strings import Strings, expected, short_kind
from phonenumbers import re_util

ROOT = Path(__file__).resolve().parents[2]
PROBE = Path(os.environ.get("RINGFENCE_BINARY", ROOT / ".build/debug/ringfence")).with_name("number-probe")
SHARED = Path(os.environ.get("RINGFENCE_SHARED", ROOT.parent / "shared")) / "data/numbering"
# Each is explained in Documentation/decisions.
MOST_DIFFERENCES = 1e-5

re_util.enable_pattern_cache()


def escaped(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def probe(lines, *arguments):
    done = subprocess.run([PROBE, *arguments], input="".join(f"{line}\n" for line in lines), capture_output=True, text=True,
                          encoding="utf-8", timeout=1_800, check=True)
    return done.stdout.split("\n")[:-1]


def differences(rows):
    """Rows are a kind, a region and a text. Returns what differs, and how many rows each kind has."""
    rows = list(rows)
    answers = probe(f"{region or ''}\t{escaped(text)}" for _, region, text in rows)
    assert len(answers) == len(rows)
    found, counts = [], collections.Counter()
    for (kind, region, text), answer in zip(rows, answers, strict=True):
        counts[kind] += 1
        wanted = expected(region, text)
        if answer != wanted:
            found.append((kind, region, text, answer, wanted))
    return found, counts


def compare(seed, count, size=100_000):
    strings, found, counts = Strings(seed), [], collections.Counter()
    for start in range(0, count, size):
        more, some = differences(strings.draw() for _ in range(min(size, count - start)))
        found += more
        counts += some
    by_kind = collections.Counter(kind for kind, *_ in found)
    for kind, number in sorted(counts.items()):
        print(f"{kind}: {by_kind[kind]} of {number} differ")
    for row in found[:50]:
        print(row)
    assert len(found) <= count * MOST_DIFFERENCES


def test_strings_of_every_region():
    compare(seed=52, count=30_000)


@pytest.mark.slow
@pytest.mark.timeout(5_400)
def test_millions_of_strings():
    compare(seed=2026, count=3_000_000)


@pytest.mark.skipif(not SHARED.exists(), reason="needs the real data")
@pytest.mark.parametrize("regions", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_real_strings(regions):
    """Each in one region in turn, or in all three."""
    places = ["US", "DE", None]
    with gzip.open(SHARED / "raw-to-e164-sample.tsv.gz", "rt", encoding="utf-8") as file:
        raw = [line.split("\t")[0] for line in file.read().split("\n")[1:] if line]
    found, counts = differences(
        ("raw", places[(place + turn) % 3], text) for place, text in enumerate(raw) for turn in range(regions))
    assert counts["raw"] > 15_000 * regions and not found, found[:20]
    lines = (SHARED / "libphonenumber-examples.csv").read_text(encoding="utf-8").splitlines()[1:]
    examples = [line.split(",") for line in lines]
    found, counts = differences(
        ("example", None if region == "001" else region, text) for region, _, *texts in examples for text in texts[:3])
    assert not found, found[:20]


def test_digits_and_short_numbers():
    strings, numbers = Strings(7), []
    while len(numbers) < 20_000:
        _, region, text = strings.draw()
        if region is not None:
            try:
                number = phonenumbers.parse(text, region)
            except phonenumbers.NumberParseException:
                continue
            national = phonenumbers.national_significant_number(number)
            if len(f"{number.country_code}{national}") <= 15:
                number.extension = None
                numbers.append(number)
    digits = [f"{number.country_code}{phonenumbers.national_significant_number(number)}" for number in numbers]
    for number, answer in zip(numbers, probe(digits, "digits"), strict=True):
        is_valid, _, region, *_, short = answer.split("\t")
        assert is_valid == str(int(phonenumbers.is_valid_number(number))), number
        assert region == (phonenumbers.region_code_for_number(number) or "001"), number
        assert short == short_kind(number), number
