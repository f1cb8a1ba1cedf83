"""Acknowledged reports are kept and counted once, whichever process dies under load."""

import os
import signal

import pytest

from load import Load
from recount import check
from ringfence_server import RingfenceServer, STOP_SECONDS
from waiting import wait_until


def postgres_is_back(server, before):
    """Waits until there is another postmaster than `before`."""
    wait_until(lambda: server.postmaster() not in (None, before), 30, "the server to start PostgreSQL again")


def test_load_alone(shared, server):
    with Load(server) as load:
        load.goes_on()
    check(shared, load)
    assert set(load.answers) == {200, 201} and load.lost_connections == load.found_at_first_try == 0


def test_server_killed(shared, server):
    with Load(server) as load:
        for _ in range(2):
            server.signal(signal.SIGKILL)
            server.ended()
            server.start()
            load.goes_on()
    check(shared, load)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGQUIT, signal.SIGINT], ids=lambda number: number.name)
def test_postgres_ended(shared, server, number):
    with Load(server) as load:
        for _ in range(2):
            before = server.postmaster()
            os.kill(before, number)
            postgres_is_back(server, before)
            load.goes_on()
        assert server.process.poll() is None
    check(shared, load)


def test_server_and_postgres_killed(shared, server):
    with Load(server) as load:
        for _ in range(2):
            before = server.postmaster()
            os.kill(before, signal.SIGKILL)
            server.signal(signal.SIGKILL)
            server.ended()
            server.start()
            assert server.postmaster() != before
            load.goes_on()
    check(shared, load)


def test_every_backend_terminated(shared, server):
    with Load(server) as load:
        for _ in range(5):
            [[count]] = server.query(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE datname = 'ringfence' AND pid <> pg_backend_pid()")
            assert int(count) > 0
            load.goes_on()
    check(shared, load)


def test_backend_killed(shared, server):
    """If one backend dies, all others end too, and the cluster recovers without the server."""
    with Load(server) as load:
        before = server.postmaster()
        [[pid]] = server.query(
            "SELECT pid FROM pg_stat_activity WHERE datname = 'ringfence' AND pid <> pg_backend_pid() LIMIT 1")
        os.kill(int(pid), signal.SIGKILL)
        load.goes_on()
        assert server.postmaster() == before
    check(shared, load)


def test_graceful_stop(shared, server):
    with Load(server) as load:
        server.signal(signal.SIGTERM)
        assert server.ended(STOP_SECONDS) == 0
        load.abandon()
    assert not server.postgres_processes()
    server.start()
    check(shared, load, all_acknowledged=False)


def test_control_c(shared, server):
    with Load(server) as load:
        server.interrupt()
        assert server.ended(STOP_SECONDS) == 0
        assert not server.postgres_processes()
        server.start()
        load.goes_on()
    check(shared, load)


def test_second_server_on_the_folder(shared, server):
    with Load(server) as load:
        second = RingfenceServer(server.data.parent)
        second.log = server.data.parent / "second.log"
        second.output = server.data.parent / "second.out"
        second.launch()
        assert second.ended() not in (0, 2)
        said = second.log.read_text()
        assert str(server.data) in said and str(server.process.pid) in said
        load.goes_on()
        assert server.process.poll() is None
    check(shared, load)
