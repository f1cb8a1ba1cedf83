"""Every page in both color schemes, on a phone and on a desktop: accessible, within its width, stable, legible. A page with
a fault leaves a screenshot."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from every_page import PAGES
from layout_checks import IS_TOO_WIDE, SHIFTS, SMALL_TARGETS, SMALL_TEXT, UNEVEN_TABLES, faults_of_widths

WIDTHS = {360: 740, 1440: 900}
# From the smallest phone to the largest screen, including the style sheet's breakpoints and the widths with the least
# space.
STEPS = [320, 480, 560, 640, 641, 899, 900, 1024, 1280, 3840]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("each", PAGES, ids=lambda each: each.name)
def test_page(server, empty_server, visit, signed_in, artefacts, each, width):
    home = empty_server if each.server == "empty" else server
    cookies = signed_in(home, each.role) if each.role else None
    one = visit(storage_state=cookies, color_scheme="light", viewport={"width": width, "height": WIDTHS[width]})
    try:
        check(home, one, each, width)
    except AssertionError:
        one.page.screenshot(path=artefacts / f"{each.name}-{width}.png", full_page=True)
        raise
    finally:
        each.after(home)


def check(home, one, each, width):
    page = one.page
    one.open(each.address(home), each.status)
    # Actions on the page may be refused on purpose.
    one.refused.update({400, 403, 409, 422, 429})
    each.then(page)
    assert page.evaluate(SHIFTS) == []
    # Small links must be far enough apart.
    check_scheme(page, "light", {"target-size": {"enabled": True}})

    assert not page.evaluate(IS_TOO_WIDE), "The page is wider than its window."
    assert page.evaluate(SMALL_TEXT) == []
    assert page.evaluate(UNEVEN_TABLES) == []
    current = page.locator("nav.side [aria-current=page]").evaluate_all("all => all.map(each => each.firstChild.data.trim())")
    assert current == ([each.area] if each.area else [])
    if width == 360:
        assert page.evaluate(SMALL_TARGETS) == []

    # The schemes differ in colors alone, and those do not depend on the width.
    if width == 1440:
        page.emulate_media(color_scheme="dark")
        check_scheme(page, "dark")
        assert faults_of_widths(page, STEPS) == []


def check_scheme(page, scheme, rules=None):
    """All rules of axe in the light scheme; in the dark one, the contrast of its colors."""
    options = {"rules": rules} if rules else {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
    # Without the elements of the rules that hold, which take most of the time of a long page. The second run finds the
    # script of the first one in the page.
    axe = Axe() if scheme == "light" else Axe("undefined")
    found = axe.run(page, options=options | {"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in background[4:-1].split(",")) > 384) == (scheme == "light")
