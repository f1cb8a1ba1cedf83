"""Calls through Debian's Kamailio with the lines of Documentation/clients.md."""

import itertools
import re
import signal
import socket
import urllib.request
from collections import Counter

import pytest

from kamailio import PLAIN, VERIFIED, WORKERS, Kamailio, free_port
from waiting import wait_until

BLOCKED = [f"1201555{number:04}" for number in range(120, 125)]
NAMED = [f"1201555{number:04}" for number in range(130, 135)]
UNKNOWN = [f"1201555{number:04}" for number in range(140, 150)]


@pytest.fixture(scope="module")
def ours(make_server):
    """A server with a fixed port, whose address a telephone system keeps, and a key."""
    server = make_server("--no-limits", "--port", str(free_port(socket.SOCK_STREAM)))
    for treatment, numbers in enumerate((BLOCKED, NAMED)):
        for number in numbers:
            server.query(f"INSERT INTO listings (number, category_id, serial, listed_at, treatment)"
                         f" VALUES ({number}, 6, 1, now(), {treatment}) RETURNING number")
    return server, server.run("app", "create", "Exchange", "--scopes", "lookup").strip()


def sums(server):
    return {name: (int(blocked), int(labeled)) for name, blocked, labeled in server.query(
        "SELECT value, blocked, labeled FROM remediation_sums WHERE sender = 'telephone_systems' AND class IN ('', 'treatment')")}


def ended(calls):
    assert calls.wait(200) == 0, calls.stderr.read().decode()[-2_000:]


def test_listed_callers_are_blocked_with_a_reason(ours, tmp_path):
    server, key = ours
    with Kamailio(tmp_path, server.address, key, PLAIN) as exchange:
        ended(exchange.calls(BLOCKED + NAMED + UNKNOWN, 400, 100))
        assert Counter(exchange.said("blocked")) == {f"+{number}": 20 for number in BLOCKED}
        assert len(exchange.said("let through")) == 300
    log = next(tmp_path.glob("*blocked.log")).read_text()
    assert log.count('Reason: Q.850;cause=21;text="v=analytics1;url=') == 100
    assert sums(server) == {"": (100, 100), "block": (100, 0), "identify": (0, 100)}


def test_parameters_are_no_part_of_the_number(ours, tmp_path):
    """Carriers write the trunk behind the number (RFC 4904). The field of sipp's file ends at a semicolon."""
    server, key = ours
    with Kamailio(tmp_path, server.address, key, PLAIN) as exchange:
        scenario = (tmp_path / "scenario.xml").read_text()
        (tmp_path / "scenario.xml").write_text(scenario.replace("[field0]@", "[field0];tgrp=grp1;trunk-context=example.com@"))
        ended(exchange.calls(BLOCKED[:1], 2, 50))
        assert len(exchange.said("blocked")) == 2


@pytest.mark.parametrize("rule", ["nothing", "reject"])
def test_a_failed_verification_is_passed_on(ours, tmp_path, rule):
    server, key = ours
    server.run("app", "failed-calls", "Exchange", rule)

    def verdict():
        request = urllib.request.Request(
            f"{server.address}/v1/pbx/12015550159?as=verdict&verstat=failed", headers={"Authorization": f"Bearer {key}"})
        return urllib.request.urlopen(request, timeout=10).read().decode()

    wait_until(lambda: verdict() == ("block" if rule == "reject" else "allow"), 30, "the rule to be known")
    results = ["TN-Validation-Passed", "TN-Validation-Failed", "TN-Validation-Failed-C", "No-TN-Validation", ""]
    # Behind the number, behind the host, without a host, in a second address of a line that is folded.
    forms = [
        "sip:{};verstat={}@127.0.0.1;user=phone", "sip:{}@127.0.0.1;user=phone;verstat={}", "tel:{};verstat={}",
        "sip:someone@127.0.0.1>,\r\n <tel:{};verstat={}"]
    with Kamailio(tmp_path, server.address, key, VERIFIED) as exchange:
        failed = []
        for place, (form, result) in enumerate(itertools.product(forms, results)):
            number = f"{12015550150 + place}"
            asserted = form.format(f"+{number}", result) if result else form.replace(";verstat={}", "").format(f"+{number}")
            ended(exchange.calls([number], 2, 50, asserted))
            failed += ["+" + number] * 2 if "Failed" in result else []
        assert len(failed) == 16 and exchange.said("blocked") == (failed if rule == "reject" else [])


def test_calls_are_let_through_while_the_server_is_away(ours, tmp_path):
    server, key = ours
    with Kamailio(tmp_path, server.address, key, PLAIN) as exchange:
        ended(exchange.calls(BLOCKED, 100, 100))
        assert len(exchange.said("blocked")) == 100
        server.signal(signal.SIGKILL)
        server.ended()
        ended(exchange.calls(BLOCKED + UNKNOWN, 150, 100))
        assert len(exchange.said("blocked")) == 100 and len(exchange.said("let through")) == 150
        server.start()


@pytest.mark.slow
def test_ten_thousand_calls_are_counted_whatever_is_killed(ours, tmp_path):
    """Each answered call is counted once. A call whose answer the kill has cut may be counted, too: one of each worker."""
    server, key = ours
    before, kills = sums(server).get("", (0, 0)), 0
    with Kamailio(tmp_path, server.address, key, PLAIN) as exchange:
        calls = exchange.calls(BLOCKED + NAMED + UNKNOWN, 10_000, 200)
        for share in (2_000, 6_000):
            wait_until(lambda: len(exchange.said("blocked")) + len(exchange.said("let through")) > share, 120, "calls")
            server.signal(signal.SIGKILL)
            server.ended()
            server.start()
            kills += 1
        ended(calls)
        blocked = len(exchange.said("blocked"))
        named = sum(1 for line in re.findall(r"let through \+\d+ (\w+)", exchange.output.read_text()) if line == "identify")
    after = sums(server)[""]
    for answered, counted in ((blocked, after[0] - before[0]), (named, after[1] - before[1])):
        assert answered <= counted <= answered + kills * WORKERS, (answered, counted)
    assert 2_000 < blocked <= 2_500
