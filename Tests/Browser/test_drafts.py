"""Moderators' input is kept until it is saved, and the keys of the decision form say what is missing."""

import pytest

from waiting import wait_until


@pytest.fixture(scope="module")
def home(make_server):
    """A server of its own: these tests decide cases."""
    return make_server("--demo", "--public-number-pages", "hidden")


@pytest.fixture
def cases(home):
    """Numbers that wait for a moderator and have no appeal, whose owner would need an answer."""
    rows = home.query(
        "SELECT number FROM queue WHERE level = 0 AND number NOT IN (SELECT number FROM appeals) "
        "AND number NOT IN (SELECT number FROM decisions) ORDER BY number LIMIT 5")
    return [row[0] for row in rows]


@pytest.fixture
def window(home, visit, make_link):
    one = visit()
    one.open(make_link(home, "administrator", "Ada"))
    one.page.get_by_role("button", name="Sign in").click()
    one.page.wait_for_url("**/moderation**")
    return one


def type_decision(page):
    page.get_by_label("Label only").check()
    page.locator("#reason").fill("Calls at night")
    page.locator("#label").fill("Night calls")
    page.locator("summary", has_text="Note").first.click()
    page.locator("#note").fill("Two\nlines")


def typed(page):
    return (
        page.locator("#decision input[name=decision]:checked").get_attribute("value"), page.locator("#reason").input_value(),
        page.locator("#label").input_value(), page.locator("#note").input_value())


TYPED = ("identify", "Calls at night", "Night calls", "Two\nlines")


def test_input_survives_an_ended_session(home, window, make_link, cases):
    page, number = window.page, cases[0]
    address = f"{home.address}/moderation/numbers/{number}"
    window.open(address)
    type_decision(page)
    home.query("DELETE FROM sessions")
    page.get_by_role("button", name="Save").first.click()
    page.wait_for_url("**/sign-in**")
    assert home.query(f"SELECT 1 FROM decisions WHERE number = {number}") == []
    # The page says so, names what is kept, and leads back.
    said = page.locator("main").inner_text()
    assert "Your session has ended. Nothing was saved." in said and f"Ada: /moderation/numbers/{number}" in said
    assert page.locator("input[name=next]").input_value() == f"/moderation/numbers/{number}"
    # Another account in this tab sees nothing of it, and deletes nothing.
    window.open(make_link(home, "moderator", "Bob"))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/moderation**")
    home.query("UPDATE queue SET claim_id = NULL, claimed_by = NULL, claimed_until = NULL, claimed_at = NULL")
    window.open(address)
    assert page.locator("#reason").input_value() == ""
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in**")
    window.open(make_link(home, "administrator", "Ada"))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/moderation**")
    home.query("UPDATE queue SET claim_id = NULL, claimed_by = NULL, claimed_until = NULL, claimed_at = NULL")
    window.open(address)
    assert typed(page) == TYPED
    assert "Your input was restored." in page.locator("#decision").inner_text()
    page.get_by_role("button", name="Save").first.click()
    page.get_by_text("Labeled:").first.wait_for()
    assert home.query(f"SELECT decision, reason, label FROM decisions WHERE number = {number}") == [
        ["identify", "Calls at night", "Night calls"]]
    # It is saved: the form is empty again.
    window.open(address)
    assert page.locator("#reason").input_value() == "" and "restored" not in page.locator("#decision").inner_text()


def test_input_survives_a_take_over(home, window, visit, make_link, cases):
    page, number = window.page, cases[1]
    address = f"{home.address}/moderation/numbers/{number}"
    window.open(address)
    type_decision(page)
    other = visit()
    other.open(make_link(home, "administrator"))
    other.page.get_by_role("button", name="Sign in").click()
    other.page.wait_for_url("**/moderation**")
    other.open(address)
    other.page.get_by_role("button", name="Take over").click()
    other.page.locator("#decision").wait_for()
    window.refused.add(409)
    page.get_by_role("button", name="Save").first.click()
    page.locator("#stale").wait_for()
    # The page has no form, and shows what was typed.
    said = page.locator("section.decide").inner_text()
    assert page.locator("#decision").count() == 0
    for text in ("Label only", "Calls at night", "Night calls", "Two", "take it over"):
        assert text in said
    # Only an administrator can take a case over.
    third = visit()
    third.open(make_link(home))
    third.page.get_by_role("button", name="Sign in").click()
    third.page.wait_for_url("**/moderation**")
    third.open(address)
    said = third.page.locator("section.decide").inner_text()
    assert "You can decide when the claim ends." in said and "take it over" not in said
    page.get_by_role("button", name="Take over").click()
    page.locator("#decision").wait_for()
    assert typed(page) == TYPED
    page.get_by_role("button", name="Discard it").click()
    assert page.locator("#reason").input_value() == "" and page.locator("#decision input[name=decision]:checked").count() == 0


def test_a_form_that_was_not_stored_keeps_its_id_until_its_input_changes(home, window, cases):
    page = window.page
    address = f"{home.address}/moderation/numbers/{cases[3]}"
    window.open(address)
    note, form_id = page.locator("#new-note"), page.locator("#notes input[name=id]")
    first = form_id.input_value()
    note.fill("One")
    page.route("**/notes", lambda route: route.abort("aborted"))
    page.get_by_role("button", name="Add note").click()
    page.unroute("**/notes")
    window.open(address)
    assert (note.input_value(), form_id.input_value()) == ("One", first)
    note.fill("Two")
    assert form_id.input_value() != first


def test_fields_of_one_name_are_restored_separately(home, window):
    page = window.page
    address = f"{home.address}/moderation/templates?category=fraud"
    window.open(address)
    texts = page.locator("#texts [name=text]")
    third = texts.nth(2).input_value()
    texts.nth(0).fill("First")
    texts.nth(8).fill("Last")
    window.open(f"{home.address}/moderation")
    window.open(address)
    assert [texts.nth(place).input_value() for place in (0, 2, 8)] == ["First", third, "Last"]


def test_a_key_that_skips_the_case_loses_nothing(home, window, cases):
    page, number = window.page, cases[4]
    passes = f"SELECT count(*) FROM queue_passes WHERE number = {number}"
    window.open(f"{home.address}/moderation/numbers/{number}")
    page.locator("#reason").fill("Calls at night")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    assert page.locator("#reason").is_visible() and home.query(passes) == [["0"]]
    page.keyboard.press("Enter")
    wait_until(lambda: home.query(passes) == [["1"]], 10, "the case to be skipped")
    assert home.query(f"SELECT reason FROM audit_events WHERE action = 'case.pass' AND subject = '+{number}'") == [
        ["Calls at night"]]


def test_enter_saves_or_says_what_is_missing(home, window, cases):
    page, number = window.page, cases[2]
    window.open(f"{home.address}/moderation/numbers/{number}")
    # A reason without a decision.
    page.locator("#reason").fill("Calls at night")
    page.keyboard.press("Enter")
    page.get_by_text("Choose a decision.").wait_for()
    assert page.evaluate("document.activeElement.name") == "decision"
    # After Esc the focus stays in the form, and Enter saves.
    page.keyboard.press("i")
    page.locator("#label").fill("Night calls")
    page.locator("summary", has_text="Note").first.click()
    page.locator("#note").fill("Two lines")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.closest('form').getAttribute('id')") == "decision"
    page.locator("h1").click()
    page.keyboard.press("Enter")
    page.get_by_text("Labeled:").first.wait_for()
    assert home.query(f"SELECT decision, reason, note FROM decisions WHERE number = {number}") == [
        ["identify", "Calls at night", "Two lines"]]
