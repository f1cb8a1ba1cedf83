"""Runs PostgreSQL's programs and related ones under an account other than root, because PostgreSQL refuses root."""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess

import pytest

from waiting import wait_until


def opted_in(variable, what):
    """Skips with a message unless the test was requested."""
    if os.environ.get(variable) != "1":
        pytest.skip(f"{variable}=1 is not set: {what} is not tested")


def find(name, variable=None):
    """The path of a program: from a variable, from PATH, or of the newest installed PostgreSQL."""
    if variable and os.environ.get(variable):
        return os.environ[variable]
    versions = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda p: int(p.split("/")[4]))
    return shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", *reversed(versions)]))


def account():
    """The account for the programs: our own, or postgres if we are root."""
    return pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Daemon:
    """A background program with its log."""

    def __init__(self, folder, name, command, who=None, **variables):
        self.log = folder / f"{name}.log"
        self.command = [str(word) for word in command]
        who = who or account()
        kept = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", **variables}
        extra = {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=kept, cwd=folder,
                start_new_session=True, **extra)

    def kill(self, number=signal.SIGKILL):
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
        self.process.wait(30)


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def wait_for_port(port, daemon, seconds=60):
    wait_until(lambda: listens(port), seconds, lambda: f"port {port}; it said:\n{daemon.log.read_text()[-2000:]}")
