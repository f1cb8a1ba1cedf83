"""Three servers that subscribe to each other in a ring: lies stay where they are, evidence counts once, revocations spread."""

import gzip
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import publications
from test_sources import refresh
from waiting import wait_until

RECIPES = "recipes:\n  - {name: blocklist, kind: blocking, top: 1999999, evidence: true}\n"
OPEN = ["--min-size", "0", "--max-size", "100000", "--max-churn", "100000"]
LIES = 10_000
TRUE, PROTECTED, ALLOWED = "33199000248", "33199000249", "33199000250"


@pytest.fixture(scope="module")
def ring(make_server, tmp_path_factory):
    """The servers a, b and c, each with a publication: a knows three numbers, and c lies about 10,000 others."""
    recipes = tmp_path_factory.mktemp("sharing") / "recipes.yaml"
    recipes.write_text(RECIPES)
    with ThreadPoolExecutor(3) as pool:
        servers = list(pool.map(lambda _: make_server(RINGFENCE_RECIPES=str(recipes)), range(3)))
        list(pool.map(fill, servers, "abc", [recipes.parent] * 3))
    return servers


def fill(server, name, folder):
    complaints = folder / name
    if name == "a":
        complaints.write_text("".join(
            json.dumps({"number": f"+{number}", "category": "fraud", "reporter": f"r{i}", "reported_at": f"2026-11-{10 + i}T12:00:00Z"})
            + "\n" for number in (TRUE, PROTECTED, ALLOWED) for i in range(6)))
        server.run("import", "complaints", str(complaints), "--format", "jsonl")
        for number in (TRUE, PROTECTED, ALLOWED):
            server.run("decide", f"+{number}", "--block", "--category", "fraud", "--reason", "Fraud", "--by-program", "Ada")
    if name == "b":
        # It knows nothing of its own.
        server.run("protect", "add", f"+{PROTECTED}", "--reason", "A hospital")
        server.run("decide", f"+{ALLOWED}", "--allow", "--reason", "Ours", "--by-program", "Bob")
        return
    if name == "c":
        server.run(
            "sources", "set", "default", "--weight", "10", "--complaints", "1", "--days", "1", "--leave-complaints", "1",
            "--leave-days", "1", "--reason", "Lies")
        complaints.write_text("".join(
            json.dumps({"number": f"+{lie(i)}", "category": "fraud", "reported_at": "2026-11-20T12:00:00Z"}) + "\n"
            for i in range(LIES)))
        server.run("import", "complaints", str(complaints), "--format", "jsonl", "--source", "lies")
    server.run("publish", *OPEN)


def lie(index):
    return 33612340000 + index


def subscribe(server, other, name, *options):
    if not (other.data / "publications/root.json").exists():
        other.run("publish", *OPEN)
    key = str(other.data / "publications/root.json")
    server.run(
        "sources", "add", name, "--url", f"{other.address}/v1", "--format", "ringfence", "--key", key, "--pack",
        "blocklist", "--min-strength", "0", *options)

    def state():
        rows = json.loads(server.run("sources", "status", "--format", "json"))
        return next(row for row in rows if row["name"] == name)

    wait_until(lambda: state().get("refreshed_at") or state()["failures"], 30, f"{name} to be read")
    assert not state()["failures"], state()
    return state()


def evidence(server):
    """The rows of the published evidence file, by number; none where the publication has no pack."""
    packs = publications.manifest(server.data / "publications")["packs"]
    if not packs:
        return None, {}
    [pack] = packs
    [file] = [file for file in pack["formats"] if file["format"] == "evidence"]
    lines = gzip.decompress((server.data / "publications" / file["path"]).read_bytes()).splitlines()
    header, *rows = map(json.loads, lines)
    assert header["entries"] == len(rows)
    return header["server"], {str(row["number"]): row for row in rows}


def test_lies_evidence_and_revocations_in_a_ring(ring):
    a, b, c = ring
    assert len(evidence(c)[1]) == LIES
    # B publishes what A knows, except for what its own moderators say.
    assert subscribe(b, a, "a", "--ceiling", "block", "--weight", "10")["every_seconds"] == 30
    # The next request has the entity tag of the manifest.
    assert b.query("SELECT count(*) FROM source_feeds WHERE etag IS NOT NULL") == [["1"]]
    b.run("publish", *OPEN)
    a_id, rows = evidence(a)
    assert rows[TRUE]["strength"] == 5 and rows[TRUE]["origins"] == [a_id]
    assert set(evidence(b)[1]) == {TRUE} and evidence(b)[1][TRUE]["origins"] == [a_id]
    # C passes A's number on with its lies.
    subscribe(c, b, "b", "--ceiling", "block", "--weight", "10")
    c.run("publish", *OPEN)
    assert evidence(c)[1][TRUE]["origins"] == [a_id]
    # A takes the lies for review, and its own number not again.
    assert subscribe(a, c, "c")["entries"] == LIES
    assert a.query("SELECT count(*) FROM source_entries WHERE number < 33612340000") == [["0"]]
    assert a.query(f"SELECT complaints FROM number_sources WHERE number = {TRUE} AND app_id = (SELECT app_id FROM source_feeds)") == []
    for server in (a, b):
        server.run("publish", *OPEN)
    assert set(evidence(a)[1]) == {TRUE, PROTECTED, ALLOWED}
    assert evidence(a)[1][TRUE] == rows[TRUE]
    assert set(evidence(b)[1]) == {TRUE}

    start = time.monotonic()
    a.run("revoke", f"+{TRUE}", "--reason", "The owner has appealed", "--by-program", "Ada")
    assert TRUE not in evidence(a)[1]
    wait_until(lambda: TRUE not in evidence(b)[1], 60, "the revocation at B")
    seconds = time.monotonic() - start
    print(f"A revocation took effect on another server within {seconds:.1f} s.")
    assert b.query("SELECT requested_by, action FROM revocations") == [["ringfence", "unlist"]]


def test_a_number_that_has_left_its_origin_leaves_a_circle(ring):
    a, b, c = ring
    number = "12015550123"

    def hops(server, name):
        """Over how many servers the number came from a source, after its publication was read; None without an entry."""
        code, *said = refresh(server, name)
        assert code == 0, said
        rows = server.query(
            "SELECT e.hops FROM source_entries e JOIN source_feeds f USING (app_id) "
            f"WHERE f.name = '{name}' AND e.number = {number}")
        return int(rows[0][0]) if rows else None

    # Also where this test runs alone.
    for server, other, name in ((b, a, "a"), (c, b, "b")):
        if not server.query(f"SELECT 1 FROM source_feeds WHERE name = '{name}'"):
            subscribe(server, other, name, "--ceiling", "block", "--weight", "10")
    a.run("decide", f"+{number}", "--block", "--category", "fraud", "--reason", "Fraud", "--by-program", "Ada")
    a.run("publish", *OPEN)
    assert hops(b, "a") == 0
    b.run("publish", *OPEN)
    assert evidence(b)[1][number]["hops"] == 1
    assert hops(c, "b") == 1
    c.run("publish", *OPEN)
    # B has it from its origin, and does not count it again.
    subscribe(b, c, "c", "--ceiling", "block", "--weight", "10", "--country", "US")
    assert hops(b, "c") is None
    b.run("sources", "remove", "a")
    assert hops(b, "c") == 2
    a.run("decide", f"+{number}", "--allow", "--reason", "A mistake", "--by-program", "Ada")
    a.run("publish", *OPEN)
    b.run("publish", *OPEN)
    assert hops(c, "b") == 3
    c.run("publish", *OPEN)
    assert evidence(c)[1][number]["hops"] == 4
    # A number that leaves a subscription leaves the packs too.
    assert hops(b, "c") is None
    wait_until(lambda: number not in evidence(b)[1], 60, "the number to leave B")
    assert hops(c, "b") is None
    wait_until(lambda: number not in evidence(c)[1], 60, "the number to leave C")
