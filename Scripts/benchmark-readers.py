#!/usr/bin/env python3
"""Compares the readers of packs in Swift and in Java on the same files, and writes a page: benchmark-readers.py TOOL SHARED OUT.

TOOL is the pack-benchmark executable of a release build, SHARED the folder that contains data/packs. It needs a JDK.
"""
import json
import lzma
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
TOOL, SHARED, OUT = sys.argv[1:]
LISTS = [("2,000,000 numbers that block", "block-2m.txt.xz", "blocking"), ("2,000,000 numbers with names", "directory-2m.tsv.xz", "identification")]
OPTIONS = ["-Xmx16m", "-XX:+UseSerialGC"]


def changed(lines):
    """A day later: 1 % of the lines are gone, and the numbers after as many others are new."""
    chance = random.Random(1)
    for line, following in zip(lines, lines[1:] + [None]):
        turn = chance.random()
        if turn >= 0.01:
            yield line
        number, tab, label = line.partition("\t")
        if turn > 0.99 and following is not None and int(following.partition("\t")[0]) > int(number) + 1:
            yield f"{int(number) + 1}{tab}{label}"


def main(folder):
    sources = [*CHECKOUT.glob("Clients/android/core/src/**/*.java"), CHECKOUT / "Clients/android/test/ringfence/reader/Measure.java"]
    subprocess.run(["javac", "--release", "11", "-d", folder / "classes", *sources], check=True)

    def swift(*arguments):
        return json.loads(subprocess.run([TOOL, *map(str, arguments)], check=True, capture_output=True).stdout)

    def java(*arguments):
        command = ["java", *OPTIONS, "-cp", folder / "classes", "ringfence.reader.Measure", *map(str, arguments)]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    lines = []
    for name, path, kind in LISTS:
        with lzma.open(os.path.join(SHARED, "data/packs", path), "rt", encoding="utf-8") as file:
            rows = file.read().splitlines()
        base, after, delta = folder / "base.rfpack", folder / "after.rfpack", folder / "delta"
        for pack, content, more in ((base, rows, ()), (after, changed(rows), (base,))):
            (folder / "list").write_text("".join(f"{row}\n" for row in content), encoding="utf-8")
            swift("build", folder / "list", pack, "standard", kind, *more)
        size = swift("diff", base, after, delta)["bytes"]
        results = {}
        for reader, run in (("Swift", swift), ("Java", java)):
            results[reader] = run("lookup", base), run("verify", base), run("apply", base, delta, folder / reader)
            assert (folder / reader).read_bytes() == after.read_bytes()
        assert abs(results["Swift"][0]["found"] - results["Java"][0]["found"]) < 500
        for reader, (look, verify, apply) in results.items():
            heap = max(part.get("heap_kb", 0) for part in (look, verify, apply))
            lines.append(f"| {name}, delta of {size:,} bytes | {reader} | {1e6 / look['per_second']:.0f} | {verify['first']:.2f} | {verify['best']:.2f} | "
                         f"{apply['first']:.2f} | {apply['best']:.2f} | {f'{heap / 1024:.1f}' if heap else '–'} | {look['peak_kb'] / 1024:.0f} | "
                         f"{apply['peak_kb'] / 1024:.0f} |")
    table = "\n".join(lines)
    page = f"""# Readers

**Question.** How long do look-up, verification and update take in the reader in Java, beside the kit in Swift?

**Command.** It needs the lists of `../shared`, or of `SHARED=DIR`, and a JDK.

```sh
make benchmark-readers
```

**Measured** in {time.strftime('%B %Y')}, one reader after the other, with a load of {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores at the end.

| pack | reader | look-up, µs | verification, s | best of 9, s | update, s | best of 3, s | heap, MB | peak of look-up, MB | peak of update, MB |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{table}

Times are processor time of one thread. Look-ups are random, half of them hits. Verification checks every entry and computes the digest
of the content. An update applies a delta of one day, with 1 % of the numbers removed and 1 % added, writes the pack, and verifies it;
both readers write the same bytes. The network and the signatures are not included: a signature takes some milliseconds in Java.
Java runs with `{" ".join(OPTIONS)}`. "Heap" is its highest use in the three measurements; a peak is the memory
of the process, which includes the JVM.
"""
    Path(OUT).write_text(page)
    print(page)


with tempfile.TemporaryDirectory(prefix="benchmark-readers-") as scratch:
    main(Path(scratch))
