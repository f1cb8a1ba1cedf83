"""The list of the queue in a real browser: selecting, keys, sorting, saved filters, and every width."""

import pytest

from every_page import full_queue
from layout_checks import IS_TOO_WIDE, SCROLLING_TABLES
from test_keyboard import has_visible_focus


@pytest.fixture(scope="module")
def server(make_server):
    """A server of its own: appeals that other tests file change the order of the queue."""
    return make_server("--demo", "--public-number-pages", "hidden")


@pytest.fixture(scope="module")
def cookies(server, signed_in):
    full_queue(server)
    return signed_in(server)


@pytest.fixture
def page(server, visit, cookies):
    one = visit(storage_state=cookies, viewport={"width": 1440, "height": 900})
    one.open(f"{server.address}/moderation/queue")
    return one.page


def selected(page):
    """The places of the selected rows."""
    return page.locator("tbody input[type=checkbox]").evaluate_all(
        "all => all.flatMap((each, place) => each.checked ? [place] : [])")


def test_all_and_ranges_are_selected(page):
    every, boxes = page.get_by_role("checkbox", name="Select all 50 cases on this page"), page.locator("tbody input[type=checkbox]")
    every.check()
    assert selected(page) == list(range(50))
    boxes.nth(3).uncheck()
    assert every.evaluate("each => each.indeterminate") and not every.is_checked()
    every.check()
    every.uncheck()
    assert selected(page) == []
    boxes.nth(8).check()
    boxes.nth(4).click(modifiers=["Shift"])
    assert selected(page) == [4, 5, 6, 7, 8]
    boxes.nth(6).click(modifiers=["Shift"])
    assert selected(page) == [7, 8]
    page.get_by_role("button", name="Decide on selected numbers").click()
    assert "2 numbers selected." in page.locator("main").inner_text()


def test_keys_move_select_and_open(page):
    links = page.locator("tbody th a:visible")

    def focused():
        return page.evaluate(
            "[...document.querySelectorAll('tbody tr')].findIndex(row => row.querySelector('th').contains(document.activeElement))")

    for key, place in [("j", 0), ("j", 1), ("j", 2), ("k", 1), ("k", 0), ("k", 0)]:
        page.keyboard.press(key)
        assert focused() == place and has_visible_focus(page), key
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    assert selected(page) == [1, 2] and focused() == 2
    page.keyboard.press("x")
    assert selected(page) == [1]
    # The last row is visible above the buttons of the bulk decision.
    page.locator("h1").click()
    page.keyboard.press("k")
    assert focused() == 49 and has_visible_focus(page)
    # On a checkbox, Enter opens the case beside the list instead of sending the form.
    page.locator("tbody input[type=checkbox]").nth(3).focus()
    number = page.locator("tbody input[type=checkbox]").nth(3).get_attribute("value")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/moderation/queue?case={number}")
    # Beside a case, the keys select it, and open the next and the previous one.
    page.keyboard.press("x")
    assert selected(page) == [3]
    page.keyboard.press("j")
    page.wait_for_url(lambda url: "case=" in url and f"case={number}" not in url)
    page.keyboard.press("k")
    page.wait_for_url(f"**case={number}**")
    for key in ("b", "2", "t"):
        page.keyboard.press(key)
    assert page.locator("#decision input[name=decision]:checked").get_attribute("value") == "block"
    # In a field, keys are letters.
    page.keyboard.type("j, k and x")
    assert page.locator("#reason").input_value() == "j, k and x" and selected(page) == []
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.closest('form').getAttribute('id')") == "decision"
    # In a window without space for both, the page of the case is opened.
    page.keyboard.press("q")
    page.wait_for_url("**/moderation/queue")
    page.set_viewport_size({"width": 1199, "height": 900})
    links.nth(3).click()
    page.wait_for_url(f"**/moderation/numbers/{number}?queue=1")
    page.get_by_role("button", name="Back to the queue").click()
    page.wait_for_url("**/moderation/queue")


def test_keys_leave_fields_alone_and_can_be_off(page):
    page.get_by_label("Reason", exact=True).focus()
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.id") == "filter-cause"
    # Keys of other alphabets, by their place.
    page.locator("h1").click()
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'о', code: 'KeyJ', bubbles: true }))")
    assert page.evaluate("document.activeElement.closest('tr') != null")
    page.get_by_text("Keyboard shortcuts").click()
    assert page.get_by_text("go to the next or the previous case").is_visible()


def test_no_column_is_cut_off_at_any_width(page):
    """Cards in small windows, a table in wide ones, and neither scrolls."""
    found = []
    split = page.locator("tbody th a:visible").first.get_attribute("href")
    for width in [360, 414, 480, 600, 640, 720, 800, 899, 900, 960, 1023, 1024, 1100, 1106, 1140, 1280, 1366, 1440, 1920, 2560, 3840]:
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate(IS_TOO_WIDE):
            found.append(width)
        found += [f"{width}: {table}" for table in page.evaluate(SCROLLING_TABLES)]
        are_cards = page.locator("tbody tr").first.evaluate("row => getComputedStyle(row).display") == "flex"
        if width < 900 or width >= 1200:
            assert are_cards == (width < 900), width
    # Beside a case there is a table at every width with space for both; smaller windows show the case alone.
    page.goto(page.url.removesuffix("/moderation/queue") + split)
    for width in [360, 1199, 1200, 1280, 1366, 1600, 1920, 2560, 3840]:
        page.set_viewport_size({"width": width, "height": 768})
        if page.evaluate(IS_TOO_WIDE):
            found.append(f"split {width}")
        found += [f"split {width}: {table}" for table in page.evaluate(SCROLLING_TABLES)]
        assert page.locator("#bulk").is_visible() == (width >= 1200), width
        if width >= 1200:
            box = page.locator("#decision button.primary").bounding_box()
            assert box["y"] + box["height"] <= 768, f"Save is out of sight at {width}: {box}"
            assert page.locator("tbody tr").first.evaluate("row => getComputedStyle(row).display") == "table-row"
    assert found == []
