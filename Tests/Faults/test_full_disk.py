"""On a full disk the server accepts nothing that it cannot store, and it continues when there is space again."""

import http.client
import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from shared_server import SharedServer
from load import Load
from recount import check
from ringfence_server import BINARY, RingfenceServer, environment
from waiting import wait_until


@pytest.fixture
def small_disk():
    """A folder on a separate disk in memory; only root can mount it, and not in every container."""
    folder = tempfile.TemporaryDirectory(prefix="ringfence-test-")
    mount = ["mount", "-t", "tmpfs", "-o", "size=160m,mode=0755", "ringfence-test", folder.name]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        folder.cleanup()
        pytest.skip("mounting a small disk takes more rights than we have")
    yield Path(folder.name)
    subprocess.run(["umount", folder.name], check=True)
    folder.cleanup()


@pytest.fixture
def shared(small_disk):
    server = RingfenceServer(small_disk)
    try:
        yield SharedServer(server.start())
    finally:
        server.close()


def fill(path):
    """Fills the disk with a file."""
    with path.open("wb", buffering=0) as file:
        size = 1 << 20
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2


def ready(server):
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=30)
    connection.request("GET", "/readyz")
    status = connection.getresponse().status
    connection.close()
    return status


def error_lines(server):
    return sum(" error " in line.lower() for line in server.log.read_text().splitlines())


def test_full_disk(shared, small_disk):
    server = shared.server
    with Load(server) as load:
        filler = small_disk / "filler"
        fill(filler)
        wait_until(lambda: load.surprises or load.answers[503] >= 50, 60, lambda: f"refusals: {load.answers}")
        assert server.process.poll() is None
        # A load balancer is informed, the log does not grow with the refusals, and a command explains the problem.
        wait_until(lambda: ready(server) == 503, 30, "the server not to be ready")
        lines, refusals, began = error_lines(server), load.answers[503], time.monotonic()
        wait_until(lambda: load.surprises or load.answers[503] >= refusals + 200, 60, lambda: f"refusals: {load.answers}")
        assert ready(server) == 503
        assert error_lines(server) - lines <= 3 * (time.monotonic() - began) + 10
        done = subprocess.run(
            [BINARY, "publish", "--data", str(server.data)], env=environment(), capture_output=True, text=True, timeout=60)
        assert done.returncode != 0
        assert "No space left on device" in done.stderr or "53100" in done.stderr, done.stderr
        assert "NSCocoaErrorDomain" not in done.stderr and "Error Domain" not in done.stderr, done.stderr
        filler.unlink()
        load.goes_on()
        wait_until(lambda: ready(server) == 200, 30, "the server to be ready")
    check(shared, load)
