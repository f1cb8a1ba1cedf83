"""A full disk takes nothing that it cannot keep, and work goes on once there is room again."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from shared_server import SharedServer
from load import Load
from recount import check
from ringfence_server import RingfenceServer
from waiting import wait_until


@pytest.fixture
def small_disk():
    """A folder on a disk of its own, in memory; only root can have that, and not in every container."""
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
    """Writes a file until there is no room."""
    with path.open("wb", buffering=0) as file:
        size = 1 << 20
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2


def test_full_disk(shared, small_disk):
    server = shared.server
    with Load(server) as load:
        filler = small_disk / "filler"
        fill(filler)
        wait_until(lambda: load.surprises or load.answers[503] >= 50, 60, lambda: f"refusals: {load.answers}")
        assert server.process.poll() is None
        filler.unlink()
        load.goes_on()
    check(shared, load)
