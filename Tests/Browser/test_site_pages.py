"""Appeals from the form to the removal of the number; thresholds with their preview."""

import re

import pytest

from waiting import wait_until

# A limit, not an expectation: a publication of the sample data takes a few seconds on an idle machine.
SOON = 120


@pytest.fixture(scope="module")
def published(make_server):
    """A separate server with sample data and a publication, from which these tests remove numbers."""
    return make_server("--demo", "--public-number-pages", "hidden")


def listed(server, place=0):
    [[number]] = server.query(
        f"SELECT number FROM listings WHERE cause = 0 AND treatment = 0 ORDER BY number LIMIT 1 OFFSET {place}")
    return number


def file_appeal(one, server, number, words):
    page = one.page
    one.open(f"{server.address}/appeal")
    page.get_by_label("Phone number").fill("+" + number)
    page.get_by_label("What is wrong?").fill(words)
    page.get_by_label("Contact (optional)").fill("owner@example.org")
    page.get_by_role("button", name="Send appeal").click()
    page.wait_for_url(re.compile(r"/appeal/[0-9A-Z-]{35}$"), timeout=SOON * 1000)
    return page.url


def test_from_an_appeal_to_a_list_without_the_number(published, visit, signed_in, artefacts):
    number = listed(published)
    owner = visit(locale="en-GB")
    ticket = file_appeal(owner, published, number, "This is my bakery <b>& nothing</b> else.")
    page = owner.page
    assert "waiting for a moderator" in page.locator("main").inner_text()
    assert "Our list has contained this number" in page.locator("main").inner_text()
    assert page.locator("main b").count() == 0

    moderator = visit(storage_state=signed_in(published), locale="en-GB")
    desk = moderator.page
    moderator.open(f"{published.address}/moderation/appeals")
    desk.locator(f"tbody a[href$='/{number}']").click()
    desk.wait_for_url("**/moderation/appeals/*")
    assert "owner@example.org" in desk.locator("main").inner_text()
    desk.get_by_label("Answer to the owner").fill("You were right, sorry.")
    desk.get_by_role("button", name="Uphold").click()
    desk.wait_for_url("**?done=upheld")
    # The running server removes it from the packs and records that in the database.
    wait_until(lambda: not published.query(f"SELECT 1 FROM listings WHERE number = {number}"), SOON, "the revocation")
    [[state, cause]] = published.query("SELECT state, cause FROM publications ORDER BY serial DESC LIMIT 1")
    assert (state, cause) == ("published", "revocation")

    owner.open(ticket)
    text = page.locator("main").inner_text()
    assert "upheld" in text and "You were right, sorry." in text and "off our list and stays off" in text
    owner.open(f"{published.address}/number/{number}")
    assert "Not listed" in page.locator("main").inner_text()

    moderator.open(f"{published.address}/moderation/publications")
    desk.locator("tbody th a").first.click()
    desk.get_by_role("link", name=re.compile("Show changes")).click()
    desk.wait_for_url("**/changes")
    assert "An appeal was upheld." in desk.locator("main").inner_text()


def test_a_threshold_is_previewed_before_it_is_saved(server, visit, signed_in):
    administrator = visit(storage_state=signed_in(server, "administrator"), locale="en-GB")
    page = administrator.page
    administrator.open(f"{server.address}/moderation/thresholds")
    page.get_by_role("link", name=re.compile("^Change Robocall")).click()
    administrator.refused.add(422)
    page.get_by_label("Reporters to enter").fill("many")
    page.get_by_role("button", name="Preview").click()
    assert "This is not a number" in page.locator("main").inner_text()
    page.get_by_label("Reporters to enter").fill("90")
    page.get_by_label("Reporters to stay").fill("70")
    page.get_by_role("button", name="Preview").click()
    page.wait_for_url("**/thresholds/preview")
    # The page refreshes itself.
    marked = page.evaluate("window.mark = 1")
    page.get_by_label("Reason").wait_for()
    assert page.evaluate("window.mark ?? 0") == marked
    assert "Removed" in page.locator("main").inner_text()
    page.get_by_label("Reason").fill("A trial.")
    page.get_by_role("button", name="Save as new version").click()
    page.wait_for_url("**/moderation/thresholds?saved=1")
    assert "A trial." in page.locator("main").inner_text()


def test_search_finds_a_number_by_its_beginning_and_its_end(server, visit, signed_in):
    moderator = visit(storage_state=signed_in(server), locale="en-GB")
    page = moderator.page
    number = listed(server)
    for text in [number[:6], "*" + number[-6:], "*" + number[-4:], "+" + number]:
        moderator.open(f"{server.address}/moderation/search")
        page.get_by_label("Number, label or business name").fill(text)
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?q=*")
        assert page.locator(f'a[href="/moderation/numbers/{number}"]').count() >= 1, text
