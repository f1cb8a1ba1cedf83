import contextlib
import os
import tempfile

import pytest

from ringfence_server import BINARY, RingfenceServer


@pytest.fixture(scope="session")
def make_shared_server():
    """Starts servers for several files; all are ended and removed after the last test."""
    with servers() as make:
        yield make


@pytest.fixture(scope="module")
def make_server():
    """Starts servers with separate data folders; all are ended and removed after the last test of the file."""
    with servers() as make:
        yield make


@contextlib.contextmanager
def servers():
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is missing: build it, or set RINGFENCE_BINARY.", 1)
    made = []

    def make(*arguments, **variables):
        folder = tempfile.TemporaryDirectory(prefix="ringfence-test-")
        server = RingfenceServer(folder.name, *arguments, **variables)
        made.append((server, folder))
        return server.start()

    yield make
    for server, folder in made:
        server.close()
        folder.cleanup()
