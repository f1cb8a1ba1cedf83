"""Every page in both schemes, on a phone and on a desk: accessible, within its width, and on a picture."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from every_page import PAGES

WIDTHS = {360: 740, 1440: 900}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("each", PAGES, ids=lambda each: each.name)
def test_page(server, empty_server, visit, signed_in, artefacts, each, scheme, width):
    home = empty_server if each.server == "empty" else server
    cookies = signed_in(home, each.role) if each.role else None
    one = visit(storage_state=cookies, color_scheme=scheme, viewport={"width": width, "height": WIDTHS[width]})
    page = one.page
    one.open(each.address(home), each.status)
    # What is done on the page may be refused on purpose.
    one.refused.update({400, 403, 409, 422, 429})
    each.then(page)
    # Before the picture: a window that grows to the page's height moves things.
    moved = page.evaluate(
        "new Promise(done => new PerformanceObserver(list => done(list.getEntries().reduce((sum, e) => sum + e.value, 0)))"
        ".observe({type: 'layout-shift', buffered: true}) || setTimeout(done, 50, 0))")
    assert moved < 0.05, f"The page's layout shifted by {moved}."
    page.screenshot(path=artefacts / f"{each.name}-{scheme}-{width}.png", full_page=True)

    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "The page is wider than its window."
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in background[4:-1].split(",")) > 384) == (scheme == "light")
