import pytest

from bench import Bench


@pytest.fixture(scope="session")
def _kept():
    return []


@pytest.fixture
def bench(make_server, _kept):
    """A running server without limits, for one client that is many: the one that the test before left sound, or else a new one."""
    bench = _kept.pop() if _kept else Bench(make_server("--no-limits"))
    bench.is_sound = False
    yield bench
    if bench.is_sound and bench.server.process.poll() is None:
        _kept.append(bench)
    else:
        bench.server.close()


@pytest.fixture
def server(bench):
    return bench.server
