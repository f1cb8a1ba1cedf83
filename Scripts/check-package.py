#!/usr/bin/env python3
"""Installs the Debian package in a minimal Debian root, starts it as its unit says, upgrades it with data, and purges it.

    sudo Scripts/check-package.py --package FILE [--newer FILE] [--suite NAME] [--base FOLDER]

Needs root, debootstrap and systemd-container. systemd is booted in the root, so that the units and their limits are those
of an operator's machine. Where systemd-nspawn is missing or cannot boot, this is said, and the program is started as the
unit says, under its account, with a socket in the place of systemd's: then the limits of the unit are not tried.

--newer is a package of a later version; without it, the same package is installed again. Checks: the account and the
folders are made; the service is ready and sends signs of life; a list is published; a backup is made; a killed and a
hanging server are started again; the data is there after the upgrade, and after a removal; purging leaves nothing.
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
from pathlib import Path

import bare_root
from bare_root import mounted, run

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


class Emulated:
    """A root without systemd: the program is started as systemd would start it."""

    def __init__(self, root):
        self.root = root

    def run(self, *command, network=False):
        return bare_root.inside(self.root, *command)

    def begin(self):
        unit = Unit(self.root)
        path = self.root / "run/notify"
        path.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        path.chmod(0o777)
        self.log = tempfile.TemporaryFile("w+")
        # Signs of life every half of this time.
        limit = min(2.0, unit.watchdog)
        self.process = subprocess.Popen(
            ["/usr/sbin/chroot", f"--userspec={unit.user}:{unit.user}", self.root, *unit.command], stdout=self.log,
            stderr=self.log,
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

    def publish(self):
        ringfence(self, "publish")

    def fail(self):
        """Without systemd, nobody starts it again."""

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0, self.text()
        self.socket.close()

    def check_stopped(self):
        """Without systemd, the package has nothing to stop."""


class Booted:
    """A root with systemd as its first process, and a network of its own."""

    def __init__(self, root):
        self.root, self.wants_timer = root, False
        # Services start while packages are installed.
        (root / "usr/sbin/policy-rc.d").unlink()
        self.log = tempfile.TemporaryFile("w+")
        self.nspawn = subprocess.Popen(
            ["systemd-nspawn", f"--directory={root}", "--boot", "--register=no", "--keep-unit", "--private-network",
             "--console=pipe"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        try:
            self.wait("systemd to boot", lambda: self.is_up(), 60)
        except SystemExit as failure:
            self.close()
            raise NotBooted(f"{failure}\n{self.text()[-2_000:]}") from None

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def is_up(self):
        assert self.nspawn.poll() is None, "systemd-nspawn has ended"
        pids = Path(f"/proc/{self.nspawn.pid}/task/{self.nspawn.pid}/children").read_text().split()
        self.leader = pids[0] if pids else None
        return self.leader and self.unchecked("systemctl", "is-system-running").stdout.strip() in ("running", "degraded")

    def words(self, command, network=False):
        """A command in the root. With `network` it has the network of this machine, as apt needs."""
        return ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--pid", *([] if network else ["--net"]),
                "env", "--ignore-environment", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", *command]

    def run(self, *command, network=False):
        return run(*self.words(command, network))

    def unchecked(self, *command):
        return subprocess.run(self.words(command), capture_output=True, text=True)

    def wait(self, what, condition, seconds):
        """Waits until the condition holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if condition():
                    return
            except AssertionError as failure:
                raise SystemExit(f"Waited for {what}: {failure}.") from None
            time.sleep(0.2)
        raise SystemExit(f"Waited {seconds} s for {what}.")

    def property(self, name):
        return self.run("systemctl", "show", "--value", f"--property={name}", "ringfence").strip()

    def journal(self):
        return self.unchecked("journalctl", "--no-pager", "--unit=ringfence", "--unit=ringfence-publish").stdout

    def begin(self):
        """The installation has started the service."""
        assert self.property("ActiveState") == "active" and self.property("NRestarts") == "0", self.journal()
        self.run("systemd-analyze", "security", "--threshold=25", "ringfence.service", "ringfence-publish.service")
        # As the administrator left it.
        assert self.has_timer() == self.wants_timer
        say(f"it is ready: {self.property('StatusText')}")

    def has_timer(self):
        return self.unchecked("systemctl", "is-active", "ringfence-publish.timer").stdout.strip() == "active"

    def publish(self):
        self.run("systemctl", "enable", "--now", "ringfence-publish.timer")
        self.wants_timer = True
        self.run("systemctl", "start", "ringfence-publish.service")
        said = self.run("journalctl", "--no-pager", "--unit=ringfence", "--unit=ringfence-publish", "--priority=warning")
        assert "No entries" in said, said
        published = self.root / DATA / "publications"
        for path in published.rglob("*"):
            is_private = any(part.startswith(".") for part in path.relative_to(published).parts)
            assert is_private or path.stat().st_mode & 0o004, path
        # Secrets and locks have modes of their own.
        for path in (self.root / DATA).iterdir():
            assert path.name in ("publications", "postgresql", "recipes.yaml") or not path.stat().st_mode & 0o077, path
        self.run("systemctl", "start", "ringfence-backup.service")
        [made] = (self.root / "var/backups/ringfence").glob("ringfence-*.tar")
        made.unlink()
        (self.root / "var/backups/ringfence/erasures.jsonl").unlink(missing_ok=True)
        program = self.root / "etc/ringfence/on-failure"
        program.write_text(f"#!/bin/sh\n(echo \"$1\"; journalctl --quiet --unit \"$1\" --lines 20; echo end) > /{DATA}/failed\n")
        program.chmod(0o755)
        self.run("mkdir", "--parents", "/run/systemd/system/ringfence-backup.service.d")
        self.run("sh", "-c", "printf '[Service]\nExecStart=\nExecStart=/bin/false\n' > /run/systemd/system/ringfence-backup.service.d/fail.conf")
        self.run("systemctl", "daemon-reload")
        self.unchecked("systemctl", "start", "ringfence-backup.service")
        failed = self.root / DATA / "failed"
        self.wait("the program for failures", lambda: failed.exists() and failed.read_text().endswith("end\n"), 60)
        name, *journal = failed.read_text().splitlines()
        assert name == "ringfence-backup.service" and "Failed" in "".join(journal), failed.read_text()
        self.run("rm", "-r", "/run/systemd/system/ringfence-backup.service.d")
        self.run("systemctl", "daemon-reload")
        self.run("systemctl", "reset-failed", "ringfence-backup.service")
        say("the backup and the program for failures ran")

    def fail(self):
        before = self.property("MainPID")
        self.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "ringfence")
        # On cgroups of version 1 nobody tells systemd in a container that a group is empty: it waits for TimeoutStopSec.
        self.wait("the killed server to be started again", lambda: self.is_another(before), 150)
        say("after a kill it was started again")
        # Signs of life every half of this time.
        self.run("mkdir", "--parents", "/run/systemd/system/ringfence.service.d")
        self.run("sh", "-c", "printf '[Service]\nWatchdogSec=4\n' > /run/systemd/system/ringfence.service.d/watchdog.conf")
        self.run("systemctl", "daemon-reload")
        self.run("systemctl", "restart", "ringfence")
        before = self.property("MainPID")
        self.run("systemctl", "kill", "--kill-whom=main", "--signal=STOP", "ringfence")
        self.wait("the hanging server to be started again", lambda: self.is_another(before), 150)
        assert "Watchdog timeout" in self.journal()
        say("after it hung it was started again")
        self.run("rm", "-r", "/run/systemd/system/ringfence.service.d")
        self.run("systemctl", "daemon-reload")

    def is_another(self, pid):
        return self.property("ActiveState") == "active" and self.property("MainPID") not in ("0", pid)

    def end(self):
        """The package stops the service."""

    def check_stopped(self):
        assert self.unchecked("systemctl", "is-active", "ringfence.service").stdout.strip() != "active"
        assert not self.has_timer(), "A removal left the timer running."

    def close(self):
        self.nspawn.terminate()
        try:
            self.nspawn.wait(60)
        except subprocess.TimeoutExpired:
            self.nspawn.kill()
            self.nspawn.wait()


class NotBooted(Exception):
    """Why systemd does not run in the root."""


def ringfence(system, *words):
    # In a folder that the account may not enter, like the home folder of an operator.
    return system.run("sh", "-c", 'cd /root && exec runuser -u ringfence -- ringfence "$@"', "sh", *words, "--config",
                      "/etc/ringfence/ringfence.yaml")


def install(system, package):
    shutil.copy(package, system.root / "root/ringfence.deb")
    system.run("apt-get", "install", "-q=2", "--yes", "--reinstall", "/root/ringfence.deb", network=True)


def check(system, package, newer):
    root = system.root
    # The root is deleted after the check.
    (root / "etc/dpkg/dpkg.cfg.d/fast").write_text("force-unsafe-io\n")
    system.run("apt-get", "update", "-q=2", network=True)
    # Its dependencies stay when it is purged.
    shutil.copy(package, root / "root/ringfence.deb")
    needs = system.run("apt-get", "install", "--simulate", "/root/ringfence.deb", network=True)
    others = [name for name in re.findall(r"^Inst (\S+)", needs, re.MULTILINE) if name != "ringfence"]
    system.run("apt-get", "install", "-q=2", "--yes", "--no-install-recommends", *others, network=True)
    before = files(root)
    install(system, package)
    for path, mode in [(DATA, 0o700), ("etc/ringfence/ringfence.yaml", 0o644)]:
        assert (root / path).stat().st_mode & 0o777 == mode, path
    assert system.run("stat", "--format=%U", f"/{DATA}").strip() == "ringfence"
    say(f"installed {system.run('ringfence', '--version').strip()}")
    system.begin()
    system.run("curl", "--fail", "--silent", "http://127.0.0.1:8080/readyz")
    ringfence(system, "decide", "+33199000248", "--block", "--reason", "A test", "--by-program", "Ada")
    system.publish()
    ringfence(system, "backup", f"/{DATA}/backup.tar")
    system.fail()
    system.end()
    assert (root / DATA).exists()
    install(system, newer)
    say(f"upgraded to {system.run('dpkg-query', '--show', '--showformat=${Version}', 'ringfence')}")
    system.begin()
    assert "block" in ringfence(system, "explain", "+33199000248").lower()
    ringfence(system, "publish")
    system.end()
    system.run("apt-get", "remove", "-q=2", "--yes", "ringfence")
    assert (root / DATA / "signing.key").exists(), "A removal deleted the data."
    system.check_stopped()
    system.run("apt-get", "purge", "-q=2", "--yes", "ringfence")
    # Timers of Debian copy its own lists at midnight.
    others = ("etc/", "var/backups/", "var/lib/logrotate/")
    left = {path for path in files(root) - before if not path.startswith(others) or "ringfence" in path}
    left = {path for path in left if "__pycache__" not in path and path != "root/ringfence.deb"}
    # Of a timer that systemd has started.
    left |= {str(path) for path in root.glob("var/lib/systemd/timers/*ringfence*")}
    assert not left, sorted(left)[:20]
    say("purged: nothing is left")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, required=True)
    parser.add_argument("--newer", type=Path)
    parser.add_argument("--suite", choices=bare_root.SUITES, default=bare_root.SUITE, help="the release of Debian")
    parser.add_argument("--base", type=Path, help="where the bare root is kept from one run to the next")
    options = parser.parse_args()
    bare_root.need_root()
    base = bare_root.make(options.base or Path(f"/var/tmp/ringfence-root-{options.suite}"), options.suite)
    with tempfile.TemporaryDirectory(dir=base.parent) as folder:
        root = bare_root.copy(base, Path(folder) / "root")
        newer = options.newer or options.package
        try:
            if not shutil.which("systemd-nspawn"):
                raise NotBooted("systemd-nspawn is missing: apt-get install systemd-container")
            with mounted(root):
                bare_root.inside(root, "apt-get", "update", "-q=2")
                bare_root.inside(root, "apt-get", "install", "-q=2", "--yes", "--no-install-recommends", "systemd-sysv", "dbus")
            booted = Booted(root)
        except NotBooted as reason:
            say(f"WARNING: systemd does not run, so the limits of the units are NOT tried. {reason}")
            root = bare_root.copy(base, Path(folder) / "root")
            with mounted(root):
                check(Emulated(root), options.package, newer)
            return
        try:
            say("systemd runs")
            check(booted, options.package, newer)
        finally:
            booted.close()


main()
