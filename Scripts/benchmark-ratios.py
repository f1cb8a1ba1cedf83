#!/usr/bin/env python3
"""Measures the server beside its peers, each pair in the same run, and writes the ratios to a page.

    Scripts/benchmark-ratios.py PROGRAM BENCHMARK PAGE [--numbers COUNT] [--seconds SECONDS] [--complaints FILE]

PROGRAM and BENCHMARK are `ringfence` and `ringfence-benchmark`. FILE is a list of complaints in the format ftc-tsv; without it
the import of complaints is left out. The data are in a temporary folder, about 2 GB with 2,000,000 numbers.
"""

import argparse
import datetime
import http.client
import json
import os
import re
import resource
import secrets
import shutil
import statistics
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
ASKED = 2_000


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.rows = []

    def row(self, what, figure, peer, peer_figure, ratio):
        self.rows.append((what, figure, peer, peer_figure, ratio))
        print(" | ".join((what, figure, peer, peer_figure, ratio)), flush=True)

    def call(self, program, *arguments):
        return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    @contextmanager
    def server(self, name):
        """A server on a private PostgreSQL in a new folder: the folder and the address."""
        data = self.folder / name
        log = (self.folder / f"{name}.log").open("w")
        process = subprocess.Popen(
            [self.options.program, "serve", "--data", data, "--port", "0", "--no-limits"], stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            address = next(m[1] for line in process.stdout if (m := re.match(r"Listening on http://(\S+)", line)))
            yield data, address
        finally:
            process.terminate()
            process.wait(timeout=60)


def psql(data, *arguments):
    socket = (data / "server.lock").read_text().split("\n")[1]
    return ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--set=ON_ERROR_STOP=1", f"--host={socket}", "--username=ringfence",
            "--dbname=ringfence", *arguments]


def seconds(command, **more):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **more)
    return time.monotonic() - start


def copied(data, file, columns):
    """Seconds of \\copy of a file of TSV into a bare table."""
    table = f"bare_{secrets.token_hex(4)}"
    names = ", ".join(f"c{place} text" for place in range(columns))
    subprocess.run(psql(data, f"--command=CREATE TABLE {table} ({names})"), check=True)
    return seconds(psql(data, f"--command=\\copy {table} FROM '{file}'"))


def reports(run):
    with run.server("reports") as (data, address):
        key = run.folder / "key"
        key.write_text(run.call(run.options.program, "app", "create", "benchmark", "--data", data))
        for batch, what in ((1, "reports, one a request, 64 connections"), (100, "reports, a hundred a request, 64 connections")):
            found = json.loads(run.call(
                run.options.benchmark, "intake", "--url", f"http://{address}", "--key-file", key, "--data", data, "--connections", 64,
                "--batch", batch, "--seconds", run.options.seconds, "--json"))
            rate, peer = found["server"]["reports_per_second"], found["peers"][1]
            run.row(what, f"{rate:,.0f}/s", "pgbench, bare single-row inserts", f"{peer['rows_per_second']:,.0f}/s",
                    f"{rate / peer['rows_per_second']:.2f}")


def pages(run, data, address):
    found = run.call(run.options.benchmark, "pages", "--url", f"http://{address}", "--data", data, "--rounds", 200)
    for name, median, reference in re.findall(r"^(\S[^\n]*?) {2,}([\d.]+) +[\d.]+ +([\d.]+) ", found, re.M):
        if name in ("queue, first page", "case", "search, part of a number"):
            run.row(f"page: {name}, median", f"{float(median):.2f} ms", "SELECT 1 through a pool", f"{float(reference):.3f} ms",
                    f"{float(median) / float(reference):.1f}")


def publication(run, data):
    gates = ["--max-size=100000", "--max-churn=100000", "--min-size=0"]
    took = seconds([run.options.program, "publish", "--data", data, *gates])
    copy = " ".join(f"'{part}'" for part in psql(data, "--command=\\copy (SELECT number FROM listings ORDER BY number) TO STDOUT"))
    peer = seconds(["sh", "-c", f"{copy} | gzip -9"])
    run.row("publication", f"{took:.1f} s", "COPY of the listed numbers, gzip -9", f"{peer:.1f} s", f"{took / peer:.2f}")


def lookups(run, data, address):
    key = run.call(run.options.program, "app", "create", "lookups", "--data", data).strip()
    connection = http.client.HTTPConnection(address)

    def median(path):
        times = []
        for _ in range(ASKED):
            start = time.perf_counter()
            connection.request("GET", path(), headers={"Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, (answer.status, path())
            times.append(time.perf_counter() - start)
        return statistics.median(times) * 1e6

    peer = median(lambda: "/readyz")
    took = median(lambda: f"/v1/numbers/by-hash/{secrets.token_hex(2)}")
    run.row("look-up by hash, median", f"{took:.0f} µs", "`/readyz`", f"{peer:.0f} µs", f"{took / peer:.2f}")


def directory(run):
    file = run.folder / "directory.tsv"
    run.call(run.options.program, "simulate", "directory", "--rows", run.options.numbers // 10, "--out", file)
    with run.server("directory") as (data, _):
        took = seconds([run.options.program, "import", "directory", file, "--source", "benchmark", "--region", "US", "--data", data])
        peer = copied(data, file, file.open().readline().count("\t") + 1)
    run.row(f"import of a directory, {run.options.numbers // 10:,} rows", f"{took:.1f} s", "\\copy into a bare table", f"{peer:.2f} s",
            f"{took / peer:.1f}")


def complaints(run):
    plain = run.folder / "complaints.tsv"
    with plain.open("wb") as file:
        subprocess.run(["zcat", "--force", run.options.complaints], check=True, stdout=file)
    with run.server("complaints") as (data, _):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = seconds([run.options.program, "import", "complaints", plain, "--format", "ftc-tsv", "--data", data])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        peer = copied(data, plain, plain.open().readline().count("\t") + 1)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    run.row("import of complaints", f"{took:.1f} s, {used:.1f} s of the processor in the program", "\\copy into a bare table",
            f"{peer:.2f} s", f"{took / peer:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("page", type=Path)
    parser.add_argument("--numbers", type=int, default=2_000_000)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--complaints", type=Path)
    options = parser.parse_args()
    options.program, options.benchmark = options.program.resolve(), options.benchmark.resolve()
    os.environ.setdefault("RINGFENCE_HOME", str(CHECKOUT))
    folder = Path(tempfile.mkdtemp(prefix="ringfence-benchmark-"))
    start, load = time.monotonic(), os.getloadavg()[0]
    try:
        run = Run(options, folder)
        reports(run)
        with run.server("numbers") as (data, address):
            run.call(options.benchmark, "fill", "--numbers", options.numbers, "--queue", min(5_000, options.numbers), "--data", data)
            pages(run, data, address)
            publication(run, data)
            lookups(run, data, address)
        directory(run)
        if options.complaints:
            complaints(run)
    finally:
        shutil.rmtree(folder)
    lines = [f"| {' | '.join(row)} |" for row in run.rows]
    options.page.write_text(f"""# Ratios

**Question.** What does the server cost beside the simplest program that does the same with the same data?

**Command.**

```sh
make benchmark
```

Each pair was measured in one run, so compare the ratios: the figures depend on the machine. `Scripts/benchmark-ratios.py` writes
this page.

**Measured** on {datetime.date.today():%-d %B %Y}: {os.cpu_count()} cores with a load of {load:.0f} at the beginning, {options.numbers:,} numbers,
{time.monotonic() - start:.0f} s in all.

| measured | figure | peer | its figure | ratio |
| --- | ---: | --- | ---: | ---: |
""" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
