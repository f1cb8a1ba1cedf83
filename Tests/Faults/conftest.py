import pytest

from shared_server import SharedServer


@pytest.fixture(scope="session")
def _kept():
    return []


@pytest.fixture
def shared(make_server, _kept):
    """A running server without limits: the one of the previous test if that found no difference, otherwise a new
    one."""
    shared = _kept.pop() if _kept else SharedServer(make_server("--no-limits"))
    shared.is_sound = False
    yield shared
    if shared.is_sound and shared.server.process.poll() is None:
        _kept.append(shared)
    else:
        shared.server.close()


@pytest.fixture
def server(shared):
    return shared.server
