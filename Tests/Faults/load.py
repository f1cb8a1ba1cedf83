"""Clients that send reports, retry until they are acknowledged, and record them."""

import collections
import http.client
import random
import threading
import time

from reports import ReportSource
from waiting import wait_until

CLIENTS = 8
# Longer than the server's own retries while PostgreSQL is away.
ANSWER_SECONDS = 40


class Load:
    """Eight clients with persistent connections. Use it as a context: at its end, all sent reports are retried
    until they are acknowledged, unless `abandon` was called."""

    def __init__(self, server):
        self.server = server
        self.app = f"Load {time.time_ns()}"
        self.key = server.run("app", "create", self.app)
        self.sent = {}
        self.acknowledged = {}
        self.answers = collections.Counter()
        self.lost_connections = 0
        self.found_at_first_try = 0
        self.surprises = []
        self._source = ReportSource(seed=self.app)
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._abandoned = threading.Event()
        self._clients = [threading.Thread(target=self._send, args=(i,), daemon=True) for i in range(CLIENTS)]

    def __enter__(self):
        for client in self._clients:
            client.start()
        self.goes_on()
        return self

    def __exit__(self, kind, *_):
        if kind:
            self._abandoned.set()
        self._stopping.set()
        for client in self._clients:
            client.join(2 * ANSWER_SECONDS)
        if not kind:
            assert not any(client.is_alive() for client in self._clients), "A client still waits for an answer."
            assert not self.surprises, self.surprises[:5]

    def goes_on(self, reports=300, seconds=60):
        """Waits until `reports` more reports are acknowledged."""
        wanted = len(self.acknowledged) + reports
        wait_until(
            lambda: self.surprises or len(self.acknowledged) >= wanted, seconds,
            lambda: f"{reports} more acknowledgements; answers so far: {dict(self.answers)}")
        assert not self.surprises, self.surprises[:5]

    def abandon(self):
        """Stops without retrying unacknowledged reports."""
        self._abandoned.set()
        self._stopping.set()

    def _send(self, seed):
        chance = random.Random(seed)
        client = _Client(self)
        while not self._stopping.is_set():
            report = self._source.next()
            with self._lock:
                self.sent[report.report_id] = report
            self._deliver(client, report, is_new=True)
            # Phones also repeat reports that were acknowledged earlier.
            if chance.random() < 0.1:
                with self._lock:
                    earlier = chance.choice(list(self.acknowledged.values())) if self.acknowledged else None
                if earlier:
                    self._deliver(client, earlier, is_new=False)
        client.close()

    def _deliver(self, client, report, is_new):
        is_first_try = True
        while not self._abandoned.is_set():
            status = client.post(report)
            with self._lock:
                if status is None:
                    self.lost_connections += 1
                else:
                    self.answers[status] += 1
                if status in (200, 201):
                    self.acknowledged[report.report_id] = report
                    # After losing PostgreSQL the server retries by itself, and may find its own committed reports.
                    self.found_at_first_try += status == 200 and is_new and is_first_try
                    if status == 201 and not is_new:
                        self.surprises.append(f"a report that was acknowledged was taken as new: {report}")
                elif status not in (None, 503):
                    self.surprises.append(f"{status} for {report}: {client.answer}")
            if status not in (None, 503):
                return
            is_first_try = False
            self._abandoned.wait(0.05)


class _Client:
    """A connection that is opened again after a failure."""

    def __init__(self, load):
        self._load = load
        self._connection = None
        self.answer = b""

    def post(self, report):
        """The status of the response; None if there was none."""
        try:
            if not self._connection:
                address = self._load.server.address
                if not address:
                    return None
                host = address.removeprefix("http://")
                self._connection = http.client.HTTPConnection(host, timeout=ANSWER_SECONDS)
            self._connection.request(
                "POST", "/v1/reports", report.body,
                {"Authorization": f"Bearer {self._load.key}", "Content-Type": "application/json"})
            response = self._connection.getresponse()
            self.answer = response.read()
            return response.status
        except (OSError, http.client.HTTPException):
            self.close()
            return None

    def close(self):
        if self._connection:
            self._connection.close()
        self._connection = None
