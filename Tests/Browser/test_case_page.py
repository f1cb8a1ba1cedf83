"""The page of a case: what is visible, in which order it is read, where the focus goes, and keys that are off."""

import re

import pytest

from every_page import coded, full_queue
from waiting import wait_until

HOSPITAL = "12025550140"
BAKERY = "13035550110"
SCHOOL = "14045550120"
APPEALED = "12125550170"
RANGE = "15055550160"

# Elements of the main part that are read before an earlier one is, as a reader of columns does: an element comes later if it
# is below, or in a column to the right.
OUT_OF_ORDER = """() => {
  const parts = [...document.querySelectorAll(
    "main :is(h1, h2, h3, legend, label, summary, input:not([type=hidden]), select, textarea, button, a, tbody th)")]
    .filter(each => each.checkVisibility() && !each.closest(".visually-hidden"))
    .map(each => [each, each.getBoundingClientRect()])
    .filter(([each, box]) => box.width > 1 && box.height > 1 && getComputedStyle(each).position != "sticky")
  const name = each => each.outerHTML.slice(0, 60)
  const faults = []
  for (let place = 1; place < parts.length; place++) {
    const [[before, first], [after, second]] = [parts[place - 1], parts[place]]
    if (before.contains(after)) continue
    const isAbove = second.bottom <= first.top + 1 && second.left < first.right
    const isLeft = second.right <= first.left + 1 && second.top < first.bottom - 1 && second.bottom > first.top + 1
    if (isAbove || isLeft) faults.push(`${name(after)} is before ${name(before)}`)
  }
  return faults
}"""

FOCUSED = "document.activeElement.id || document.activeElement.name || document.activeElement.outerHTML.slice(0, 60)"


def waiting(server, number):
    """Waits until the first sweep has found a case."""
    wait_until(lambda: server.query(f"SELECT 1 FROM queue WHERE number = {number}"), 60, f"{number} to wait")
    return f"{server.address}/moderation/numbers/{number}"


def with_every_warning(server):
    """The hospital under attack, with earlier decisions and appeals and a protected neighbor."""
    address = waiting(server, HOSPITAL)
    if not server.query(f"SELECT 1 FROM decisions WHERE number = {HOSPITAL}"):
        server.query(
            "INSERT INTO decisions (number, decision_id, decision, reason, decided_by, decided_at) VALUES "
            f"({HOSPITAL}, gen_random_uuid(), 'allow', 'Earlier.', 'Bob', now() - interval '60 days'), "
            f"({HOSPITAL}, gen_random_uuid(), 'allow', 'Again.', 'Bob', now() - interval '50 days')")
        server.query(
            "INSERT INTO appeals (number, appeal_id, state, statement, filed_at, answered_at, answered_by, answer) VALUES "
            f"({HOSPITAL}, gen_random_uuid(), 'rejected', 'It is ours.', now() - interval '40 days', "
            "now() - interval '39 days', 'Bob', 'No.')")
        reason = coded("one_day", peak=24, reporters=24, others=0)
        server.query(f"INSERT INTO holds (number, reason, held_at) VALUES ({HOSPITAL}, {reason}, now())")
    return address


@pytest.fixture(scope="module")
def server(make_server):
    """A separate server for this file, because other files decide the cases of their server."""
    return make_server("--demo", "--public-number-pages", "hidden")


@pytest.fixture
def open_case(server, visit, signed_in):
    def go(address, width=1366, height=768, **options):
        one = visit(storage_state=signed_in(server), viewport={"width": width, "height": height}, **options)
        one.open(address)
        return one

    return go


def test_demo_data_has_cases_to_practise_on(server):
    for number in [HOSPITAL, BAKERY, SCHOOL, APPEALED, RANGE]:
        waiting(server, number)
    assert server.query(f"SELECT reason ->> 'code' FROM holds WHERE number = {BAKERY}") == [["one_network"]]
    assert server.query(f"SELECT state FROM appeals WHERE number = {APPEALED}") == [["open"]]
    assert server.query(f"SELECT state FROM ranges WHERE number = {RANGE}") == [["proposed"]]
    assert len(server.query("SELECT serial FROM publications WHERE state = 'published'")) >= 2
    assert len(server.query("SELECT DISTINCT name FROM directory_entries")) == 5


def test_demo_data_does_not_contradict_itself(server):
    """All numbers belong to nobody, and newcomers alone block none; they may label some."""
    assert server.query("SELECT number FROM numbers WHERE number::text !~ '^1[2-9][0-9]{2}55501[0-9]{2}$'") == []
    assert server.query(
        "SELECT l.number FROM listings l JOIN number_reporters v USING (number) LEFT JOIN reporters r USING (reporter) "
        "WHERE l.cause = 0 AND l.treatment = 0 GROUP BY 1 HAVING NOT bool_or(coalesce(r.is_established, false))") == []


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_decision_reasons_and_save_are_in_sight(server, open_case, artefacts, scripts):
    page = open_case(with_every_warning(server) + "?queue=1", java_script_enabled=scripts).page
    warnings = page.locator(".warnings li").all_inner_texts()
    for title in [
        "Near a protected number", "In a directory", "Held", "New reporters", "One text", "Earlier decisions",
        "Earlier appeals",
    ]:
        assert any(text.startswith(title) for text in warnings), title
    assert "24 reporters, all new" in page.locator(".strip").inner_text()
    assert page.locator(".words .times").first.inner_text() == "15 ×"
    page.screenshot(path=artefacts / "case-every-warning.png")
    parts = [
        page.locator(selector) for selector in
        (".warnings", ".strip", "#decision .choices", "#reasons", "#decision button.primary", ".folds summary")]
    for part in parts:
        for place in range(part.count()):
            box = part.nth(place).bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= 768, f"{part}: {box}"
    assert page.evaluate("scrollY") == 0
    # Also after a choice has shown its consequence.
    page.get_by_label("Block", exact=False).first.check()
    assert page.locator("#block-consequence").is_visible()
    assert page.locator("#decision input[name=confirm]").bounding_box()["y"] < 768
    page.locator("input[value=unsure]").check()
    assert not page.locator("#block-consequence").is_visible()


@pytest.mark.parametrize("width", [360, 1366])
@pytest.mark.parametrize("name", ["case", "queue"])
def test_the_order_of_reading_is_the_order_of_seeing(server, open_case, name, width):
    address = with_every_warning(server) if name == "case" else server.address + full_queue(server)
    page = open_case(address, width=width, height=768 if width > 400 else 740).page
    assert page.evaluate(OUT_OF_ORDER) == []


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_the_focus_goes_to_the_first_error(server, open_case, scripts):
    one = open_case(with_every_warning(server), java_script_enabled=scripts)
    page = one.page
    one.refused.add(422)
    save = page.get_by_role("button", name="Save")
    page.get_by_label("Block", exact=False).first.check()
    if scripts:
        save.click()
        # Both are missing; the tick comes first.
        assert page.locator("#reason-missing").is_visible() and page.locator("#confirm-missing").is_visible()
        assert page.evaluate(FOCUSED) == "confirm"
        page.get_by_label("I have checked the owner").check()
        save.click()
        assert page.evaluate(FOCUSED) == "common_reason"
        page.get_by_label("I have checked the owner").uncheck()
    page.get_by_label("Reports quote a fraudulent caller.").check()
    save.click()
    if not scripts:
        page.get_by_text("Nothing was saved. Check the owner").wait_for()
    assert page.evaluate(FOCUSED) == "confirm"
    assert page.get_by_label("Reports quote a fraudulent caller.").is_checked()
    page.get_by_label("Label only").check()
    if not scripts:
        save.click()
        page.get_by_role("alert").wait_for()
        assert page.evaluate(FOCUSED) == "label"
        assert page.locator("#label").is_visible()
    # Nothing was stored.
    assert server.query(f"SELECT count(*) FROM decisions WHERE number = {HOSPITAL}") == [["2"]]


def test_keys_do_nothing_after_they_are_turned_off(server, visit, make_link):
    one = visit(viewport={"width": 1366, "height": 768})
    page = one.page
    one.open(make_link(server))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/moderation/account**")
    page.get_by_label("Use single-key shortcuts").uncheck()
    page.locator("form[action$=shortcuts]").get_by_role("button", name="Save").click()
    page.get_by_text("Keyboard shortcuts saved.").wait_for()
    one.open(waiting(server, SCHOOL))
    page.locator("h1").click()
    for key in ("b", "1", "?", "t", "l"):
        page.keyboard.press(key)
    assert page.locator("#decision input[name=decision]:checked").count() == 0
    assert page.locator("input[name=common_reason]:checked").get_attribute("value") == ""
    assert page.locator("kbd:visible").all_inner_texts() == ["↵"]
    # Other keys of the browser are not changed: Enter sends a chosen decision.
    page.get_by_label("Skip").check()
    page.keyboard.press("Enter")
    page.locator(".did").wait_for()
    assert "Skipped" in page.locator(".did").inner_text()

    # Another key for an action.
    one.open(f"{server.address}/moderation/account")
    page.get_by_label("Use single-key shortcuts").check()
    page.locator("#key-block").fill("y")
    page.locator("form[action$=shortcuts]").get_by_role("button", name="Save").click()
    page.get_by_text("Keyboard shortcuts saved.").wait_for()
    one.open(waiting(server, SCHOOL))
    page.keyboard.press("b")
    assert not page.get_by_label("Block", exact=False).first.is_checked()
    page.keyboard.press("y")
    assert page.get_by_label("Block", exact=False).first.is_checked()


def test_an_appeal_is_answered_on_its_page_by_a_template(server, visit, signed_in):
    waiting(server, APPEALED)
    for scripts in (False, True):
        one = visit(storage_state=signed_in(server), java_script_enabled=scripts)
        one.open(f"{server.address}/moderation/appeals/{APPEALED}")
        page = one.page
        page.get_by_role("button", name=re.compile("^The statement does not show")).click()
        assert page.get_by_label("Answer to the owner").input_value().startswith("The statement does not show")
        page.get_by_label("Answer to the owner").fill("")
        one.refused.add(422)
        page.get_by_role("button", name="Reject").click()
        page.get_by_role("alert").wait_for()
        assert page.evaluate(FOCUSED) == "words"
    assert server.query(f"SELECT state FROM appeals WHERE number = {APPEALED}") == [["open"]]
