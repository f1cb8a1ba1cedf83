"""Every page in both colour schemes, on a phone and on a desktop: accessible, within its width, stable, legible, with a
screenshot."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from every_page import PAGES
from layout_checks import IS_TOO_WIDE, SHIFTS, SMALL_TARGETS, SMALL_TEXT, faults_of_widths

WIDTHS = {360: 740, 1440: 900}
# From the smallest phone to the largest screen, including the style sheet's breakpoints and the widths with the least
# space.
STEPS = [320, 360, 480, 504, 560, 640, 641, 768, 899, 900, 1024, 1280, 1440, 3840]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("each", PAGES, ids=lambda each: each.name)
def test_page(server, empty_server, visit, signed_in, artefacts, each, scheme, width):
    home = empty_server if each.server == "empty" else server
    try:
        look_at(home, visit, signed_in, artefacts, each, scheme, width)
    finally:
        each.after(home)


def look_at(home, visit, signed_in, artefacts, each, scheme, width):
    cookies = signed_in(home, each.role) if each.role else None
    one = visit(storage_state=cookies, color_scheme=scheme, viewport={"width": width, "height": WIDTHS[width]})
    page = one.page
    one.open(each.address(home), each.status)
    # Actions on the page may be refused on purpose.
    one.refused.update({400, 403, 409, 422, 429})
    each.then(page)
    # Before the screenshot, because a window that grows to the page's height moves elements.
    assert page.evaluate(SHIFTS) == []
    page.screenshot(path=artefacts / f"{each.name}-{scheme}-{width}.png", full_page=True)

    # Small links must be far enough apart.
    found = Axe().run(page, options={"rules": {"target-size": {"enabled": True}}})
    assert found.violations_count == 0, found.generate_report()
    assert not page.evaluate(IS_TOO_WIDE), "The page is wider than its window."
    assert page.evaluate(SMALL_TEXT) == []
    current = page.locator("nav.side [aria-current=page]").evaluate_all("all => all.map(each => each.firstChild.data.trim())")
    assert current == ([each.area] if each.area else [])
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in background[4:-1].split(",")) > 384) == (scheme == "light")
    if width == 360:
        assert page.evaluate(SMALL_TARGETS) == []
    if scheme == "light" and width == 1440:
        assert faults_of_widths(page, STEPS) == []
