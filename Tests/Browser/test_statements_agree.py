"""Case, queue, search, public page and ticket agree about one number in each state, before and after a publication."""

import hashlib
import re
import time
import urllib.parse
import urllib.request

import pytest

from every_page import coded
from waiting import wait_until

SHOWN = {"not listed": "out", "label only": "identify", "blocked": "block"}


@pytest.fixture(scope="module")
def home(make_server):
    server = make_server("--demo", "--no-limits", "--public-number-pages", "hidden")
    wait_until(lambda: int(server.query("SELECT count(*) FROM queue")[0][0]) > 80, 60, "the queue to fill")
    return server


def decide(*options):
    return lambda home, number: home.run("decide", f"+{number}", *options, "--by-program", "Ada", "--reason", "Calls at night")


def undone(home, number):
    decide("--block")(home, number)
    home.run("decide", f"+{number}", "--undo", "--by-program", "Ada")


def approve(home, number):
    [[pattern]] = home.query(f"SELECT pattern FROM ranges WHERE number = {number}")
    home.run("prefixes", "approve", pattern, "--by-program", "Ada", "--reason", "Calls at night")


def protect(home, number):
    home.run("protect", "add", f"+{number}", "--reason", "A hospital")


def revoke(home, number):
    home.run("revoke", f"+{number}", "--by-program", "Ada", "--reason", "Calls at night")


def ticket(home, number):
    """Files an appeal; returns the page of its ticket."""
    page = urllib.request.urlopen(f"{home.address}/appeal").read().decode()
    stamp = re.search(r'name="stamp" value="([^"]+)"', page)[1]
    nonce = next(
        str(n) for n in range(1 << 24)
        if int.from_bytes(hashlib.sha256(f"{stamp}{n}".encode()).digest()[:4], "big") >> 15 == 0)
    form = urllib.parse.urlencode({
        "number": f"+{number}", "stamp": stamp, "nonce": nonce, "statement": "This is the number of my bakery."})
    return urllib.request.urlopen(f"{home.address}/appeal", form.encode()).url.removeprefix(home.address)


def answered(answer):
    def go(home, number):
        path = ticket(home, number)
        home.run("appeals", "answer", f"+{number}", answer, "--by-program", "Ada", "--reason", "We have checked it.")
        return path
    return go


def nothing(home, number):
    pass


def held(do):
    def go(home, number):
        reason = coded("one_day", peak=24, reporters=24, others=0)
        home.query(f"INSERT INTO holds (number, reason, held_at) VALUES ({number}, {reason}, now()) ON CONFLICT DO NOTHING")
        return do(home, number)
    return go


# A number of a kind, and what happens to it.
STATES = [
    ("unreported", nothing), ("unreported", decide("--block")), ("unreported", decide("--identify", "Bakery")),
    ("unreported", decide("--allow")), ("unreported", ticket), ("unreported", protect),
    ("waiting", nothing), ("waiting", decide("--block")), ("waiting", decide("--identify", "Bakery")),
    ("waiting", decide("--allow")), ("waiting", undone), ("waiting", ticket),
    ("waiting", held(nothing)), ("waiting", held(decide("--block"))), ("waiting", held(decide("--allow"))),
    ("blocked", nothing), ("blocked", decide("--block")), ("blocked", decide("--identify", "Bakery")),
    ("blocked", decide("--allow")), ("blocked", protect), ("blocked", revoke), ("blocked", ticket),
    ("blocked", answered("--uphold")), ("blocked", answered("--reject")),
    ("named", nothing), ("named", decide("--block")), ("named", decide("--identify", "Bakery")),
    ("named", decide("--allow")), ("named", undone), ("named", protect), ("named", ticket), ("named", answered("--reject")),
    ("range", nothing), ("range", approve),
]

FREE = "number NOT IN (SELECT number FROM decisions) AND number NOT IN (SELECT number FROM appeals) AND " \
    "number NOT IN (SELECT number FROM protected_numbers) AND number NOT IN (SELECT number FROM directory_entries)"
KINDS = {
    "waiting": "SELECT number FROM queue WHERE causes = 1 AND number NOT IN (SELECT number FROM listings)",
    "blocked": "SELECT number FROM listings WHERE treatment = 0", "named": "SELECT number FROM listings WHERE treatment <> 0",
    "range": "SELECT number FROM ranges WHERE state = 'proposed'",
}


@pytest.fixture(scope="module")
def numbers(home):
    """The number of each state, and the page of its ticket if it has one."""
    pools = {kind: [row[0] for row in home.query(f"SELECT number FROM ({sql}) t WHERE {FREE} ORDER BY number")] for kind, sql in KINDS.items()}
    pools["unreported"] = [f"1201555018{digit}" for digit in range(10)]
    taken, found = set(), []
    for kind, do in STATES:
        number = next((number for number in pools[kind] if number not in taken), None)
        assert number, (kind, {kind: len(pool) for kind, pool in pools.items()})
        taken.add(number)
        path = do(home, number) or ""
        found.append((kind, number, path if path.startswith("/appeal") else ""))
    return found


def contradictions(page, home, kind, number, path):
    faults = []

    def equal(name, one, other):
        if one != other:
            faults.append(f"{kind} {number} {name}: {one} and {other}")

    def text(address):
        page.goto(home.address + address)
        return page.locator("main").inner_text()

    def shown(said, block, identify, out):
        found = [state for state, part in (("block", block), ("identify", identify), ("out", out)) if part in said]
        return found[0] if len(found) == 1 else found

    # Browsers keep the page for ten minutes.
    public = text(f"/number/{number}?now={time.monotonic()}")
    today = shown(public, "Listed: apps may block it", "Listed: apps show the label", "\nNot listed\n")
    changes = re.findall(r"Today: (.*?)\. From the next publication on: (.*?)\.", public)
    ahead = today
    for now, then in changes:
        equal("today", today, SHOWN[now])
        ahead = SHOWN[then]
        equal("a change", now != then, True)
    steady = [state for state, part in (
        ("block", "may block the number."), ("identify", "show a label for the number and"),
        ("out", "allows the number.")) if part in public]
    equal("the statement", steady, [] if changes else [ahead] if steady or ahead != "out" else [])
    assert not ("Reports\nnone" in public and "independent people" in public), public

    case = text(f"/moderation/numbers/{number}")
    why = page.locator(".why").inner_text()
    equal("the last publication", today, shown(
        why, "Blocked since publication", "Labeled, but not blocked, since publication",
        "Neither reports nor a decision listed it in the last publication"))
    equal("the change", changes, re.findall(r"Today: (.*?)\. From the next publication on: (.*?)\.", why))
    outlook = page.locator("#outlook-title + dl dd").first.inner_text()
    if home.query(f"SELECT 1 FROM number_decisions WHERE number = {number}") or "Protected" in case.split("\n")[1:3]:
        equal("the next publication", ahead, shown(outlook, "Blocked as", "Labeled “", "Neither reports"))
    waits = home.query(f"SELECT 1 FROM queue WHERE number = {number}") != []
    equal("the queue", waits, "Waiting since" in case)
    reports = re.search(r"([\d,]+) reports?, from", why)
    count = int(reports[1].replace(",", "")) if reports else 0
    ranks = ["none", "fewer than 10", "10 to 99", "100 or more"]
    said = next(rank for rank in ranks if f"Reports\n{rank}" in public)
    # Strangers see the reports before the last publication or day only.
    if ranks.index(said) > (count > 0) + (count >= 10) + (count >= 100):
        equal("the reports", said, count)

    search = text(f"/moderation/search?q=%2B{number}")
    row = next((line for line in search.split("\n") if "blocked as" in line.lower() or "labeled as" in line.lower()), "")
    if row:
        equal("the search", today, "block" if "blocked as" in row.lower() else "identify")
    if path:
        equal("the ticket", today, shown(
            text(path), "Apps that use the list may block it", "Apps that use the list show this label",
            "Our list does not contain this number now"))
    return faults


def test_no_page_contradicts_another(home, numbers, visit, signed_in):
    page = visit(storage_state=signed_in(home)).page
    faults = [fault for state in numbers for fault in contradictions(page, home, *state)]
    assert not faults, "\n".join(faults)
    home.run("publish")
    faults = [fault for state in numbers for fault in contradictions(page, home, *state)]
    assert not faults, "\n".join(faults)
    # Decisions that were published end.
    over = [(kind, number, path) for kind, number, path in numbers if home.query(
        f"SELECT 1 FROM number_decisions d JOIN listings l ON l.number = d.number WHERE d.number = {number}")]
    assert len(over) > 4
    for _, number, _ in over:
        home.run("decide", f"+{number}", "--undo", "--by-program", "Ada")
    faults = [fault for state in over for fault in contradictions(page, home, *state)]
    ended = page.goto(f"{home.address}/number/{over[0][1]}?undone").text()
    assert not faults and "From the next publication on: not listed" in ended, "\n".join(faults)
    home.run("publish")
    faults = [fault for state in over for fault in contradictions(page, home, *state)]
    assert not faults, "\n".join(faults)
    # The newest publication is one on all pages.
    [[serial]] = home.query("SELECT max(serial) FROM publications WHERE state = 'published'")
    page.goto(home.address + "/moderation")
    assert f"Publication {serial} was published" in page.locator("main").inner_text()
    page.goto(home.address + "/moderation/publications")
    assert f"Publication {serial} " in page.locator("main").inner_text()


def test_decisions_are_counted_once(home, numbers, visit, signed_in):
    page = visit(storage_state=signed_in(home, "administrator")).page

    def figure(path, tile):
        page.goto(home.address + path)
        return page.locator(tile).inner_text()

    [[count]] = home.query("SELECT count(*) FROM audit_events WHERE (action IN ('decision.block', 'decision.identify', "
        "'decision.allow') OR action IN ('range.approve', 'range.reject', "
        "'appeal.uphold', 'appeal.reject') AND after ->> 'case_since' IS NOT NULL) AND happened_at >= date_trunc('day', now())")
    wait_until(lambda: figure("/moderation", ".tile:has-text('Decisions today') strong") == count, 60, "Home to count")
    page.goto(home.address + "/moderation/team?days=7")
    assert page.locator("table.cards:has(th:text-is('Day (UTC)')) tbody tr td").first.inner_text() == count
