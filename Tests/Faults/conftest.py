import pytest

from shared_server import SharedServer


@pytest.fixture(scope="session")
def _kept():
    return []


@pytest.fixture
def shared(make_server, _kept):
    """A running server without limits: the one of the previous test if that found no difference, otherwise a new
    one."""
    kept = _kept.pop() if _kept else None
    # A file's servers end with it.
    is_running = kept is not None and kept.server.process and kept.server.process.poll() is None
    shared = kept if is_running else SharedServer(make_server("--no-limits"))
    shared.is_sound = False
    yield shared
    if shared.is_sound and shared.server.process.poll() is None:
        _kept.append(shared)
    else:
        shared.server.close()


@pytest.fixture
def server(shared):
    return shared.server
