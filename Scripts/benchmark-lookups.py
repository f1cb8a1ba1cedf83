#!/usr/bin/env python3
"""Measures lookups by hash and explanations with 2,000,000 listed numbers, over HTTP and in PostgreSQL alone.

Scripts/benchmark-lookups.py BINARY FOLDER: starts a server on an empty data folder, lists generated numbers in its
private PostgreSQL, and sends requests.
"""

import http.client
import os
import re
import secrets
import statistics
import subprocess
import sys
import time

LISTED = 2_000_000
ASKED = 3_000


def psql(socket, sql):
    command = ["psql", "--no-psqlrc", "--csv", "--tuples-only", "--set=ON_ERROR_STOP=1", f"--host={socket}",
               "--username=ringfence", "--dbname=ringfence", f"--command={sql}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def figures(name, times):
    times.sort()
    p99 = times[len(times) * 99 // 100]
    print(f"| {name} | {statistics.median(times) * 1e6:.0f} µs | {p99 * 1e6:.0f} µs |", flush=True)


def ask(connection, key, path):
    start = time.perf_counter()
    connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
    answer = connection.getresponse()
    body = answer.read()
    taken = time.perf_counter() - start
    assert answer.status == 200, (answer.status, body)
    return taken


def main(binary, folder):
    server = subprocess.Popen([binary, "serve", "--data", folder, "--port", "0", "--no-limits"], stdout=subprocess.PIPE, text=True)
    try:
        address = next(m[1] for line in server.stdout if (m := re.match(r"Listening on http://(\S+)", line)))
        socket = open(os.path.join(folder, "server.lock")).read().split("\n")[1]
        key = subprocess.run([binary, "app", "create", "Benchmark", "--data", folder], check=True, capture_output=True, text=True).stdout.strip()
        start = time.perf_counter()
        psql(socket, f"INSERT INTO listings SELECT 12010000000 + i::bigint * 3001, 6, 1, '2026-11-21' FROM generate_series(0, {LISTED - 1}) i")
        print(f"listed {LISTED} numbers in {time.perf_counter() - start:.1f} s")
        psql(socket, "VACUUM ANALYZE listings")
        print("index:", psql(socket, "SELECT pg_size_pretty(pg_relation_size('listings_by_hash'))"))
        print(f"| {ASKED} questions, one connection | median | 99 % |\n| --- | --- | --- |")
        connection = http.client.HTTPConnection(address)
        figures("GET /healthz", [ask(connection, key, "/healthz") for _ in range(ASKED)])
        figures("GET /readyz (SELECT 1)", [ask(connection, key, "/readyz") for _ in range(ASKED)])
        for digits in (4, 6, 8):
            paths = [f"/v1/numbers/by-hash/{secrets.token_hex(4)[:digits]}" for _ in range(ASKED)]
            figures(f"by-hash, {digits} digits", [ask(connection, key, path) for path in paths])
        paths = [f"/v1/numbers/{12010000000 + secrets.randbelow(LISTED) * 3001}" for _ in range(ASKED)]
        figures("explanation", [ask(connection, key, path) for path in paths])
    finally:
        server.terminate()
        server.wait(timeout=60)


main(*sys.argv[1:3])
