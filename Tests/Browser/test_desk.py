"""Details of the moderators' pages: input that a second form keeps, keys, filters in one row, counts that agree, copies."""

import re

import pytest

from every_page import full_queue
from waiting import wait_until

BAKERY = "13035550110"


@pytest.fixture
def desk(server, visit, signed_in):
    def go(path, role="moderator", width=1366, height=768, **options):
        one = visit(storage_state=signed_in(server, role), viewport={"width": width, "height": height}, **options)
        one.open(server.address + path)
        return one.page

    return go


def case(server):
    full_queue(server)
    wait_until(lambda: server.query(f"SELECT 1 FROM queue WHERE number = {BAKERY}"), 60, "the bakery to wait")
    return f"/moderation/numbers/{BAKERY}"


def test_a_note_keeps_the_chosen_decision(server, desk):
    page = desk(case(server))
    page.get_by_label("Label only").check()
    page.locator("#label").fill("A bakery")
    page.locator("#new-note").fill("Asked the owner.")
    page.get_by_role("button", name="Add note").click()
    page.locator("#notes").get_by_text("Asked the owner.").first.wait_for()
    assert page.locator("input[name=decision]:checked").get_attribute("value") == "identify"
    assert page.locator("#label").input_value() == "A bakery"


def test_the_owner_of_a_number_is_ticked_with_a_key(server, desk):
    page = desk(case(server))
    tick = page.locator("input[name=confirm]")
    page.locator("h1").click()
    page.keyboard.press("v")
    assert not tick.is_checked(), "Without the decision to block, the tick is not on the page."
    page.keyboard.press("b")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    # The page says what is missing, and the focus shows it.
    assert page.locator("#confirm-missing").is_visible()
    assert tick.evaluate("each => each == document.activeElement")
    assert tick.evaluate("each => getComputedStyle(each.closest('label')).outlineStyle") == "solid"
    page.keyboard.press("v")
    assert tick.is_checked()
    assert server.query(f"SELECT 1 FROM decisions WHERE number = {BAKERY}") == []


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_figures_of_a_threshold_are_kept_for_another_country(desk, scripts):
    page = desk("/moderation/thresholds/edit?category=fraud", role="administrator", java_script_enabled=scripts)
    days = page.locator("#enter-days").input_value()
    page.locator("#enter-heat").fill("77")
    page.get_by_label("Country", exact=True).select_option("DE")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("heading", name=re.compile("Germany")).wait_for()
    assert page.locator("#enter-heat").input_value() == "77"
    assert page.locator("#enter-days").input_value() == days
    # Enter in a field asks for the preview of this country.
    assert page.locator("form.threshold input[name=country]").get_attribute("value") == "DE"
    page.locator("#enter-heat").press("Enter")
    page.wait_for_url("**/thresholds/preview")


def test_the_filters_of_the_queue_are_one_row(server, desk):
    page = desk(full_queue(server) + "?cause=threshold&sort=urgency")
    parts = page.locator("form.filters").first.locator("select, button, a.button")
    assert parts.count() == 7
    assert len({round(box["y"] + box["height"]) for box in [parts.nth(place).bounding_box() for place in range(7)]}) == 1
    page = desk(f"{full_queue(server)}?case={BAKERY}")
    parts = page.locator("form.filters").first.locator("select, button")
    assert len({round(box["y"] + box["height"]) for box in [parts.nth(place).bounding_box() for place in range(6)]}) == 1
    for path in [full_queue(server), f"{full_queue(server)}?case={BAKERY}", "/moderation/audit"]:
        page = desk(path, role="administrator")
        cut = page.locator("form.filters").first.locator("select").evaluate_all("""all => all.map(each => {
          const before = each.offsetWidth
          each.style.width = "max-content"
          return each.offsetWidth > before
        })""")
        assert cut and not any(cut), path


def test_the_badge_follows_the_heading(server, desk):
    page = desk(full_queue(server))
    heading, badge = page.locator(".left span"), page.locator("nav.side .count")

    def shown():
        return re.sub(r"\D", "", heading.inner_text())

    assert shown() == re.sub(r"\D", "", badge.inner_text())
    before = shown()
    [[number]] = server.query(
        "SELECT number FROM queue WHERE level = 0 AND claimed_by IS NULL AND number NOT IN (SELECT number FROM appeals UNION SELECT number FROM ranges) LIMIT 1")
    server.run("decide", f"+{number}", "--allow", "--reason", "Mine.", "--by-program", "The test")
    wait_until(lambda: shown() != before, 30, "the count to change")
    assert shown() == re.sub(r"\D", "", badge.inner_text())
    # A filter says how many it leaves out.
    page = desk(full_queue(server) + "?cause=appeal")
    shown, all_of_them = re.findall(r"[\d,]+", page.locator(".left span").inner_text())
    assert all_of_them == page.locator("nav.side .count").inner_text() != shown


def test_the_navigation_has_groups(desk):
    page = desk("/moderation", role="administrator")
    lists = page.locator("nav.side ul")
    assert [lists.nth(place).get_attribute("aria-label") for place in range(lists.count())] == [
        None, "Review", "Lists", "Administration"]
    assert page.locator("nav.side .group").all_inner_texts() == ["Review", "Lists", "Administration"]
    assert page.locator("nav.side ul").last.locator("a").all_inner_texts() == ["Apps", "Accounts", "Audit log", "Health"]


def test_an_example_is_copied(server, visit):
    one = visit(permissions=["clipboard-read", "clipboard-write"])
    one.open(server.address + "/docs")
    block = one.page.locator("main pre").first
    one.page.get_by_role("button", name="Copy").first.click()
    one.page.get_by_role("button", name="Copied").wait_for()
    assert one.page.evaluate("navigator.clipboard.readText()") == block.text_content()


@pytest.mark.parametrize("width", [390, 1280, 1366, 1920])
def test_the_days_of_a_chart_are_at_its_ends(server, desk, width):
    for path in [case(server), "/moderation"]:
        page = desk(path, width=width)
        row = page.locator(".plot > p").first
        first, last = row.locator("span").first.bounding_box(), row.locator("span").last.bounding_box()
        whole = page.locator(".plot").first.bounding_box()
        assert first["y"] == last["y"] and abs(first["x"] - whole["x"]) < 2, path
        assert abs(last["x"] + last["width"] - whole["x"] - whole["width"]) < 2 and first["x"] + first["width"] < last["x"], path


@pytest.mark.parametrize("width", [390, 1366])
def test_recipes_fit_the_window(desk, width):
    page = desk("/moderation/recipes", width=width)
    assert page.locator(".table").first.evaluate("each => each.scrollWidth <= each.clientWidth + 1")
