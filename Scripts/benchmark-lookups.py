#!/usr/bin/env python3
"""Measures lookups by hash, explanations and PhoneBlock's lookups and lists with generated numbers, over HTTP.

Scripts/benchmark-lookups.py BINARY FOLDER [LISTED]: starts a server on an empty data folder, publishes LISTED numbers
(2,000,000 unless given) by decisions in its private PostgreSQL, and sends requests.
"""

import concurrent.futures
import hashlib
import http.client
import os
import re
import secrets
import statistics
import subprocess
import sys
import time

LISTED = int(sys.argv[3]) if len(sys.argv) > 3 else 1_999_999
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


def number(index):
    return 12010000000 + index * 3001


def phoneblock(index):
    """The address of PhoneBlock's lookup of a number."""
    text = f"+{number(index)}"
    sha1, ten, hundred = (hashlib.sha1(part.encode()).hexdigest() for part in (text, text[:-1], text[:-2]))
    return f"/phoneblock/api/check?sha1={sha1}&prefix10={ten}&prefix100={hundred}"


def many(address, key, paths):
    """Requests per second of 16 connections."""
    shares = [paths[part::16] for part in range(16)]
    start = time.perf_counter()
    with concurrent.futures.ProcessPoolExecutor(16) as pool:
        list(pool.map(run, [address] * 16, [key] * 16, shares))
    return len(paths) / (time.perf_counter() - start)


def run(address, key, paths):
    connection = http.client.HTTPConnection(address)
    for path in paths:
        ask(connection, key, path)


def fetch(address, key, path):
    connection = http.client.HTTPConnection(address)
    for state in ("first", "again"):
        start = time.perf_counter()
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (answer.status, body)
        print(f"| {path.split('/')[-1]}, {state} | {len(body):,} bytes | {time.perf_counter() - start:.3f} s |", flush=True)


def publish(binary, folder):
    start = time.perf_counter()
    gates = [f"--{name}=100000" for name in ("max-size", "max-churn")] + ["--min-size=0"]
    subprocess.run([binary, "publish", "--data", folder, *gates], check=True, capture_output=True)
    print(f"published in {time.perf_counter() - start:.1f} s", flush=True)


def main(binary, folder, *_):
    server = subprocess.Popen([binary, "serve", "--data", folder, "--port", "0", "--no-limits"], stdout=subprocess.PIPE, text=True)
    try:
        address = next(m[1] for line in server.stdout if (m := re.match(r"Listening on http://(\S+)", line)))
        socket = open(os.path.join(folder, "server.lock")).read().split("\n")[1]
        key = subprocess.run([binary, "app", "create", "Benchmark", "--data", folder], check=True, capture_output=True, text=True).stdout.strip()
        psql(socket, "INSERT INTO number_decisions (number, decision, category_id, decision_id, decided_at) SELECT "
             f"12010000000 + i::bigint * 3001, 'block', 6, gen_random_uuid(), '2026-11-21' FROM generate_series(0, {LISTED - 1}) i")
        publish(binary, folder)
        psql(socket, "VACUUM ANALYZE listings")
        for index in ("listings_by_hash", "listings_by_sha1"):
            print(f"{index}:", psql(socket, f"SELECT pg_size_pretty(pg_relation_size('{index}'))"))
        print(f"| {ASKED} questions, one connection | median | 99 % |\n| --- | --- | --- |")
        connection = http.client.HTTPConnection(address)
        figures("GET /healthz", [ask(connection, key, "/healthz") for _ in range(ASKED)])
        figures("GET /readyz (SELECT 1)", [ask(connection, key, "/readyz") for _ in range(ASKED)])
        for digits in (4, 6, 8):
            paths = [f"/v1/numbers/by-hash/{secrets.token_hex(4)[:digits]}" for _ in range(ASKED)]
            figures(f"by-hash, {digits} digits", [ask(connection, key, path) for path in paths])
        paths = [f"/v1/numbers/{number(secrets.randbelow(LISTED))}" for _ in range(ASKED)]
        figures("explanation", [ask(connection, key, path) for path in paths])
        known = [phoneblock(secrets.randbelow(LISTED)) for _ in range(ASKED)]
        figures("PhoneBlock's check, listed", [ask(connection, key, path) for path in known])
        unknown = [phoneblock(LISTED + secrets.randbelow(LISTED)) for _ in range(ASKED)]
        figures("PhoneBlock's check, unlisted", [ask(connection, key, path) for path in unknown])
        paths = [f"/phoneblock/api/check-prefix?sha1={secrets.token_hex(2)}" for _ in range(ASKED)]
        figures("PhoneBlock's check-prefix, 4 digits", [ask(connection, key, path) for path in paths])
        hashes = [f"/v1/numbers/by-hash/{secrets.token_hex(2)}" for _ in range(ASKED)]
        print("| 16 connections | requests per second |\n| --- | --- |")
        for name, paths in (("by-hash, 4 digits", hashes), ("PhoneBlock's check, listed", known)):
            print(f"| {name} | {many(address, key, paths):,.0f} |", flush=True)
        # Each fiftieth number leaves the list.
        psql(socket, "DELETE FROM number_decisions WHERE (number - 12010000000) / 3001 % 50 = 0")
        publish(binary, folder)
        print("| list | size | time |\n| --- | --- | --- |")
        for query in ("", "?since=1", "?format=binary&maxBytes=262144", "?limit=5000"):
            fetch(address, key, f"/phoneblock/api/blocklist{query}")
    finally:
        server.terminate()
        server.wait(timeout=60)


if __name__ == "__main__":
    main(*sys.argv[1:])
