"""All pages, one line each; test_every_page.py visits them in both color schemes, on a phone and on a desktop."""

import hashlib
import json
import re
import urllib.parse
import urllib.request
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Callable

from layout_checks import IS_TOO_WIDE
from pages import drawn
from signing_in import PASSWORD, set_password, set_up_second_factor
from waiting import wait_until


@dataclass
class Page:
    """A page.

    name: AREA-PAGE, for its screenshots.
    path: the path, or a function of the server that returns it.
    role: the role of the account; None for no account.
    server: "sample" for the server with sample data, "empty" for the server without reports.
    status: the expected status.
    then: actions on the page before it is checked, given the Playwright page.
    after: removes the data that `path` has prepared, given the server.
    """

    name: str
    path: str | Callable
    role: str | None = "moderator"
    server: str = "sample"
    status: int = 200
    then: Callable = lambda page: None
    after: Callable = lambda server: None

    @property
    def area(self):
        """The navigation's name of the page's area; None if the page has no area."""
        return AREAS.get(self.name.split("-")[0]) if self.role and self.status == 200 else None

    def address(self, server):
        return server.address + (self.path if isinstance(self.path, str) else self.path(server))


AREAS = {
    "home": "Home", "queue": "Queue", "case": "Queue", "bulk": "Queue", "search": "Search", "appeals": "Appeals",
    "team": "Team", "assignments": "Team", "templates": "Team", "transparency": "Team", "reviews": "Reviews", "agreement": "Reviews", "golden": "Reviews", "reporters": "Reporters", "ranges": "Ranges",
    "protected": "Protected", "thresholds": "Thresholds",
    "publications": "Publications", "changes": "Publications", "recipes": "Publications", "usefulness": "Publications", "sources": "Sources", "apps": "Apps",
    "accounts": "Accounts", "audit": "Audit log", "health": "Health",
}


def counted_calls(server):
    server.query("""
        INSERT INTO remediation_sums (day, sender, class, value, installations, matched, blocked, labeled, overridden)
        SELECT floor(extract(epoch FROM statement_timestamp()) / 86400)::integer - ago, 'apps', class, value, 9, 40000, 30000, 9000, 40
        FROM generate_series(5, 45) AS t (ago) CROSS JOIN (VALUES ('', ''), ('pack', 'toxic'), ('origin', 'decision'),
          ('source', 'A list'), ('score', 'high'), ('age', 'older'), ('number_type', 'mobile'), ('treatment', 'identify')
        ) AS c (class, value) RETURNING day""")
    return "/moderation/usefulness"


def without_counted_calls(server):
    server.query("DELETE FROM remediation_sums RETURNING day")


def newest_publication(server):
    [[serial]] = server.query("SELECT max(serial) FROM publications WHERE state = 'published'")
    return f"/moderation/publications/{serial}"


def publications_of_number(server):
    [[digits]] = server.query("SELECT number FROM listings ORDER BY number LIMIT 1")
    return f"/moderation/numbers/{digits}/publications"


def failing_source(server):
    """A source at an address where no server listens."""
    if not server.query("SELECT name FROM source_feeds"):
        server.run(
            "sources", "add", "Public list", "--url", "http://127.0.0.1:9/a/long/address/of/a/list.csv", "--format", "csv",
            "--license", "CC0")
    wait_until(lambda: server.query("SELECT name FROM source_feeds WHERE failures > 0"), 60, "a failed download")
    long = "9" * 80 + "…"
    examples = [{"row": row, "text": text, "reason": "not_a_number"} for row, text in [(4, long), (7, "<b>x")]]
    rejected = {"rows": 9, "count": 5, "reasons": {"not_a_number": 4, "a_new_reason": 1}, "examples": examples}
    server.query(f"UPDATE source_feeds SET rejected_rows = '{json.dumps(rejected)}'")
    return "/moderation/sources"


def richest_number(server):
    """The number with the most categories has the longest page."""
    [[digits]] = server.query(
        "SELECT number FROM number_categories GROUP BY number ORDER BY count(*) DESC, sum(heat) DESC LIMIT 1")
    return f"/moderation/numbers/{digits}"


def full_queue(server):
    """Waits for the first sweep of a server that has just started."""
    wait_until(lambda: int(server.query("SELECT count(*) FROM queue")[0][0]) > 60, 30, "the queue to fill")
    return "/moderation/queue"


def decide_about_all(page):
    page.get_by_role("button", name="Decide on all").click()
    page.get_by_role("heading", name="Bulk decision").wait_for()


def preview_all(page):
    decide_about_all(page)
    page.get_by_label("Block", exact=True).check()
    page.get_by_label("Reason (shown to apps and moderators)").fill("Many independent people report the same calls.")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name=re.compile(r"^Block \d+ numbers$")).wait_for()


def block_some(page):
    """Blocks up to three numbers. The preview leaves out a number with an open appeal."""
    for place in range(3):
        page.locator("tbody").get_by_role("checkbox").nth(place).check()
    page.get_by_role("button", name="Decide on selected numbers").click()
    page.get_by_label("Block", exact=True).check()
    page.get_by_label("Reason (shown to apps and moderators)").fill("Many independent people report the same calls.")
    page.get_by_role("button", name="Preview").click()
    save = page.get_by_role("button", name=re.compile(r"^Block \d numbers?$"))
    save.wait_for()
    # Asked for where a directory names one of the numbers.
    for box in page.get_by_label("I have checked the owners of these numbers").all():
        box.check()
    save.click()
    page.get_by_role("heading", name="Done").wait_for()


def refuse_filter(page):
    page.get_by_text("Manage saved filters").click()
    page.get_by_label("Name", exact=True).fill("   ")
    page.get_by_role("button", name="Save filter").click()
    page.get_by_role("alert").wait_for()


def forget_the_reason(page):
    page.get_by_label("Block", exact=False).check()
    page.evaluate("document.querySelector('#decision').noValidate = true")
    page.get_by_role("button", name="Save").first.click()
    # The reason is missing, and the confirmation for a number without reports.
    page.get_by_role("alert").first.wait_for()


def show_keys(page):
    drawn(page)
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()


def press_sign_in(page):
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()


def filed_appeal(server):
    """The page of a ticket that was filed without scripts."""
    page = urllib.request.urlopen(f"{server.address}/appeal").read().decode()
    stamp = re.search(r'name="stamp" value="([^"]+)"', page)[1]
    nonce = next(
        str(n) for n in range(1 << 24)
        if int.from_bytes(hashlib.sha256(f"{stamp}{n}".encode()).digest()[:4], "big") >> 15 == 0)
    form = urllib.parse.urlencode({
        "number": "+12015550123", "stamp": stamp, "nonce": nonce, "contact": "owner@example.org",
        "statement": "This is the number of my bakery. Somebody must have confused us with another business."})
    return urllib.request.urlopen(f"{server.address}/appeal", form.encode()).url.removeprefix(server.address)


def owned_number(server):
    """The data of a number, with a pass as a code opens it."""
    ticket = "-".join(["00000000"] * 4)
    server.query(
        "INSERT INTO owner_passes (pass_hash, number, expires_at) "
        f"VALUES (sha256('{ticket}'), 12015550123, statement_timestamp() + interval '1 day') ON CONFLICT DO NOTHING")
    return f"/rights/{ticket}"


def appealed_number(server):
    filed_appeal(server)
    return "/moderation/appeals/12015550123"


def crowded_appeal(server):
    """More owners than the page shows at once."""
    path = appealed_number(server)
    server.query(
        "INSERT INTO appeal_filings (number, ticket_hash, appeal_id, statement, filed_at) "
        "SELECT number, sha256(place::text::bytea), appeal_id, 'It is mine since ' || 2010 + place || '.', filed_at "
        "FROM appeals, generate_series(1, 5) AS place WHERE number = 12015550123 AND state = 'open' "
        "ON CONFLICT DO NOTHING")
    return path


def proposed_range(server):
    """The block of 100 with the most reported numbers, in the form that the hourly search would propose."""
    [[first, members]] = server.query(
        "SELECT number - number % 100, count(*) FROM numbers GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1")
    first = int(first)
    server.query(
        "INSERT INTO ranges (number, pattern, app_id, prefix, firsts, lasts, state, treatment, category_id, members, heat, "
        f"proposed_at) SELECT {first}, '+{first // 100}xx', 0, {first // 100}, '{{{first}}}', '{{{first + 99}}}', 'proposed', "
        f"'block', 8, {members}, sum(heat), now() FROM number_categories "
        f"WHERE number BETWEEN {first} AND {first} + 99 ON CONFLICT DO NOTHING")
    return f"/moderation/ranges/{first // 100}xx"


def coded(code, **values):
    """A code with its values as SQL text: a step, a failure or a finding."""
    return "'" + json.dumps({"code": code, **values}) + "'"


def failed_publications(server):
    server.query(
        "INSERT INTO publications (serial, as_of, state, cause, started_at, heartbeat_at, failure) VALUES "
        f"(901, now(), 'failed', 'schedule', now(), now(), {coded('process_ended')}), "
        f"(902, now(), 'refused', 'schedule', now(), now(), {coded('gates_closed')})")
    churn = coded("too_much_churn", added=18240, removed=12, former_entries=23200, explained=3, expected=0, maximum_percent=30)
    size = coded(
        "size_outside_limits", entries=41428, size_bytes=310022, former_entries=23200, former_bytes=180411, explained=3, expected=0, ruled=0,
        minimum_percent=50, maximum_percent=150)
    server.query(
        "INSERT INTO publication_gates (serial, gate, pack, passed, finding) VALUES "
        f"(902, 'order', 'toxic', true, {coded('numbers_ascend')}), "
        f"(902, 'churn', 'toxic', false, {churn}), (902, 'size', 'blocklist', false, {size})")
    return "/moderation/publications"


def running_publication(server):
    server.query(
        "INSERT INTO publications (serial, as_of, state, cause, started_at, heartbeat_at, step, percent) "
        f"VALUES (901, now(), 'running', 'schedule', now(), now(), {coded('selecting_numbers')}, 20)")
    return "/moderation/publications"


def without_attempts(server):
    server.query("DELETE FROM publication_gates WHERE serial > 900")
    server.query("DELETE FROM publications WHERE serial > 900")


def imported_list(server):
    [[key]] = server.query("SELECT coalesce(min(app_id), 0) FROM apps WHERE is_list")
    return f"/moderation/thresholds/edit?list={key}"


def spoil_the_list(page):
    page.get_by_label("Weight of an entry").fill("many")
    page.get_by_label("Entries to stay").fill("2000")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("alert").wait_for()


def mistype_a_key(page):
    page.locator("#key-block").fill("1")
    page.locator("form[action$=shortcuts]").get_by_role("button", name="Save").click()
    page.get_by_role("alert").wait_for()


def send_empty_appeal(page):
    page.get_by_role("button", name="Send appeal").click()
    page.get_by_text("Enter the listed number.").wait_for()


def first_changes(server):
    [[serial]] = server.query("SELECT min(serial) FROM publications WHERE state = 'published'")
    return f"/moderation/publications/{serial}/changes"


def newest_changes(server):
    """Creates a publication after the two of the demo data, without a number that a moderator has allowed."""
    published = "SELECT serial FROM publications WHERE state = 'published' ORDER BY serial"
    if len(server.query(published)) <= 2:
        [[number]] = server.query("SELECT number FROM listings ORDER BY number LIMIT 1")
        server.run("decide", "+" + number, "--allow", "--reason", "It is mine.", "--by-program", "Ada")
        server.run("publish")
    return f"/moderation/publications/{server.query(published)[-1][0]}/changes"


def leave_some_operations(page):
    """Removes most operations and objects, which are alike: axe takes a minute for all of them."""
    assert not page.evaluate(IS_TOO_WIDE), "The page is wider than its window."
    page.evaluate(
        "document.querySelectorAll('.docs section section:nth-of-type(n+2), .docs > section[lang] ~ section, .docs > dl :nth-of-type(n+4)')"
        ".forEach(each => each.remove())")


def ask_for_preview(page):
    page.get_by_label("Reporters to enter").fill("90")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Save as new version").wait_for(timeout=120_000)


def open_review(server):
    """Opens the review of a decision of somebody else about the number with the most reports."""
    [[number]] = server.query("SELECT number FROM numbers ORDER BY reports DESC, number LIMIT 1")
    key = "00000000-0000-4000-8000-000000000073"
    server.query(
        "INSERT INTO decisions (number, decision_id, decision, reason, decided_by, decided_at) "
        f"VALUES ({number}, '{key}', 'block', 'Because.', 'Zoe', now()) ON CONFLICT DO NOTHING")
    server.query(
        "INSERT INTO number_decisions (number, decision, decision_id, decided_at) "
        f"VALUES ({number}, 'block', '{key}', now()) ON CONFLICT DO NOTHING")
    server.query(
        "INSERT INTO decision_reviews (number, decision_id, cause, decided_by, decision, category_id, state, opened_at) "
        f"VALUES ({number}, '{key}', 'reach', 'Zoe', 'block', 1, 'open', now()) "
        "ON CONFLICT (number, decision_id) DO UPDATE SET state = 'open'")
    return f"/moderation/reviews/{number}/{key}"


def listed_review(server):
    open_review(server)
    return "/moderation/reviews"


def disputed_review(server):
    path = open_review(server)
    server.query("UPDATE decision_reviews SET state = 'disputed' WHERE decided_by = 'Zoe'")
    server.query(
        "INSERT INTO review_opinions (number, decision_id, account, decision, note, is_golden, reviewed_at) "
        "SELECT number, decision_id, 'Yan', 'allow', 'It is a bank.', false, now() FROM decision_reviews "
        "WHERE decided_by = 'Zoe' ON CONFLICT DO NOTHING")
    return path


def reviewed(server):
    disputed_review(server)
    return "/moderation/agreement"


def golden_case(server):
    open_review(server)
    server.query(
        "INSERT INTO golden_cases (number, decision_id, decided_by, decision, marked_by, marked_at) "
        "SELECT number, decision_id, decided_by, decision, 'Xan', now() FROM decision_reviews WHERE decided_by = 'Zoe' "
        "ON CONFLICT DO NOTHING")
    return "/moderation/golden"


def assigned_cases(server):
    """Rules and an open case."""
    server.query(
        "INSERT INTO assignment_rules (rule_id, country, category_id, accounts, added_by, added_at) VALUES "
        "('00000000-0000-4000-8000-000000000011', 'US', 1, '{Ada}', 'Ada', now()) ON CONFLICT DO NOTHING")
    return "/moderation/assignments"


def worked_queue(server):
    """Decisions of two people, enough for medians of one of them, and an open case."""
    server.query(
        "INSERT INTO audit_events (happened_at, event_id, actor, role, action, subject, after) "
        "SELECT now() - place * interval '1 hour', gen_random_uuid(), CASE WHEN place % 4 = 0 THEN 'Ada' ELSE 'Grace' END, "
        "'moderator', 'decision.block', '+1201555' || place, '{\"decision\": \"block\", \"category\": \"fraud\", "
        "\"causes\": \"threshold,held\", \"handling_seconds\": \"42\"}'::jsonb FROM generate_series(1, 60) place "
        "WHERE NOT EXISTS (SELECT 1 FROM audit_events WHERE subject = '+12015551')")
    server.query(
        "UPDATE queue SET claim_id = gen_random_uuid(), claimed_by = 'Grace', claimed_at = now(), "
        "claimed_until = now() + interval '10 minutes' WHERE number = (SELECT max(number) FROM queue)")
    return "/moderation/team"


def without_claims(server):
    server.query(
        "UPDATE queue SET claim_id = NULL, claimed_by = NULL, claimed_until = NULL WHERE claimed_by = 'Grace'")


def without_rules(server):
    server.query("DELETE FROM assignment_rules")


def without_reviews(server):
    """Removes the decision too, because other pages show the number."""
    for table in ["golden_cases", "review_opinions", "decision_reviews", "number_decisions", "decisions"]:
        server.query(f"DELETE FROM {table} WHERE decision_id = '00000000-0000-4000-8000-000000000073'")


def fresh_link(server):
    """A sign-in link of a new account."""
    [[count]] = server.query("SELECT count(*) FROM accounts")
    link = server.run("sign-in-link", f"Grace {count}", "--role", "moderator", "--url", server.address)
    return link.removeprefix(server.address)


def get_recovery_codes(page):
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/moderation/account**")
    set_up_second_factor(SimpleNamespace(page=page))
    page.get_by_role("heading", name="Recovery codes").wait_for()


def come_to_the_code(page):
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/moderation/account**")
    set_password(SimpleNamespace(page=page))
    page.wait_for_url("**/moderation/queue")
    name = page.locator(".account a").text_content()
    set_up_second_factor(SimpleNamespace(page=page))
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/sign-in/code")


def mistype_the_code(page):
    come_to_the_code(page)
    page.get_by_label("Code").fill("000000")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("alert").wait_for()


def sign_in_wrongly(page):
    page.get_by_label("Name").fill("Nobody")
    page.get_by_label("Password").fill("something")
    press_sign_in(page)


def listed_number(server):
    [[number]] = server.query("SELECT number FROM listings WHERE cause = 0 ORDER BY number LIMIT 1")
    return f"/number/{number}"


def account_of_ada(server):
    [[key]] = server.query("SELECT min(account_id) FROM accounts")
    return f"/moderation/accounts/{key}"


PAGES = [
    Page("sign-in", "/sign-in", role=None),
    Page("sign-in-link", "/sign-in?token=anything", role=None),
    Page("sign-in-failed", "/sign-in?token=anything", role=None, then=press_sign_in),
    Page("sign-in-wrong", "/sign-in", role=None, then=sign_in_wrongly),
    Page("sign-in-code", fresh_link, role=None, then=come_to_the_code),
    Page("sign-in-code-wrong", fresh_link, role=None, then=mistype_the_code),
    Page("recovery-codes", fresh_link, role=None, then=get_recovery_codes),
    Page("problem", "/nothing", role=None, status=404),
    Page("home", "/moderation"),
    Page("home-empty", "/moderation", server="empty"),
    Page("search", "/moderation/search?q=1"),
    Page("search-nothing", "/moderation/search?q=*1"),
    Page("appeal", "/appeal", role=None),
    Page("appeal-problems", "/appeal", role=None, then=send_empty_appeal),
    Page("appeal-status", filed_appeal, role=None),
    Page("rights", "/rights", role=None),
    Page("rights-number", owned_number, role=None),
    Page("number", listed_number, role=None),
    Page("number-unlisted", "/number/12015550199", role=None),
    Page("appeals", "/moderation/appeals"),
    Page("appeals-empty", "/moderation/appeals", server="empty"),
    Page("appeals-one", crowded_appeal),
    Page("transparency", "/moderation/transparency"),
    Page("team", worked_queue, role="administrator", after=without_claims),
    Page("team-own", "/moderation/team?days=7", server="empty"),
    Page("templates", "/moderation/templates?category=fraud", role="administrator"),
    Page("templates-answers", "/moderation/templates?kind=answer&language=ru", role="administrator"),
    Page("assignments", assigned_cases, role="administrator", after=without_rules),
    Page("reviews", listed_review, after=without_reviews),
    Page("reviews-empty", "/moderation/reviews", server="empty"),
    Page("reviews-one", open_review, after=without_reviews),
    Page("reviews-dispute", disputed_review, role="administrator", after=without_reviews),
    Page("agreement", reviewed, role="administrator", after=without_reviews),
    Page("agreement-empty", "/moderation/agreement", server="empty"),
    Page("golden", golden_case, role="administrator", after=without_reviews),
    Page("reporters", "/moderation/reporters?list=judged"),
    Page("ranges", "/moderation/ranges"),
    Page("ranges-one", proposed_range),
    Page("protected", "/moderation/protected", role="administrator"),
    Page("thresholds", "/moderation/thresholds", role="administrator"),
    Page("thresholds-edit", "/moderation/thresholds/edit?category=robocall&country=DE", role="administrator"),
    Page("thresholds-list", imported_list, role="administrator"),
    Page("thresholds-list-wrong", imported_list, role="administrator", then=spoil_the_list),
    Page("thresholds-preview", "/moderation/thresholds/edit?category=robocall", role="administrator", then=ask_for_preview),
    Page("changes-first", first_changes),
    Page("changes", newest_changes),
    Page("recipes", "/moderation/recipes"),
    Page("clients", "/moderation/clients"),
    Page("usefulness", counted_calls, after=without_counted_calls),
    Page("sources", failing_source, role="administrator"),
    Page("sources-empty", "/moderation/sources", role="administrator", server="empty"),
    Page("health", "/moderation/health"),
    Page("account", "/moderation/account"),
    Page("account-keys-wrong", "/moderation/account", then=mistype_a_key),
    Page("account-welcome", "/moderation/account?welcome=1", role="triage"),
    Page("account-second-factor", "/moderation/account/second-factor"),
    Page("account-passkeys", "/moderation/account/passkeys"),
    Page("accounts", "/moderation/accounts", role="administrator"),
    Page("accounts-one", account_of_ada, role="administrator"),
    Page("accounts-refused", "/moderation/accounts", role="moderator", status=403),
    Page("audit", "/moderation/audit"),
    Page("audit-none", "/moderation/audit?action=nothing.like.it"),
    Page("queue", full_queue),
    Page("queue-filtered", "/moderation/queue?cause=threshold&days=30"),
    Page("queue-filter-refused", "/moderation/queue?cause=threshold&sort=reports", then=refuse_filter),
    Page("queue-split", "/moderation/queue?case=12025550140"),
    Page("queue-empty", "/moderation/queue", server="empty"),
    Page("case", richest_number),
    Page("case-publications", publications_of_number),
    Page("case-reporters", lambda server: f"{richest_number(server)}/reporters"),
    Page("case-attacked", "/moderation/numbers/12025550140"),
    Page("case-unknown", "/moderation/numbers/12015550199"),
    Page("case-refused", "/moderation/numbers/12015550199", then=forget_the_reason),
    Page("case-keys", richest_number, then=show_keys),
    Page("case-triage", richest_number, role="triage"),
    Page("bulk", full_queue, then=decide_about_all),
    Page("bulk-preview", full_queue, then=preview_all),
    Page("bulk-done", full_queue, then=block_some),
    Page("publications", "/moderation/publications"),
    Page("publications-one", newest_publication),
    Page("publications-failed", failed_publications, role="administrator", after=without_attempts),
    Page("publications-running", running_publication, role="administrator", after=without_attempts),
    Page("publications-empty", "/moderation/publications", server="empty"),
    Page("lists", "/lists", role=None),
    Page("lists-empty", "/lists", role=None, server="empty"),
    Page("docs", "/docs", role=None, then=leave_some_operations),
    Page("docs-problem", "/problems/invalid-report", role=None),
    Page("apps", "/moderation/apps", role="administrator"),
    Page("apps-empty", "/moderation/apps", role="administrator", server="empty"),
    Page("apps-key", "/moderation/apps/keys/1?preview=1", role="administrator"),
]
