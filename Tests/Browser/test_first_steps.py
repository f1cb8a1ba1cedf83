"""The start page leads from an empty installation to the first list, without scripts."""

import json
import urllib.request
import uuid
from datetime import datetime, timezone

import pytest

from waiting import wait_until


@pytest.fixture(scope="module")
def fresh(make_server):
    return make_server()


def steps(page):
    """The steps that are left; finished ones are not shown."""
    return page.locator(".steps > li").count()


def report(server, key, number):
    body = {
        "number": number, "category": "robocall", "reporter": "user-1", "report_id": str(uuid.uuid4()),
        "reported_at": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
    request = urllib.request.Request(
        f"{server.address}/v1/reports", json.dumps(body).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        assert response.status == 201


def test_from_nothing_to_the_first_list(fresh, visit, signed_in, make_link, artefacts):
    one = visit(storage_state=signed_in(fresh, "administrator"), java_script_enabled=False, color_scheme="dark",
                viewport={"width": 360, "height": 800})
    page, home = one.page, f"{fresh.address}/moderation"

    def expect(done):
        one.open(home)
        assert steps(page) == 6 - done

    one.open(home)
    assert steps(page) == 6
    # Every step has its page, and five of them their command.
    addresses = [link.get_attribute("href") for link in page.locator(".steps a").all()]
    assert addresses == [
        "/moderation/protected", "/moderation/sources", "/moderation/apps", "/docs", "/moderation/publications", "/moderation/accounts"]
    assert page.locator(".steps code").count() == 5
    page.screenshot(path=artefacts / "first-steps.png", full_page=True)

    fresh.run("protect", "add", "--catalog", "US", "--by-program", "Ada")
    expect(1)
    fresh.run("sources", "add", "trial", "--url", "http://127.0.0.1:1/list.csv", "--format", "csv")
    # A source is no finished step before it was read.
    expect(1)
    wait_until(lambda: fresh.query("SELECT name FROM source_feeds WHERE failures > 0"), 60, "a failed download")
    one.open(home)
    assert "The source trial fails" in page.locator(".failing").inner_text()
    fresh.query("UPDATE source_feeds SET refreshed_at = now(), failures = 0, failed_at = NULL, error = NULL")
    expect(2)
    key = fresh.run("app", "create", "Trial app")
    expect(3)
    report(fresh, key, "+12015550123")
    expect(4)

    # An account that cannot run commands sees none.
    plain = visit(storage_state=signed_in(fresh, "triage"))
    plain.open(home)
    assert plain.page.locator("code").count() == 0 and "No publication is scheduled." in plain.page.locator("main").inner_text()

    # Held numbers wait for a moderator: the page says how many, why and where.
    reason = (
        '{"code":"new_reporters","new":6,"others":0,"reporters":6,"same_network":0,"same_text":0,"same_numbers":0,'
        '"independent":6}')
    fresh.query(f"INSERT INTO holds (number, reason, held_at) VALUES (12015550124, '{reason}', now())")
    expect(4)
    waiting = page.get_by_text("1 number waits for a moderator: all its reporters are new.")
    assert waiting.count() == 1
    assert waiting.get_by_role("link").get_attribute("href") == "/moderation/queue?cause=held"

    # By keyboard.
    page.locator(".steps a", has_text="Publish").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/moderation/publications")
    page.get_by_role("button", name="Publish now").click()
    published = "SELECT count(*) FROM publications WHERE state = 'published'"
    wait_until(lambda: fresh.query(published) == [["1"]], 60, "the first publication")
    expect(5)
    # The number has no report, so its hold has ended.
    assert waiting.count() == 0

    other = visit()
    other.open(make_link(fresh, "moderator", "Grace"))
    other.page.get_by_role("button", name="Sign in").click()
    other.page.wait_for_url("**/moderation**")
    one.open(home)
    assert steps(page) == 0 and page.get_by_text("First steps").count() == 0
    # The list is still empty.
    assert waiting.count() == 0

    fresh.run("decide", "+12015550124", "--block", "--category", "robocall", "--reason", "A test call.", "--by-program", "Ada")
    assert "blocklist" in fresh.run("publish")
    one.open(home)
    assert page.get_by_text("Why nothing is listed yet").count() == 0
