"""Positions of elements on a phone, on a desktop, and while a publication is running."""

import pytest

from every_page import (
    coded, crowded_appeal, failed_publications, full_queue, newest_changes, richest_number, running_publication,
    without_attempts)
from layout_checks import SCROLLING_TABLES, SHIFTS
from waiting import wait_until


def box(page, selector):
    return page.locator(selector).first.bounding_box()


def is_below(page, selector, other):
    upper = box(page, other)
    return box(page, selector)["y"] >= upper["y"] + upper["height"] - 1


IN_WINDOW = """each => {
  const { top, bottom, left, width } = each.getBoundingClientRect()
  return top >= document.querySelector(".bar").getBoundingClientRect().bottom - 1 && bottom <= innerHeight + 1
    && each.contains(document.elementFromPoint(left + width / 2, (top + bottom) / 2))
}"""


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_on_a_phone_the_summary_comes_first_and_the_decision_is_at_hand(server, visit, signed_in, scripts):
    one = visit(storage_state=signed_in(server), viewport={"width": 360, "height": 740}, java_script_enabled=scripts)
    page = one.page
    one.open(server.address + richest_number(server))
    assert is_below(page, ".decide", ".strip") and is_below(page, ".why", ".decide")
    link, title = page.get_by_role("link", name="Decide", exact=True), page.locator("#decide-title")
    # The link is visible at every position except at the decision itself.
    for place in [0, 200, 10_000]:
        page.evaluate(f"scrollTo(0, {place})")
        assert title.evaluate(IN_WINDOW) or link.evaluate(IN_WINDOW), place
    for place in [0, 10_000]:
        page.evaluate(f"scrollTo(0, {place})")
        if not title.evaluate(IN_WINDOW):
            # Clicks by coordinates, because `click` would first scroll to the link.
            there = link.bounding_box()
            page.mouse.click(there["x"] + there["width"] / 2, there["y"] + there["height"] / 2)
        wait_until(lambda: title.evaluate(IN_WINDOW), 10, "the decision to be in sight")
        assert not link.evaluate(IN_WINDOW)
        assert place == 0 or page.locator("#decision input[type=radio]").first.evaluate(IN_WINDOW)
    # Keyboard users see it too.
    page.keyboard.press("Shift+Tab")
    link.focus()
    assert link.evaluate(IN_WINDOW)
    if scripts:
        assert page.evaluate(SHIFTS) == []


@pytest.mark.parametrize("width", [900, 1440])
def test_on_a_desk_the_decision_comes_first(server, visit, signed_in, width):
    one = visit(storage_state=signed_in(server), viewport={"width": width, "height": 900})
    one.open(server.address + richest_number(server))
    decide, facts = box(one.page, ".decide"), box(one.page, "#comments")
    assert (decide["x"] < facts["x"] and decide["y"] == facts["y"]) if width == 1440 else decide["y"] < facts["y"]
    assert not one.page.locator(".to-decide").is_visible()


@pytest.mark.parametrize("width", [360, 1440])
def test_an_appeal_is_answered_beside_what_is_known(server, visit, signed_in, width):
    one = visit(storage_state=signed_in(server), viewport={"width": width, "height": 900})
    page = one.page
    one.open(server.address + crowded_appeal(server))
    known, answer = box(page, "[aria-labelledby=known]"), box(page, "#answer")
    assert 0 <= answer["y"] - known["y"] - known["height"] < 40 and answer["x"] == known["x"]
    if width == 1440:
        said = box(page, "[aria-labelledby=said]")
        assert known["x"] > said["x"] + said["width"] and known["y"] == said["y"]
        reject = box(page, "#answer .danger")
        assert reject["y"] + reject["height"] < 900
    # All statements are on the page; only a few are visible at first.
    filings = page.locator("[aria-labelledby=said] .filing")
    assert filings.count() >= 6
    assert sum(filings.nth(place).is_visible() for place in range(filings.count())) == 3


def test_a_publication_goes_on_and_nothing_jumps(server, visit, signed_in):
    one = visit(storage_state=signed_in(server, "administrator"), viewport={"width": 1440, "height": 700})
    page = one.page
    try:
        one.open(server.address + running_publication(server))
        status = page.locator("#going [role=status]").first
        assert "is in progress" in status.inner_text()
        page.evaluate("window.mark = 1")
        order = page.get_by_role("button", name="Publish now")
        place = page.evaluate("scrollTo(0, 60), scrollY")
        order.focus()
        before = box(page, "#going")
        server.query(f"UPDATE publications SET step = {coded('signing')}, percent = 90 WHERE serial = 901")
        page.get_by_text("Signing").wait_for()
        assert page.locator("progress").get_attribute("value") == "90"
        assert page.evaluate(SHIFTS) == []

        # A link within the changing part keeps the focus, and a new row at the top moves nothing.
        page.get_by_role("link", name="Refresh").focus()
        without_attempts(server)
        failed_publications(server)
        page.locator("#row-902").wait_for()
        assert status.inner_text() == "Held back: 2 of 3 gates failed."
        assert page.evaluate("document.activeElement.innerText") == "Refresh"
        # Failed gates can be overruled without reloading the page.
        page.get_by_label("Reason (required to overrule gates)").fill("A new list.")
        assert page.evaluate("[window.mark, scrollY]") == [1, place]
        assert box(page, "#going")["x"] == before["x"]
        assert page.locator("[data-again]").count() == 0
    finally:
        without_attempts(server)


def test_without_scripts_one_looks_again_by_a_link(server, visit, signed_in):
    one = visit(storage_state=signed_in(server), java_script_enabled=False)
    try:
        one.open(server.address + running_publication(server))
        assert one.page.locator("meta[http-equiv]").count() == 0
        server.query(f"UPDATE publications SET step = {coded('signing')} WHERE serial = 901")
        one.page.get_by_role("link", name="Refresh").click()
        one.page.get_by_text("Signing").wait_for()
    finally:
        without_attempts(server)


def test_whoever_has_signed_out_is_left_in_peace(server, visit, make_link):
    one = visit()
    page = one.page
    try:
        one.open(make_link(server))
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/moderation**")
        one.open(server.address + running_publication(server))
        page.context.clear_cookies()
        with page.expect_response("**/sign-in**"):
            pass
        assert page.url.endswith("/moderation/publications") and page.locator("#row-901").is_visible()
    finally:
        without_attempts(server)


def test_keys_are_shown_to_those_who_have_some(server, visit, signed_in):
    for touch in [True, False]:
        one = visit(
            storage_state=signed_in(server), viewport={"width": 360, "height": 740}, has_touch=touch, is_mobile=touch)
        one.open(server.address + richest_number(server))
        keys = one.page.locator("#decision :is(.choices, .reasons-choice, summary, .save) kbd, .show-keys")
        assert keys.count() > 4
        assert [keys.nth(place).is_visible() for place in range(keys.count())] == [not touch] * keys.count()


# The left positions of cells.
COLUMNS = "cells => [...new Set(cells.map(each => Math.round(each.getBoundingClientRect().left)))]"


def test_figures_on_cards_stand_under_each_other(server, visit, signed_in):
    one = visit(storage_state=signed_in(server), viewport={"width": 360, "height": 740})
    page = one.page
    one.open(server.address + full_queue(server))
    assert len(page.locator("td[data-label=Heat]").evaluate_all(COLUMNS)) == 1
    one.open(f"{server.address}/moderation/thresholds")
    assert len(page.locator(".cards td.figure").evaluate_all(COLUMNS)) == 1
    # Each cell has one line.
    assert len(page.locator(".cards td.figure").evaluate_all(COLUMNS.replace("left", "height"))) == 1


@pytest.mark.parametrize("width", [1440, 1920])
def test_a_case_has_tables_on_a_desk_and_days_in_one_piece(server, visit, signed_in, width):
    one = visit(storage_state=signed_in(server), viewport={"width": width, "height": 900})
    page = one.page
    one.open(server.address + richest_number(server))
    for name in ["Categories", "Reporters"]:
        assert page.get_by_role("region", name=name).locator("thead").bounding_box()["height"] > 10
    assert page.evaluate(SCROLLING_TABLES) == []
    pieces = page.evaluate("""() => [...document.querySelectorAll(".why p")].flatMap(each => {
      const range = document.createRange()
      return [...each.firstChild.data.matchAll(/[0-9]{1,2}.[A-Z][a-z]+.[0-9]{4}/g)].map(day => {
        range.setStart(each.firstChild, day.index)
        range.setEnd(each.firstChild, day.index + day[0].length)
        return range.getClientRects().length
      })
    })""")
    assert set(pieces) == {1}


def test_choices_are_wide_enough_for_what_is_chosen(server, visit, signed_in):
    one = visit(storage_state=signed_in(server), viewport={"width": 1440, "height": 900})
    one.open(server.address + newest_changes(server))
    cut = one.page.locator("select").evaluate_all("""all => all.map(each => {
      const before = each.offsetWidth
      each.style.width = "max-content"
      return each.offsetWidth > before
    })""")
    assert cut and not any(cut)
