"""Actions on a case: ranges, numbers without reports, skips and escalations that can be taken back, and input that is kept."""

import re

import pytest

from waiting import wait_until

RANGE, PATTERN = "15055550160", "+1505555016x"


@pytest.fixture(scope="module")
def home(make_server):
    """A server of its own: these tests decide cases."""
    server = make_server("--demo", "--public-number-pages", "hidden")
    wait_until(lambda: server.query(f"SELECT 1 FROM queue WHERE number = {RANGE}"), 60, "the range to wait")
    return server


@pytest.fixture
def case(home):
    """A number that waits for everybody, with many reporters, and that nothing guards."""
    return home.query(
        "SELECT q.number FROM queue q JOIN numbers n USING (number) WHERE level = 0 AND claimed_by IS NULL AND causes = 1 "
        "AND n.reporters > 8 AND q.number NOT IN (SELECT number FROM appeals) AND q.number NOT IN (SELECT number FROM decisions) "
        "AND q.number NOT IN (SELECT number FROM directory_entries) AND NOT EXISTS (SELECT 1 FROM protected_numbers p "
        "WHERE p.number / 100 = q.number / 100) AND q.number NOT IN (SELECT number FROM queue_passes) "
        "AND '+' || q.number NOT IN (SELECT subject FROM audit_events) ORDER BY q.number LIMIT 1")[0][0]


@pytest.fixture
def enter(home, visit, make_link):
    def go(role, path, name=None, **options):
        one = visit(viewport={"width": 1366, "height": 768}, **options)
        one.open(make_link(home, role, name))
        one.page.get_by_role("button", name="Sign in").click()
        one.page.wait_for_url("**/moderation**")
        # Windows of earlier steps have the case open.
        home.query("UPDATE queue SET claim_id = NULL, claimed_by = NULL, claimed_until = NULL, claimed_at = NULL")
        one.open(home.address + path)
        return one

    return go


def decided(home, number):
    return home.query(f"SELECT decision FROM decisions WHERE number = {number} AND undoes IS NULL")


@pytest.mark.parametrize("width", [360, 1366])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_range_case_shows_each_number(home, enter, artefacts, width, scheme):
    page = enter("moderator", f"/moderation/numbers/{RANGE}", color_scheme=scheme).page
    page.set_viewport_size({"width": width, "height": 768})
    cells = page.locator(".numbers td a")
    assert cells.count() == 10
    reported = int(home.query(f"SELECT count(*) FROM numbers WHERE number / 10 = {RANGE} / 10 AND reports > 0")[0][0])
    assert cells.filter(has_text="●").count() == reported
    assert f"reported: {reported}" in page.locator(".numbers-key").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.screenshot(path=artefacts / f"range-case-{width}-{scheme}.png")


def test_a_range_case_decides_about_no_number(home, enter):
    one = enter("moderator", f"/moderation/numbers/{RANGE}?queue=1")
    page = one.page
    assert page.locator("#decision input[name=decision]").evaluate_all("all => all.map(each => each.value)") == [
        "approve", "reject_range", "unsure", "escalate"]
    one.refused.add(422)
    for key in ("b", "1", "Enter"):
        page.keyboard.press(key)
    page.get_by_text("Choose a decision.").wait_for()
    # A form of an older page.
    page.locator("#decision input[value=approve]").evaluate("field => { field.value = 'block'; field.checked = true }")
    page.locator("#decision button.primary").click()
    page.get_by_text("The case asks about a range.").wait_for()
    # A form that shows another range decides about none.
    one.refused.add(409)
    page.locator("#decision input[name=range]").evaluate("field => { field.value = '+1201555xxxx' }")
    for key in ("p", "1", "Enter"):
        page.keyboard.press(key)
    page.locator("#stale").wait_for()
    assert home.query(f"SELECT state FROM ranges WHERE pattern = '{PATTERN}'") == [["proposed"]]
    # In bulk, its number is left out.
    one.open(home.address + "/moderation/queue?cause=range")
    page.get_by_role("button", name="Decide on all").click()
    assert "because their cases ask about ranges" in page.locator("main").inner_text()
    assert decided(home, RANGE) == []


def test_a_range_is_approved_by_keys(home, enter):
    page = enter("moderator", f"/moderation/numbers/{RANGE}").page
    for key in ("p", "1", "Enter"):
        page.keyboard.press(key)
    page.get_by_text("Range approved. It begins with").wait_for()
    assert home.query(f"SELECT state, reason FROM ranges WHERE pattern = '{PATTERN}'") == [["approved", "many_reporters"]]
    assert decided(home, RANGE) == []


def test_blocking_a_number_without_reports_asks_once(home, enter):
    number = "12015550199"
    assert home.query(f"SELECT 1 FROM numbers WHERE number = {number}") == []
    one = enter("moderator", f"/moderation/numbers/{number}")
    page = one.page
    assert page.locator("input[name=common_reason]").evaluate_all("all => all.map(each => each.value)") == [
        "known_business", ""]
    page.get_by_label("Block", exact=False).first.check()
    assert "There is no report about this number." in page.locator("#block-consequence").inner_text()
    page.locator("#reason").fill("Named by the regulator")
    page.locator("#decision button.primary").click()
    page.locator("#confirm-missing").wait_for()
    # A reason that is not true is refused, wherever it comes from.
    one.refused.add(422)
    page.locator("#decision input[name=confirm]").check()
    page.locator("input[value=known_business]").evaluate("field => { field.value = 'many_reporters'; field.checked = true }")
    page.locator("#decision button.primary").click()
    page.get_by_text("This reason is not true").wait_for()
    assert decided(home, number) == []


def test_a_skip_and_an_escalation_wait_for_enter_travel_and_are_taken_back(home, enter, case):
    page = enter("triage", f"/moderation/numbers/{case}", "Tina").page
    level = f"SELECT level FROM queue WHERE number = {case}"
    passes = f"SELECT count(*) FROM queue_passes WHERE number = {case}"
    page.keyboard.press("u")
    assert home.query(passes) == [["0"]]
    page.keyboard.press("Enter")
    page.get_by_text("Skipped:").wait_for()
    assert home.query(passes) == [["1"]]
    page.keyboard.press("z")
    page.get_by_text("Taken back:").wait_for()
    assert home.query(passes) == [["0"]]
    # With a note; a note that was begun below is not lost.
    page.locator("summary", has_text="Note").first.click()
    page.locator("#note").fill("Calls at night")
    page.locator("#new-note").fill("My neighbor, too")
    page.locator("h1").click()
    page.keyboard.press("e")
    assert home.query(level) == [["0"]]
    page.keyboard.press("Enter")
    page.get_by_text("Escalated:").wait_for()
    assert home.query(level) == [["1"]]
    receiver = enter("moderator", f"/moderation/numbers/{case}").page
    said = receiver.locator(".handover").inner_text()
    assert "Escalated by Tina" in said and "Calls at night\nMy neighbor, too" in said
    receiver.goto(home.address + "/moderation")
    page.keyboard.press("z")
    page.get_by_text("Taken back:").wait_for()
    assert home.query(level) == [["0"]]
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    page.get_by_text("Escalated:").wait_for()
    # A moderator escalates further, with a reason and a label; then the first escalation is no longer the last.
    further = enter("moderator", f"/moderation/numbers/{case}", "Mona").page
    further.locator("#reason").fill("Reads like an attack")
    further.locator("summary", has_text="Label").first.click()
    further.locator("#label").fill("Night calls")
    further.keyboard.press("Escape")
    further.keyboard.press("e")
    further.keyboard.press("Enter")
    further.get_by_text("Escalated:").wait_for()
    page.keyboard.press("z")
    page.get_by_text("Nothing was undone:").wait_for()
    said = enter("administrator", f"/moderation/numbers/{case}").page.locator(".handover").inner_text()
    assert "Escalated by Mona" in said and "Reads like an attack" in said and "Night calls" in said


def test_keys_before_the_next_case_do_nothing(home, enter, case):
    page = enter("moderator", f"/moderation/numbers/{case}?queue=1").page
    before = home.query("SELECT count(*) FROM audit_events WHERE action IN ('case.escalate', 'case.pass')")
    # All keys arrive before the answer.
    page.evaluate("""() => {
      const press = key => document.body.dispatchEvent(
        new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
      for (const key of ["b", "1", "Enter", "e", "Enter", "u", "Enter", "n"]) press(key)
    }""")
    page.wait_for_url(lambda address: f"/numbers/{case}?" not in address)
    assert decided(home, case) == [["block"]]
    assert home.query("SELECT count(*) FROM audit_events WHERE action IN ('case.escalate', 'case.pass')") == before


def test_a_template_is_inserted_and_undone_and_nothing_is_cut(home, enter):
    one = enter("moderator", "/moderation/numbers/12125550170")
    page = one.page
    words = page.locator("#words")
    words.fill("Dear owner,")
    page.get_by_role("button", name=re.compile("^The statement does not show")).click()
    assert words.input_value().startswith("Dear owner,The statement does not show")
    page.keyboard.press("Control+z")
    assert words.input_value() == "Dear owner,"
    # Keys after Esc choose, and lose no text.
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.keyboard.press("1")
    assert words.input_value() == "Dear owner,"
    long = "Long. " * 400
    words.fill(long)
    assert page.locator("#words + .counter").inner_text() == "2,399 / 2,000"
    page.locator("#decision input[value=reject]").check()
    one.refused.add(422)
    page.locator("#decision button.primary").click()
    page.locator("#words[aria-invalid=true]").wait_for()
    assert words.input_value().strip() == long.strip()
    # Without scripts, the button adds its text.
    plain = enter("moderator", "/moderation/appeals/12125550170", java_script_enabled=False).page
    plain.locator("#words").fill("Dear owner,")
    plain.get_by_role("button", name=re.compile("^The statement does not show")).click()
    assert plain.locator("#words").input_value().startswith("Dear owner,\nThe statement does not show")


def test_a_typed_reason_survives_a_common_one(home, enter, case):
    page = enter("moderator", f"/moderation/numbers/{case}").page
    page.locator("#reason").fill("Calls at night")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    assert page.locator("#reason").input_value() == "Calls at night"
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.get_by_text("Blocked:").first.wait_for()
    assert home.query(f"SELECT reason FROM decisions WHERE number = {case}") == [["many_reporters"]]


def test_triage_reads_what_to_do_with_a_decided_number(home, enter):
    [[number]] = home.query(
        "SELECT l.number FROM listings l WHERE number NOT IN (SELECT number FROM queue) AND number NOT IN "
        "(SELECT number FROM appeals) AND number IN (SELECT number FROM numbers WHERE reporters > 0) ORDER BY 1 LIMIT 1")
    home.run("decide", f"+{number}", "--block", "--by-program", "Ada", "--reason", "Calls at night")
    page = enter("triage", f"/moderation/numbers/{number}").page
    assert page.locator("#decision").count() == 0 and page.locator("#no-decision").is_visible()
    for key in ("b", "u", "Enter"):
        page.keyboard.press(key)
    page.locator("#no-decision a").click()
    page.locator("#new-note").fill("The calls have ended")
    page.get_by_role("button", name="Add note").click()
    page.get_by_text("The calls have ended").wait_for()
