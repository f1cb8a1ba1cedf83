"""Every item that RingfenceClient has accepted reaches the server once, even if a process is killed."""

import os
import random
import signal
import subprocess
import uuid
from pathlib import Path

import pytest

from recount import check_aggregates, stored_reports
from reports import NUMBERS
from ringfence_server import BINARY, environment
from waiting import wait_until

PROBE = Path(BINARY).with_name("client-probe")


class Probe:
    """A small app with RingfenceClient."""

    def __init__(self, folder, server, key):
        self.process = subprocess.Popen(
            [PROBE, str(folder), f"{server.address}/v1", key], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=environment(), text=True, bufsize=1)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        """The app's response; None if the app is dead."""
        return self.process.stdout.readline().split() or None

    def kill(self):
        self.process.kill()
        self.process.communicate()


@pytest.mark.parametrize("lives", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_killed_client_loses_nothing_and_counts_nothing_twice(make_server, tmp_path, lives):
    server = make_server("--no-limits")
    key = server.run("app", "create", "Probe")
    chance = random.Random(8)
    accepted, offered = set(), set()
    for life in range(lives):
        probe = Probe(tmp_path, server, key)
        for _ in range(chance.randrange(5, 60)):
            report = str(uuid.uuid4())
            offered.add(report)
            probe.say(f"report {chance.choice(NUMBERS)} {report}")
            assert probe.hear() == ["accepted", report]
            accepted.add(report)
        # Reports or a delivery whose result is unknown when the app is killed.
        doubtful = [str(uuid.uuid4()) for _ in range(3)]
        offered.update(doubtful)
        if chance.random() < 0.7:
            probe.say("flush")
        for report in doubtful:
            probe.say(f"report {NUMBERS[0]} {report}")
        if life % 4 == 3:
            server.signal(signal.SIGKILL)
            server.ended()
            probe.kill()
            server.start()
        else:
            # Any time from before the request to after the response.
            wait_until(lambda: chance.random() < 0.15, 30, "chance")
            probe.kill()
    probe = Probe(tmp_path, server, key)

    def is_sent():
        probe.say("flush")
        return probe.hear() == ["waiting", "0"]

    wait_until(is_sent, 60, "everything to be sent")
    probe.process.stdin.close()
    assert probe.process.wait(30) == 0
    stored = [report.report_id for report in stored_reports(server) if report.app == "Probe"]
    assert len(stored) == len(set(stored))
    assert accepted <= set(stored) <= offered
    check_aggregates(server, stored_reports(server))
    print(f"\n  {len(accepted)} accepted, {len(stored)} stored, {lives} lives")
    # Only the outbox could contain a number, and it is empty.
    assert os.path.getsize(tmp_path / "outbox") == 8
