"""Idle connections of many networks do not keep others out. Each address of 127.0.0.0/8 belongs to this machine."""

import contextlib
import http.client
import re
import socket
import time

import pytest

TOKEN = "metrics-token-5f0b1f5e7d3e"
MAX_CONNECTIONS = 128


@pytest.fixture(scope="module")
def server(make_server):
    return make_server("--max-connections", str(MAX_CONNECTIONS), RINGFENCE_METRICS_TOKEN=TOKEN)


def ask(server, path):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def closed_for_others(server):
    _, text = ask(server, "/metrics")
    return float(re.search(r"^ringfence_http_connections_shed_total (\S+)$", text, re.MULTILINE)[1])


@pytest.mark.parametrize("networks", [5, 20, 100])
def test_idle_connections_do_not_keep_others_out(server, networks):
    before = closed_for_others(server)
    with contextlib.ExitStack() as sockets:
        for number in range(2 * MAX_CONNECTIONS):
            source = (f"127.2.{number % networks}.1", 0)
            sockets.enter_context(socket.create_connection(("127.0.0.1", server.port), 60, source))
        began = time.monotonic()
        assert ask(server, "/healthz")[0] == 200
        print(f"\n{networks} networks: {time.monotonic() - began:.3f} s")
        assert closed_for_others(server) > before
