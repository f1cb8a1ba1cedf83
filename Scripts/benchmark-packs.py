#!/usr/bin/env python3
"""Compares packs with other ways to store the same lists, and prints one table.

usage: benchmark-packs.py TOOL SHARED [OUT]
  TOOL    the pack-benchmark executable of a release build
  SHARED  the folder that contains data/packs and data/complaints
  OUT     a Markdown file to write as well
"""
import csv
import io
import json
import lzma
import os
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TOOL, SHARED = sys.argv[1:3]
DATA = os.path.join(SHARED, "data")
LISTS = [("block", "packs/block-2m.txt.xz"), ("toxic", "packs/toxic-100k.tsv.xz"),
         ("directory", "packs/directory-2m.tsv.xz")]
WORK = tempfile.mkdtemp(prefix="benchmark-pack-")
LINES = []


def say(line=""):
    LINES.append(line)
    print(line, flush=True)


def tool(*arguments):
    return json.loads(subprocess.run([TOOL, *arguments], check=True, capture_output=True).stdout)


def work(name):
    return os.path.join(WORK, name)


def deflated(data):
    return len(zlib.compress(data, 9))


def sqlite(rows, labelled):
    path = work("peer.sqlite")
    if os.path.exists(path):
        os.remove(path)
    base = sqlite3.connect(path)
    if labelled:
        base.execute("create table entry(number integer primary key, label text not null)")
        base.executemany("insert into entry values(?, ?)", rows)
    else:
        base.execute("create table entry(number integer primary key)")
        base.executemany("insert into entry values(?)", ((number,) for number, _ in rows))
    base.commit()
    base.execute("vacuum")
    base.close()
    return os.path.getsize(path)


def peers(rows, labelled):
    count = len(rows)
    records = b"".join(struct.pack("<HQ", 8 + len(label), number) + label for number, label in rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((n, l.decode()) for n, l in rows) if labelled else writer.writerows((n,) for n, _ in rows)
    lines = text.getvalue().encode()
    return {
        "2GIS records": len(records) / count, "2GIS records + zlib -9": deflated(records) / count,
        "2GIS records + xz -9e": len(lzma.compress(records, preset=9 | lzma.PRESET_EXTREME)) / count,
        "CSV + zlib -9": deflated(lines) / count,
        "SQLite": sqlite([(n, l.decode()) for n, l in rows], labelled) / count,
    }


def change(rows, labelled):
    """Changes one entry in a hundred: a third is removed, a third added, a third gets another entry's label."""
    source, numbers, out = random.Random(1), {n for n, _ in rows}, []
    for number, label in rows:
        dice = source.randrange(300)
        if dice == 0:
            continue
        out.append((number, rows[source.randrange(len(rows))][1] if labelled and dice == 1 else label))
        if dice == 2 and number + 7 not in numbers:
            out.append((number + 7, rows[source.randrange(len(rows))][1] if labelled else b""))
    return sorted(out)


def write(name, rows, labelled):
    with open(work(name), "wb") as file:
        for number, label in rows:
            file.write(b"%d\t%s\n" % (number, label) if labelled else b"%d\n" % number)
    return work(name)


def pack(name, profile, labelled, base=None):
    out = work("%s-%s.rfpack" % (os.path.basename(name), profile))
    built = tool("build", name, out, profile, "identification" if labelled else "blocking", *([base] if base else []))
    return out, built


def main():
    tiny, _ = pack(write("tiny", [(12, b"Scam"), (13, b"Scam"), (15, b"Silent call")], True), "lean", True)
    sizes, walks, deltas = {}, [], []
    for name, path in LISTS:
        rows = []
        with lzma.open(os.path.join(DATA, path)) as file:
            for line in file:
                number, _, label = line.rstrip(b"\r\n").partition(b"\t")
                rows.append((int(number), label))
        labelled = bool(rows[0][1])
        sizes[name] = peers(rows, labelled)
        listed = write(name, rows, labelled)
        for profile in ("lean", "standard"):
            out, built = pack(listed, profile, labelled)
            sizes[name]["pack, " + profile] = built["bytes"] / built["entries"]
            walk, look = tool("walk", out, tiny), tool("lookup", out)
            walks.append((name, profile, walk, look, built))
        successor = write(name + "-next", change(rows, labelled), labelled)
        after, built = pack(successor, "standard", labelled, out)
        deltas.append((name + ", 1 % changed", tool("diff", out, after, work("delta"))))
    rolling = []
    for day in ("2025-10-28", "2025-11-20"):
        with lzma.open(os.path.join(DATA, "complaints/ftc-rolling-%s.csv.xz" % day)) as file:
            numbers = {int(line) for line in file if line.strip().isdigit()}
        numbers = sorted({10**10 + n if n < 10**10 else n for n in numbers if 0 < n < 10**15})
        rolling.append(pack(write("rolling-" + day, [(n, b"") for n in numbers], False), "standard", False)[0])
    deltas.append(("rolling complaints, 2025-10-28 to 2025-11-20", tool("diff", *rolling, work("delta"))))

    say("# Packs")
    say()
    say("**Question.** How large are packs, and how fast are they read, compared with other formats?")
    say()
    say("**Command.** It needs the lists of `../shared`, or of `SHARED=DIR`: 2,000,000 numbers to block, 100,000 numbers with 8")
    say("categories, 2,000,000 numbers with names.")
    say()
    say("```sh")
    say("make benchmark-pack")
    say("```")
    say()
    say(f"**Measured** in {time.strftime('%B %Y')}.")
    say()
    say("## Bytes per entry")
    say()
    say("| format | " + " | ".join(name for name, _ in LISTS) + " |")
    say("| --- |" + " ---: |" * len(LISTS))
    for key in sizes["block"]:
        say("| %s | %s |" % (key, " | ".join("%.3f" % sizes[name][key] for name, _ in LISTS)))
    say()
    say("## Reading and writing")
    say()
    say("One thread; seconds are processor time. Growth is private memory over a walk through all entries, in a process of")
    say("its own. Lookups are random, half of them hits.")
    say()
    say("| list, profile | million entries/s | walk, s | growth, KB | lookups/s | writing, s | writer's peak, MB |")
    say("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, profile, walk, look, built in walks:
        say("| %s, %s | %.1f | %.3f | %d | %d | %.1f | %d |" % (
            name, profile, walk["per_second"] / 1e6, walk["seconds"], walk["growth_kb"], look["per_second"],
            built["seconds"], built["peak_kb"] // 1024))
    say()
    say("## Deltas")
    say()
    say("| from, to | removed | added | changed | delta, bytes | of the full pack |")
    say("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, delta in deltas:
        say("| %s | %d | %d | %d | %d | %.2f %% |" % (
            name, delta["removed"], delta["added"], delta["changed"], delta["bytes"],
            100 * delta["bytes"] / delta["result_bytes"]))


main()
if len(sys.argv) > 3:
    with open(sys.argv[3], "w") as file:
        file.write("\n".join(LINES) + "\n")
subprocess.run(["rm", "-rf", WORK])
