"""Counts of calls that matched a list are exact, whatever is killed, and one phone moves a sum by its limit alone."""

import collections
import http.client
import json
import signal
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

from waiting import wait_until

HONEST, LIARS = 200, 200
DAY = (datetime.now(timezone.utc) - timedelta(days=1)).strftime("%Y-%m-%d")


def ask(server, key, path, body, token=None):
    """The status and the body of an answer; (None, None) where the connection is lost."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    if token:
        headers["Ringfence-Installation"] = token
    # None while the server starts.
    address = server.address
    try:
        request = urllib.request.Request(f"{address}/v1/{path}", body, headers, method="POST")
        with urllib.request.urlopen(request, timeout=40) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except (OSError, ValueError, http.client.HTTPException):
        return None, None


def row(matched, **more):
    return {"pack": "block", "treatment": "block", "matched": matched, "blocked": matched, **more}


def day(*rows):
    return json.dumps({"day": DAY, "counts": rows}).encode()


def sums(server, kind, value=""):
    found = server.query(
        "SELECT installations, matched, blocked, overridden FROM remediation_sums"
        f" WHERE sender = 'apps' AND class = '{kind}' AND value = '{value}'")
    return [int(cell) for cell in found[0]] if found else [0] * 4


def test_server_killed_twice(server):
    key = server.run("app", "create", "Remediations")
    server.query("INSERT INTO publications (serial, state, as_of, published_at, manifest_sha256)"
                 " VALUES (1, 'published', '2026-01-01', '2026-01-01', sha256('')) RETURNING serial")
    server.query("INSERT INTO publication_packs (serial, name, kind, pack_serial, entries, size_bytes)"
                 " VALUES (1, 'block', 'blocking', 1, 1000, 1314) RETURNING serial")
    tokens = [ask(server, key, "installations", b"")[1]["token"] for _ in range(HONEST + LIARS)]
    stopping = threading.Event()
    answers, lock, expected = collections.Counter(), threading.Lock(), collections.Counter()

    def deliver(place):
        """Sends a day until it is acknowledged, and then once more, as phones do that were killed."""
        score = ["low", "medium", "high"][place % 3]
        rows = [row(place % 5 + 1, score=score), row(1, overridden=1, origin="decision")]
        with lock:
            expected.update({score: place % 5 + 1, "": place % 5 + 2})
        while True:
            status, body = ask(server, key, "remediations", day(*rows), tokens[place])
            with lock:
                answers[status] += 1
            if status in (200, 201):
                break
            assert status in (None, 503), body
            stopping.wait(0.05)
        assert ask(server, key, "remediations", day(row(10)), tokens[place])[0] in (None, 200, 503)

    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(deliver, place) for place in range(HONEST)]
        for share in (0.3, 0.6):
            wait_until(lambda: any(work.done() and work.result() for work in running) or sums(server, "")[0] >= share * HONEST,
                       60, lambda: f"acknowledgements; answers so far: {answers}")
            server.signal(signal.SIGKILL)
            server.ended()
            server.start()
        for work in running:
            work.result()
    assert answers[None] > 0, answers
    assert sums(server, "") == [HONEST, expected[""], expected[""], HONEST]
    for score in ("low", "medium", "high"):
        assert sums(server, "score", score)[1] == expected[score]

    # A phone that claims a thousand million calls moves nothing, and with nine others each moves ten calls a day.
    before = sums(server, "")
    for claim in (10**9, 11, 2**63, -1):
        assert ask(server, key, "remediations", day(row(claim)), tokens[HONEST])[0] in (400, 422)
    assert ask(server, key, "remediations", day(*[row(10)] * 20), tokens[HONEST])[0] == 422
    assert sums(server, "") == before
    with ThreadPoolExecutor(8) as pool:
        for place in range(HONEST, HONEST + LIARS):
            pool.submit(ask, server, key, "remediations", day(row(10, overridden=10)), tokens[place])
    installations, matched, _, overridden = sums(server, "")
    assert (installations, matched, overridden) == (before[0] + LIARS, before[1] + 10 * LIARS, before[3] + 10 * LIARS)
