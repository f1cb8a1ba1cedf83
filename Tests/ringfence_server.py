"""A Ringfence server with its embedded PostgreSQL, as a separate process."""

import csv
import io
import os
import re
import signal
import subprocess
from pathlib import Path

from waiting import wait_until

CHECKOUT = Path(__file__).resolve().parent.parent
BINARY = os.environ.get("RINGFENCE_BINARY", str(CHECKOUT / ".build/debug/ringfence"))
# Built by `make test-slow`, beside the program.
BENCHMARK = os.environ.get("RINGFENCE_BENCHMARK", str(BINARY).removesuffix("ringfence") + "ringfence-benchmark")

# Limits, not expectations: a start takes about two seconds, a stop about half a second.
START_SECONDS = 60
STOP_SECONDS = 30


def environment():
    """The test's own environment without variables that would select another database for the server or psql."""
    kept = {k: v for k, v in os.environ.items() if k != "DATABASE_URL" and not k.startswith("PG")}
    kept.setdefault("RINGFENCE_HOME", str(CHECKOUT))
    return kept


class RingfenceServer:
    """A server and its data folder; it can be started again after it has ended."""

    def __init__(self, folder, *arguments, **variables):
        self.data = Path(folder) / "data"
        self.log = Path(folder) / "server.log"
        self.output = Path(folder) / "server.out"
        self.arguments = arguments
        self.variables = variables
        self.binary = BINARY
        self.process = None
        self.address = None

    def start(self):
        """Starts the server on a free port and waits until it listens."""
        self.launch()
        wait_until(self._listens, START_SECONDS, lambda: f"the server to listen; it said:\n{self.log.read_text()}")
        return self

    def launch(self):
        """Starts the server without waiting, in a process group of its own, as a shell does."""
        command = [self.binary, "serve", "--data", str(self.data), "--port", "0", *self.arguments]
        with self.output.open("w") as output, self.log.open("a") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=log,
                env=environment() | self.variables, process_group=0)

    def _listens(self):
        if self.process.poll() is not None:
            raise AssertionError(f"The server ended with {self.process.returncode}:\n{self.log.read_text()}")
        said = self.output.read_text()
        # The last printed line, so earlier lines are complete.
        end = re.search(r"^Listening on (\S+)\n|^ +(\S+)/v1/manifest\.json\n", said, re.MULTILINE)
        self.address = end and (end[1] or end[2])
        return self.address

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    @property
    def said(self):
        """The standard output since the last start."""
        return self.output.read_text()

    def signal(self, number):
        """Signals only the server process."""
        self.address = None
        self.process.send_signal(number)

    def interrupt(self):
        """Signals the complete process group, like Ctrl-C in a terminal."""
        self.address = None
        os.killpg(self.process.pid, signal.SIGINT)

    def ended(self, seconds=STOP_SECONDS):
        """The exit code after the server has ended."""
        return self.process.wait(timeout=seconds)

    def close(self):
        """Ends the server and every PostgreSQL process in its data folder, in any state."""
        if self.process and self.process.poll() is None:
            self.signal(signal.SIGTERM)
            try:
                self.ended()
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.ended()
        for pid in self.postgres_processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until(lambda: not self.postgres_processes(), STOP_SECONDS, "PostgreSQL to end")

    def run(self, *arguments):
        """Runs another command of the program on the same data folder and returns its output."""
        done = self.run_unchecked(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def run_unchecked(self, *arguments, **variables):
        """Like `run`, for a command that may fail."""
        return subprocess.run(
            [self.binary, *arguments, "--data", str(self.data)], env=environment() | self.variables | variables,
            capture_output=True, text=True, timeout=START_SECONDS)

    @property
    def dsn(self):
        """The address of its PostgreSQL, for other servers."""
        socket = (self.data / "server.lock").read_text().split("\n")[1]
        return f"host={socket} port=5432 user=ringfence dbname=ringfence"

    def postmaster(self):
        """The process id in the cluster's own file; None if there is no file."""
        try:
            return int((self.data / "postgresql/data/postmaster.pid").read_text().partition("\n")[0])
        except (FileNotFoundError, ValueError):
            return None

    def postgres_processes(self):
        """All living processes that work in the cluster's folder."""
        folder = str(self.data / "postgresql/data")
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    if os.readlink(f"/proc/{entry}/cwd") == folder:
                        found.append(int(entry))
                except OSError:
                    pass
        return found

    def query(self, sql):
        """The rows of a statement, as lists of strings, over the cluster's private socket."""
        socket = (self.data / "server.lock").read_text().split("\n")[1]
        done = subprocess.run(
            ["psql", "--no-psqlrc", "--csv", "--tuples-only", "--set=ON_ERROR_STOP=1", f"--host={socket}",
             "--username=ringfence", "--dbname=ringfence", f"--command={sql}"],
            env=environment(), capture_output=True, text=True, timeout=START_SECONDS)
        assert done.returncode == 0, done.stderr
        return list(csv.reader(io.StringIO(done.stdout)))
