#!/usr/bin/env python3
"""Installs the Debian package in a minimal Debian root, starts it as its unit says, upgrades it with data, and purges it.

    sudo Scripts/check-package.py --package FILE [--newer FILE] [--base FOLDER]

Needs root and debootstrap. systemd does not run in the root: the program is started as the unit says, under its account,
and a socket takes the place of systemd's. --newer is a package of a later version; without it, the same package is
installed again. Checks: the account and the folders are made; the program says READY=1 and then sends signs of life; an
account is made and a list published; the data is there after the upgrade, and after a removal; purging leaves nothing.
"""

import argparse
import configparser
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import bare_root
from bare_root import inside, mounted

BEGIN = time.monotonic()
DATA = "var/lib/ringfence"


def say(what):
    print(f"{time.monotonic() - BEGIN:6.1f} s  {what}", flush=True)


def files(root):
    """All files of the root but those that packages and programs change as they like."""
    skipped = ("proc", "dev", "tmp", "run", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/lib/systemd", "var/log", "packages")
    found = set()
    for folder, names, contents in os.walk(root):
        place = os.path.relpath(folder, root)
        names[:] = [name for name in names if os.path.normpath(f"{place}/{name}") not in skipped]
        found.update(os.path.normpath(f"{place}/{name}") for name in contents + names)
    return found


class Unit:
    """The unit of the service, and its environment."""

    def __init__(self, root, name="ringfence.service"):
        text = (root / "lib/systemd/system" / name).read_text()
        parser = configparser.RawConfigParser(strict=False, interpolation=None)
        parser.optionxform = str
        parser.read_string(text)
        self.command = parser["Service"]["ExecStart"].split()
        self.user = parser["Service"]["User"]
        self.watchdog = float(parser["Service"].get("WatchdogSec", 0))


class Service:
    """The program as systemd would start it."""

    def __init__(self, root, unit):
        self.root = root
        path = root / "run/notify"
        path.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        path.chmod(0o777)
        self.log = tempfile.TemporaryFile("w+")
        # Signs of life every half of this time.
        limit = min(2.0, unit.watchdog)
        self.process = subprocess.Popen(
            ["/usr/sbin/chroot", f"--userspec={unit.user}:{unit.user}", root, *unit.command], stdout=self.log, stderr=self.log,
            env={"PATH": "/usr/bin:/bin", "HOME": f"/{DATA}", "LC_ALL": "C.UTF-8", "NOTIFY_SOCKET": "/run/notify",
                 "WATCHDOG_USEC": str(int(limit * 1e6))})
        seen = ""
        while "READY=1" not in seen or "WATCHDOG=1" not in seen:
            self.socket.settimeout(120)
            try:
                seen += self.socket.recv(4_096).decode() + "\n"
            except TimeoutError:
                raise SystemExit(f"The program did not say that it is ready:\n{self.text()}") from None
            assert self.process.poll() is None, self.text()
        say(f"it is ready, and sends signs of life: {re.search('STATUS=(.*)', seen)[1]}")

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0, self.text()
        self.socket.close()


def ringfence(root, *words):
    return inside(root, "runuser", "-u", "ringfence", "--", "ringfence", *words, "--config",
                  "/etc/ringfence/ringfence.yaml")


def install(root, package):
    shutil.copy(package, root / "tmp/ringfence.deb")
    inside(root, "apt-get", "install", "-q=2", "--yes", "/tmp/ringfence.deb")


def check(root, package, newer):
    inside(root, "apt-get", "update", "-q=2")
    # Its dependencies stay when it is purged.
    shutil.copy(package, root / "tmp/ringfence.deb")
    needs = inside(root, "apt-get", "install", "--simulate", "/tmp/ringfence.deb")
    others = [name for name in re.findall(r"^Inst (\S+)", needs, re.MULTILINE) if name != "ringfence"]
    inside(root, "apt-get", "install", "-q=2", "--yes", "--no-install-recommends", *others)
    before = files(root)
    install(root, package)
    for path, mode in [(DATA, 0o700), ("etc/ringfence/ringfence.yaml", 0o644)]:
        assert (root / path).stat().st_mode & 0o777 == mode, path
    assert inside(root, "stat", "--format=%U", f"/{DATA}").strip() == "ringfence"
    say(f"installed {inside(root, 'ringfence', '--version').strip()}")
    unit = Unit(root)
    service = Service(root, unit)
    with urllib.request.urlopen("http://127.0.0.1:8080/readyz", timeout=30) as answer:
        assert answer.status == 200
    ringfence(root, "decide", "+33162000248", "--block", "--reason", "A test", "--by", "Ada")
    ringfence(root, "publish")
    service.stop()
    assert (root / DATA).exists()
    install(root, newer)
    say(f"upgraded to {inside(root, 'ringfence', '--version').strip()}")
    service = Service(root, unit)
    assert "block" in ringfence(root, "explain", "+33162000248").lower()
    ringfence(root, "publish")
    service.stop()
    inside(root, "apt-get", "remove", "-q=2", "--yes", "ringfence")
    assert (root / DATA / "keys").exists() or any((root / DATA).iterdir()), "A removal deleted the data."
    inside(root, "apt-get", "purge", "-q=2", "--yes", "ringfence")
    left = {path for path in files(root) - before if not path.startswith("etc/") or "ringfence" in path}
    left = {path for path in left if "__pycache__" not in path}
    assert not left, sorted(left)[:20]
    say("purged: nothing is left")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, required=True)
    parser.add_argument("--newer", type=Path)
    parser.add_argument("--base", type=Path, default=Path("/var/tmp/ringfence-bare-root"),
                        help="where the bare root is kept from one run to the next")
    options = parser.parse_args()
    bare_root.need_root()
    base = bare_root.make(options.base)
    with tempfile.TemporaryDirectory(dir=base.parent) as folder:
        root = bare_root.copy(base, Path(folder) / "root")
        with mounted(root):
            check(root, options.package, options.newer or options.package)


main()
