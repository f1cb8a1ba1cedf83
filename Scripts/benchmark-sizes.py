#!/usr/bin/env python3
"""Measures a server with a large database beside one with a small one, request by request in turn, and prints a table.

    Scripts/benchmark-sizes.py PROGRAM BENCHMARK FOLDER [--small COMPLAINTS] [--large COMPLAINTS] [--rounds COUNT]

PROGRAM and BENCHMARK are `ringfence` and `ringfence-benchmark`. FOLDER keeps the databases for the next run: about 600 bytes for
each complaint. They are made by `ringfence simulate` and by the import into an empty database, which copies.
"""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import uuid
from contextlib import ExitStack, contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


class Server:
    """A server on a private PostgreSQL, which is filled if it is new."""

    def __init__(self, options, complaints):
        self.options, self.complaints = options, complaints
        self.data = options.folder / f"{complaints}"

    def call(self, *arguments):
        return subprocess.run(
            [self.options.program, *map(str, arguments), "--data", self.data], check=True, capture_output=True, text=True).stdout

    @contextmanager
    def run(self):
        is_new = not self.data.exists()
        with (self.options.folder / f"{self.complaints}.log").open("w") as log:
            process = subprocess.Popen(
                [self.options.program, "serve", "--data", self.data, "--port", "0", "--no-limits"], stdout=subprocess.PIPE, stderr=log,
                text=True)
        try:
            self.address = next(m[1] for line in process.stdout if (m := re.match(r"Listening on http://(\S+)", line)))
            if is_new:
                self.fill()
            self.prepare()
            yield self
        finally:
            process.terminate()
            process.wait(timeout=120)

    def fill(self):
        file = self.options.folder / f"{self.complaints}.jsonl"
        start = time.monotonic()
        if not file.exists():
            subprocess.run([self.options.program, "simulate", "complaints", "--complaints", str(self.complaints), "--days", "360", "--out",
                            file], check=True)
        made = time.monotonic()
        self.call("import", "complaints", file, "--format", "jsonl")
        print(f"{self.complaints:,} complaints: {made - start:.0f} s to simulate, {time.monotonic() - made:.0f} s to import", flush=True)
        file.unlink()

    def prepare(self):
        self.key = self.call("app", "create", f"Benchmark {uuid.uuid4()}", "--scopes", "report,lookup").strip()
        [(count, reports)] = self.query("SELECT count(*), sum(reports) FROM numbers")
        self.counts = int(count), int(reports)
        self.numbers = [row[0] for row in self.query("SELECT number FROM numbers TABLESAMPLE BERNOULLI (10) LIMIT 20000")]
        random.Random(7).shuffle(self.numbers)
        self.connection = http.client.HTTPConnection(self.address)

    def query(self, sql):
        socket = (self.data / "server.lock").read_text().split("\n")[1]
        done = subprocess.run(
            ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--field-separator=,", f"--host={socket}",
             "--username=ringfence", "--dbname=ringfence", f"--command={sql}"], check=True, capture_output=True, text=True)
        return [line.split(",") for line in done.stdout.splitlines() if line]

    def request(self, method, path, body=None):
        """Seconds until the answer."""
        start = time.perf_counter()
        self.connection.request(method, path, body and json.dumps(body), headers={
            "Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        answer.read()
        assert answer.status in (200, 201), (answer.status, path)
        return time.perf_counter() - start

    def report(self, number):
        return {"number": f"+{number}", "category": "fraud", "reporter": f"user-{random.randrange(10**6)}", "report_id": str(uuid.uuid4()),
                "reported_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}

    def known(self):
        return self.numbers[random.randrange(len(self.numbers))]

    def pages(self):
        """The medians in milliseconds by page."""
        found = subprocess.run(
            [self.options.benchmark, "pages", "--url", f"http://{self.address}", "--data", self.data, "--rounds", "20"],
            check=True, capture_output=True, text=True).stdout
        return {name: float(median) for name, median in re.findall(r"^(\S[^\n]*?) {2,}([\d.]+) ", found, re.M)}

    def timed(self, *arguments):
        """Seconds and the peak memory in MB of a command, without the database."""
        with tempfile.NamedTemporaryFile("r") as figures:
            subprocess.run(["/usr/bin/time", "--format=%e %M", f"--output={figures.name}", self.options.program, *arguments, "--data",
                            self.data], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wall, memory = figures.read().split()[-2:]
        return float(wall), int(memory) / 1000


REQUESTS = {
    "report about a known number": lambda server: server.request("POST", "/v1/reports", server.report(server.known())),
    "report about a new number": lambda server: server.request(
        "POST", "/v1/reports", server.report(f"1201555{random.randrange(10**4):04}")),
    "a hundred reports about known numbers": lambda server: server.request(
        "POST", "/v1/reports", [server.report(server.known()) for _ in range(100)]),
    "explanation of a number": lambda server: server.request("GET", f"/v1/numbers/{server.known()}"),
    "look-up by hash": lambda server: server.request("GET", f"/v1/numbers/by-hash/{random.randrange(16**4):04x}"),
    "look-up of a telephone system": lambda server: server.request("GET", f"/v1/pbx/{server.known()}"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in "program", "benchmark", "folder":
        parser.add_argument(name, type=Path)
    parser.add_argument("--small", type=int, default=1_500_000)
    parser.add_argument("--large", type=int, default=30_000_000)
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    options.program, options.benchmark = options.program.resolve(), options.benchmark.resolve()
    options.folder.mkdir(exist_ok=True)
    os.environ.setdefault("RINGFENCE_HOME", str(CHECKOUT))
    with ExitStack() as stack:
        servers = [stack.enter_context(Server(options, count).run()) for count in (options.small, options.large)]
        (few, some), (many, all_reports) = (server.counts for server in servers)
        print(f"\n| | {few:,} numbers, {some:,} reports | {many:,} numbers, {all_reports:,} reports | ratio |\n| --- | ---: | ---: | ---: |")

        def row(what, values, unit):
            print(f"| {what} | {values[0]:.2f} {unit} | {values[1]:.2f} {unit} | {values[1] / values[0]:.2f} |", flush=True)

        for server in servers:
            server.call("queue", "sweep")
        for what, ask in REQUESTS.items():
            times = [[], []]
            for _ in range(options.rounds):
                for place, server in enumerate(servers):
                    times[place].append(ask(server))
            row(what, [statistics.median(each) * 1e3 for each in times], "ms")
        pages = [[], []]
        for _ in range(5):
            for place, server in enumerate(servers):
                pages[place].append(server.pages())
        for page in pages[0][0]:
            row(f"page: {page}", [statistics.median(each[page] for each in rounds) for rounds in pages], "ms")
        gates = ["--max-size=100000", "--max-churn=100000", "--min-size=0"]
        backup = options.folder / "backup"
        for what, arguments in {
                "sweep of the queue": ["queue", "sweep"], "publication": ["publish", *gates], "recount": ["recount"],
                "weights of reporters": ["reporters", "recount"], "backup": ["backup", backup]}.items():
            found = []
            for server in servers:
                shutil.rmtree(backup, ignore_errors=True)
                found.append(server.timed(*arguments))
            row(what, [wall for wall, _ in found], "s")
            row(f"{what}: memory", [memory for _, memory in found], "MB")
        shutil.rmtree(backup, ignore_errors=True)


if __name__ == "__main__":
    main()
