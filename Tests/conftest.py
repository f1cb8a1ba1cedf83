import os
import tempfile

import pytest

from ringfence_server import BINARY, RingfenceServer


@pytest.fixture(scope="session")
def make_server():
    """Starts servers with separate data folders; all are ended and removed after the last test."""
    if not os.access(BINARY, os.X_OK):
        pytest.exit(f"{BINARY} is missing: build it, or set RINGFENCE_BINARY.", 1)
    servers = []

    def make(*arguments, **variables):
        folder = tempfile.TemporaryDirectory(prefix="ringfence-test-")
        server = RingfenceServer(folder.name, *arguments, **variables)
        servers.append((server, folder))
        return server.start()

    yield make
    for server, folder in servers:
        server.close()
        folder.cleanup()
