import contextlib
import fcntl
import os
import signal
import subprocess
import tempfile

import pytest

from ringfence_server import BINARY, RingfenceServer
from waiting import wait_until


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory):
    """The data folder of a server that has loaded demo data. Copies save each other server most of its first start."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    data = shared / "demo/data"
    with open(shared / "demo.lock", "w") as lock:
        # One worker makes it for all.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not data.exists():
            with tempfile.TemporaryDirectory(prefix="ringfence-test-") as folder:
                server = RingfenceServer(folder, "--demo")
                try:
                    server.start()
                    wait_until(lambda: server.query("SELECT 1 FROM queue OFFSET 60") != [], 60, "the queue to fill")
                    server.signal(signal.SIGTERM)
                    assert server.ended() == 0
                finally:
                    server.close()
                copy(server.data, data)
    return data


def copy(source, target):
    """Copies a data folder with the owners of its files."""
    target.parent.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", source, target], check=True, timeout=60)


@pytest.fixture(scope="session")
def make_shared_server(request):
    """Starts servers for several files; all are ended and removed after the last test."""
    with servers(request) as make:
        yield make


@pytest.fixture(scope="module")
def make_server(request):
    """Starts servers with separate data folders; all are ended and removed after the last test of the file."""
    with servers(request) as make:
        yield make


@contextlib.contextmanager
def servers(request):
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is missing: build it, or set RINGFENCE_BINARY.", 1)
    made = []

    def make(*arguments, is_first=False, **variables):
        """`is_first` for a test of what the first start with demo data does."""
        folder = tempfile.TemporaryDirectory(prefix="ringfence-test-")
        server = RingfenceServer(folder.name, *arguments, **variables)
        made.append((server, folder))
        if "--demo" in arguments and not is_first:
            copy(request.getfixturevalue("demo_data"), server.data)
        return server.start()

    yield make
    for server, folder in made:
        server.close()
        folder.cleanup()
