"""The Java reader runs every vector, keeps its memory, and writes the dumps that `ringfence pack dump` writes."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
JAVA = CHECKOUT / "Clients/android"
VECTORS = CHECKOUT / "Tests/Vectors"
GOLDEN = CHECKOUT / "Tests/CallerPackTests/Golden"
subprocess.run([sys.executable, CHECKOUT / "Scripts/make-vectors.py", VECTORS, "--missing"], check=True, capture_output=True, timeout=300)
LIST = json.loads((VECTORS / "vectors.json").read_text())
KINDS = [name for name, value in LIST.items() if isinstance(value, list)]
BINARY = os.environ.get("RINGFENCE_BINARY", str(CHECKOUT / ".build/debug/ringfence"))


def output(done):
    assert done.returncode == 0 and not done.stderr, done.stdout.decode() + done.stderr.decode()
    return done.stdout


def ringfence(*arguments):
    return subprocess.run([BINARY, *arguments], check=True, capture_output=True, timeout=120).stdout


def test_all_vectors(java, tmp_path):
    lines = [f"settings\tnow\t{LIST['now']}\tkey\t{LIST['keys']['first']['public']}"]
    for name in KINDS:
        for vector in LIST[name]:
            cells = [name]
            for key, value in vector.items():
                cells += [key, " ".join(map(str, value)) if isinstance(value, list) else str(value)]
            lines.append("\t".join(cells))
    (tmp_path / "list").write_text("\n".join(lines) + "\n")
    done = java("ringfence.reader.RunVectors", VECTORS, tmp_path / "list")
    count = sum(len(LIST[name]) for name in KINDS)
    assert (done.returncode, done.stdout.decode()) == (0, f"{count} vectors, 0 failures\n"), done.stdout + done.stderr


@pytest.mark.parametrize("folder", ["packs", "deltas"])
def test_changed_bytes_are_refused_with_an_error_of_the_format(java, folder):
    assert output(java("ringfence.reader.ChangeBytes", "300", VECTORS / folder)) == b"done\n"


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.rfpack")), ids=lambda file: file.name)
def test_dump_equals_that_of_the_command(java, file):
    assert output(java("ringfence.reader.PackDump", file)) == ringfence("pack", "dump", str(file), "--format", "tsv")


def names(count, words=3_000):
    """Lines of a directory with repeated words, so that the dictionary is large."""
    chance = random.Random(1)
    word = ["".join(chance.choice("abcdefghijklmnopqrstuvwxyzäöü") for _ in range(chance.randint(2, 9))) for _ in range(words)]
    number = 493_000_000_000
    for _ in range(count):
        number += chance.randint(1, 900)
        name = " ".join(chance.choice(word) for _ in range(chance.randint(1, 4)))
        yield number, name, chance.choice(["", "\tblock"])


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A pack of 60,000 names, its successor and the delta."""
    folder = tmp_path_factory.mktemp("large")
    lines = list(names(60_000))
    changed = [line for line in lines if line[0] % 97] + [(line[0] + 10**10, *line[1:]) for line in lines[:500]]
    for name, rows, more in (("base", lines, ()), ("result", changed, ("--dictionary-of", str(folder / "base.rfpack")))):
        (folder / "list").write_text("".join(f"{number}\t{label}{block}\n" for number, label, block in rows))
        ringfence("pack", "build", "--in", str(folder / "list"), "--out", str(folder / f"{name}.rfpack"), "--kind", "both", *more)
    ringfence("pack", "diff", str(folder / "base.rfpack"), str(folder / "result.rfpack"), "--out", str(folder / "delta"))
    return folder


def test_dump_of_a_large_pack_equals_that_of_the_command(java, large):
    file = large / "base.rfpack"
    dump = output(java("ringfence.reader.PackDump", file))
    assert dump == ringfence("pack", "dump", str(file), "--format", "tsv")
    assert dump.count(b"\n") == 60_000


def test_a_walk_takes_the_memory_that_the_header_promises(java, large):
    """The sum of all that a walk takes is within the promise, and so is what it holds at once."""
    done = java("ringfence.reader.WalkPack", large / "base.rfpack", options=("-XX:+UseSerialGC", "-Xmx4m", "-Xint"))
    entries, walked, found, promised = map(int, output(done).split())
    assert entries == 60_000
    assert promised <= 1_250_000
    assert walked <= promised, (walked, promised)
    # A lookup has the dictionary already, and takes one block.
    assert found <= promised, (found, promised)


def test_delta_of_a_large_pack_gives_the_same_bytes(java, large):
    output(java("ringfence.reader.ApplyDelta", large / "base.rfpack", large / "delta", large / "new", options=("-Xmx16m",)))
    assert (large / "new").read_bytes() == (large / "result.rfpack").read_bytes()


def test_a_delta_of_another_base_writes_nothing(java, large):
    done = java("ringfence.reader.ApplyDelta", large / "result.rfpack", large / "delta", large / "other")
    assert done.returncode == 1 and b"this is not the delta's base" in done.stderr
    assert (large / "other").read_bytes() == b""


def test_the_library_uses_only_what_old_versions_of_android_have():
    """Android got these after API 26, or never."""
    missing = r"java\.util\.HexFormat|java\.security\.(?:Signature|KeyFactory)" \
        r"|Math\.floor|\brecord \w+\(|\bvar \w|(?:List|Map|Set)\.of|\.repeat\(|\.isBlank|\.strip\(|readAllBytes|transferTo"
    found = [
        f"{file.name}: {match[0]}" for file in (JAVA / "core/src").rglob("*.java")
        for line in file.read_text().splitlines() if not re.match(r"\s*(?://|/?\*)", line) for match in re.finditer(missing, line)]
    assert not found


def test_the_library_needs_no_other():
    imports = {match for file in (JAVA / "core/src").rglob("*.java") for match in re.findall(r"^import (?:static )?(\w+)", file.read_text(), re.M)}
    assert imports == {"java", "ringfence"}


def test_every_file_names_its_license():
    for file in JAVA.rglob("*.java"):
        assert file.read_text().startswith("// SPDX-License-Identifier: Apache-2.0\n"), file
