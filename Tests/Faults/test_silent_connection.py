"""A proxy before the database keeps connections open and passes nothing on, as before a primary that is gone."""

import contextlib
import http.client
import json
import socket
import threading
import time
import uuid

import pytest

from ringfence_server import RingfenceServer
from stock_postgres import StockCluster, open_folder
from waiting import wait_until

# The limit of a commit is 10 s.
AGAIN_SECONDS = 15


class SwallowingProxy:
    """Passes TCP connections on to a socket. After `swallow()` those that are open stay open and pass nothing on but an end."""

    def __init__(self, upstream):
        self.upstream, self.generation = str(upstream), 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def swallow(self):
        self.generation += 1

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.upstream)
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=self.carry, args=(one, other, self.generation), daemon=True).start()

    def carry(self, source, target, generation):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if generation == self.generation:
                    target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@pytest.fixture
def place(tmp_path):
    with open_folder() as folder:
        cluster = StockCluster(folder)
        cluster.database("silent")
        proxy = SwallowingProxy(cluster.folder / f".s.PGSQL.{cluster.port}")
        server = RingfenceServer(
            tmp_path, "--no-limits",
            DATABASE_URL=f"host=127.0.0.1 port={proxy.port} user=ringfence dbname=silent sslmode=disable").start()
        yield server, proxy, cluster
        server.close()
        proxy.listener.close()
        cluster.close()


class Reporters:
    """Threads that send reports; each report is sent again until it is acknowledged."""

    def __init__(self, server, key, count):
        self.server, self.key = server, key
        self.acknowledged, self.times, self.ends = set(), [], threading.Event()
        self.threads = [threading.Thread(target=self.send, args=(place,)) for place in range(count)]
        for thread in self.threads:
            thread.start()

    def send(self, place):
        turn = 0
        while not self.ends.is_set():
            turn += 1
            report = str(uuid.uuid4())
            body = json.dumps({
                "number": f"+1201555{100 + (turn * 7 + place) % 100:04}", "category": "fraud", "report_id": report,
                "reporter": f"user-{place}-{turn}", "reported_at": time.strftime("%FT%TZ", time.gmtime(time.time() - 60))})
            while self.post(body) not in (200, 201):
                if self.ends.wait(0.1):
                    return
            self.acknowledged.add(report)
            self.times.append(time.monotonic())

    def post(self, body):
        try:
            connection = http.client.HTTPConnection(self.server.address.removeprefix("http://"), timeout=30)
            connection.request(
                "POST", "/v1/reports", body,
                {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
            return connection.getresponse().status
        except OSError:
            return 0

    def stop(self):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def test_reports_are_taken_again_after_connections_fell_silent(place):
    server, proxy, cluster = place
    reporters = Reporters(server, server.run("app", "create", "Silent"), 4)
    try:
        wait_until(lambda: len(reporters.times) > 50, 30, "reports to be taken")
        proxy.swallow()
        silent = time.monotonic()
        # A commit that was under way may still have been answered.
        later = silent + 0.5
        wait_until(lambda: any(time > later for time in list(reporters.times)), AGAIN_SECONDS, "a report to be taken")
        wait_until(lambda: sum(time > later for time in list(reporters.times)) > 50, 10, "reports to be taken again")
    finally:
        reporters.stop()
    stored = cluster.admin("SELECT report_id FROM reports", "silent")
    assert len(stored) == len(set(stored)) and reporters.acknowledged <= set(stored)
