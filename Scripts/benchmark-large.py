#!/usr/bin/env python3
"""Measures a small and a large database side by side: what concerns one number in turn, then what reads everything.

    Scripts/benchmark-large.py PROGRAM BENCHMARK FOLDER [--numbers SMALL LARGE] [--reports COUNT] [--rounds COUNT]

PROGRAM and BENCHMARK are `ringfence` and `ringfence-benchmark`. FOLDER keeps the filled databases, for the next run: 20 GB with
10,000,000 numbers. --reports is for one number.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
LOOKUPS = 2_000


def cpu_of(pid, children=False):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15 if children else 13])) / TICKS


class Server:
    def __init__(self, options, numbers):
        self.options, self.numbers = options, numbers
        self.data = options.folder / f"numbers-{numbers}"
        if not self.data.exists():
            print(self.call(options.benchmark, "fill", "--numbers", numbers, "--reports", numbers * options.reports), end="")
        log = self.data.with_suffix(".log")
        self.process = subprocess.Popen(
            [options.program, "serve", "--data", self.data, "--port", "0", "--no-limits"],
            stdin=subprocess.DEVNULL, stdout=log.open("w"), stderr=subprocess.STDOUT)
        self.log = log
        self.address = self.wait(r"http://(127\.0\.0\.1:\d+|localhost:\d+)")[1]
        self.socket = (self.data / "server.lock").read_text().splitlines()[1]
        self.postmaster = int(next(self.data.rglob("postmaster.pid")).read_text().split()[0])

    def wait(self, pattern, seconds=1_200):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.log.read_text()):
                return found
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.5)
        raise TimeoutError(pattern)

    def call(self, program, *arguments):
        command = [program, *map(str, arguments), "--data", self.data]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def query(self, sql):
        return subprocess.run(
            ["psql", "-XAtq", "-h", self.socket, "-U", "ringfence", "-d", "ringfence", "-c", sql], check=True,
            capture_output=True, text=True).stdout.strip()

    def settle(self, seconds=5, most=3_600):
        """Waits until the work of a start has ended: less than a twentieth of a processor."""
        deadline = time.monotonic() + most
        while time.monotonic() < deadline:
            before = self.used()
            time.sleep(seconds)
            if self.used() - before < seconds / 20:
                return
        print(f"{self.numbers}: still working after {most} s")

    def used(self):
        """Seconds of the processor of the server and of PostgreSQL."""
        total = cpu_of(self.process.pid) + cpu_of(self.postmaster, children=True)
        for pid in subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.postmaster)], capture_output=True, text=True).stdout.split():
            try:
                total += cpu_of(pid)
            except OSError:
                pass
        return total

    def key(self):
        name = f"large-{time.time_ns()}"
        return re.search(r"rf_\S+", self.call(self.options.program, "app", "create", name))[0]

    def intake(self, batch):
        before = self.used()
        figures = json.loads(self.call(
            self.options.benchmark, "intake", "--url", f"http://{self.address}", "--key-file", self.key_file, "--connections", 64,
            "--batch", batch, "--seconds", self.options.seconds, "--filled", self.numbers, "--no-peers", "--json",
            "--seed", time.time_ns() % 1_000_000))
        return (self.used() - before) / figures["server"]["accepted"] * 1e6

    def lookups(self):
        connection, times = http.client.HTTPConnection(self.address), []
        before = self.used()
        for _ in range(LOOKUPS):
            index = random.randrange(self.numbers)
            start = time.perf_counter()
            connection.request(
                "GET", f"/v1/numbers/%2B{12_010_000_000 + index * 797 + index % 5}", headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            times.append(time.perf_counter() - start)
        return statistics.median(times) * 1e6, (self.used() - before) / LOOKUPS * 1e6

    def pages(self):
        text = self.call(self.options.benchmark, "pages", "--url", f"http://{self.address}", "--rounds", 100)
        return {row[1]: row[2] for row in re.finditer(r"^(\S.*?)  +([\d.]+) ", text, re.M)}

    def timed(self, work):
        before, start = self.used(), time.monotonic()
        usage = os.times()
        work()
        children = os.times()
        cpu = self.used() - before + children.children_user - usage.children_user + children.children_system - usage.children_system
        return time.monotonic() - start, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("benchmark", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--numbers", nargs=2, type=int, default=[500_000, 10_000_000])
    parser.add_argument("--reports", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    small, large = servers = [Server(options, numbers) for numbers in options.numbers]
    try:
        measure(servers, options)
    finally:
        for server in servers:
            server.process.terminate()
            server.process.wait()


def row(name, values, unit):
    small, large = values
    print(f"| {name}, {unit} | {small:,.1f} | {large:,.1f} | {large / small:.2f} |", flush=True)


def measure(servers, options):
    for server in servers:
        server.token = server.key()
        server.key_file = server.data.with_suffix(".key")
        server.key_file.write_text(server.token)
        # The first retention deletes the networks of a day.
        print(server.numbers, server.wait(r"[^\n]*Deleted old data[^\n]*")[0], flush=True)
    for server in servers:
        server.settle()
    row("disk", [int(s.query("SELECT pg_database_size('ringfence')")) / 1e9 for s in servers], "GB")
    rounds = {}
    for _ in range(options.rounds):
        for place, server in enumerate(servers):
            time_of, cpu_of_one = server.lookups()
            figures = {
                "intake, 1 a request, CPU µs a report": server.intake(1), "intake, 100 a request, CPU µs a report": server.intake(100),
                "look-up, median µs": time_of, "look-up, CPU µs": cpu_of_one}
            try:
                figures |= {f"{name}, median ms": float(value) for name, value in server.pages().items()}
            except subprocess.CalledProcessError as error:
                print(error.stderr)
            for name, value in figures.items():
                rounds.setdefault(name, ([], []))[place].append(value)
    for name, (one, other) in rounds.items():
        if one and other:
            row(name, (statistics.median(one), statistics.median(other)), "median of rounds")
    program = options.program
    everything = {
        "sweep": lambda s: s.call(program, "queue", "sweep"),
        "publication": lambda s: s.call(program, "publish", "--min-size", 0, "--max-size", 100_000, "--max-churn", 100_000),
        "publication again": lambda s: s.call(program, "publish", "--min-size", 0, "--max-size", 100_000, "--max-churn", 100_000),
        "recount": lambda s: s.call(program, "recount"),
        "backup": lambda s: s.call(program, "backup", options.folder / f"backup-{s.numbers}-{time.time_ns()}"),
    }
    for name, work in everything.items():
        walls, processors = zip(*(server.timed(lambda: work(server)) for server in servers))
        row(name, walls, "seconds")
        row(name, processors, "CPU seconds")
    for server in servers:
        print(server.query("SELECT kind, rows, deleted_at FROM deletions ORDER BY deleted_at DESC LIMIT 5"))
        print(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{server.process.pid}/status").read_text())[0])


if __name__ == "__main__":
    main()
