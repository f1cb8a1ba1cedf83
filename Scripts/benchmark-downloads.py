#!/usr/bin/env python3
"""Compares downloads of a pack from `ringfence serve` and from nginx on this machine.

    Scripts/benchmark-downloads.py RINGFENCE [NGINX] [--megabytes 20] [--rounds 5]

Both serve the same folder. Rounds alternate, so that other load affects both; each line has the medians. CPU time is
the server's own, user and system, and is more reliable than the rate on a shared machine.
"""

import argparse
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_megabytes(pid):
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) // 1024


def download(url, clients, times):
    """Seconds that `clients` concurrent clients take, each for `times` downloads on one connection."""
    command = ["curl", "--silent", "--fail"] + ["--output", "/dev/null", url] * times
    start = time.monotonic()
    running = [subprocess.Popen(command) for _ in range(clients)]
    assert all(process.wait() == 0 for process in running)
    return time.monotonic() - start


def children(pid):
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("ringfence")
    arguments.add_argument("nginx", nargs="?", default=shutil.which("nginx") or "/usr/sbin/nginx")
    arguments.add_argument("--megabytes", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="ringfence-benchmark-") as folder:
        data = Path(folder) / "data"
        packs = data / "publications/packs"
        packs.mkdir(parents=True)
        os.chmod(folder, 0o755)
        (packs / "benchmark-1.rfpack").write_bytes(os.urandom(options.megabytes << 20))
        environment = os.environ | {"RINGFENCE_HOME": str(CHECKOUT)}
        environment.pop("DATABASE_URL", None)
        with open(f"{folder}/out", "w") as out:
            ringfence = subprocess.Popen(
                [options.ringfence, "serve", "--data", data, "--port", "0", "--no-limits"], env=environment, stdout=out,
                stderr=subprocess.DEVNULL)
        config = Path(folder) / "nginx.conf"
        port = 20_000 + os.getpid() % 10_000
        text = (CHECKOUT / "Tests/nginx.conf").read_text()
        config.write_text("user root;\n" * (os.getuid() == 0) + text.replace("@FOLDER@", str(data / "publications")).replace(
            "@PORT@", str(port)).replace("@STATE@", folder))
        nginx = subprocess.Popen([options.nginx, "-p", folder, "-c", str(config), "-g", "daemon off;"])
        try:
            address = None
            while not address:
                time.sleep(0.1)
                assert ringfence.poll() is None and nginx.poll() is None
                address = re.search(r"Listening on (\S+)", Path(f"{folder}/out").read_text())
            worker = children(nginx.pid)[0]
            servers = [
                ("ringfence", f"{address[1]}/v1/packs/benchmark-1.rfpack", ringfence.pid),
                ("nginx", f"http://127.0.0.1:{port}/packs/benchmark-1.rfpack", worker)]
            first = [urllib.request.urlopen(url).read() for _, url, _ in servers]
            assert first[0] == first[1]
            print("| clients | server | MB/s | CPU s a GB | peak MB |\n| ---: | --- | ---: | ---: | ---: |")
            for clients, times in [(1, 30), (16, 5)]:
                rates, cpu = {}, {}
                for _ in range(options.rounds):
                    for name, url, pid in servers:
                        before = cpu_seconds(pid)
                        seconds = download(url, clients, times)
                        megabytes = clients * times * options.megabytes
                        rates.setdefault(name, []).append(megabytes / seconds)
                        cpu.setdefault(name, []).append((cpu_seconds(pid) - before) / megabytes * 1024)
                for name, _, pid in servers:
                    print(f"| {clients} | {name} | {statistics.median(rates[name]):,.0f} | "
                          f"{statistics.median(cpu[name]):.3f} | {peak_megabytes(pid)} |")
                sys.stdout.flush()
        finally:
            for process in (nginx, ringfence):
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=60)


if __name__ == "__main__":
    main()
