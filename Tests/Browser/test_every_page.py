"""Every page in both schemes, on a phone and on a desk: accessible, within its width, and on a picture."""

import pytest
from axe_playwright_python.sync_playwright import Axe

WIDTHS = {360: 740, 1440: 900}


def watched(one, server, empty_server, make_link):
    one.open(f"{server.address}/moderation")


def watched_empty(one, server, empty_server, make_link):
    one.open(f"{empty_server.address}/moderation")


def number(one, server, empty_server, make_link):
    # The one with the most categories has the longest page.
    [[digits]] = server.query(
        "SELECT number FROM number_categories GROUP BY number ORDER BY count(*) DESC, sum(heat) DESC LIMIT 1")
    one.open(f"{server.address}/moderation/numbers/{digits}")


def number_unknown(one, server, empty_server, make_link):
    one.open(f"{server.address}/moderation/numbers/12015550199")


def sign_in(one, server, empty_server, make_link):
    one.page.context.clear_cookies()
    one.open(f"{server.address}/sign-in")


def sign_in_link(one, server, empty_server, make_link):
    one.open(f"{server.address}/sign-in?token=anything")


def sign_in_failed(one, server, empty_server, make_link):
    one.open(f"{server.address}/sign-in?token=anything")
    one.refused.add(403)
    one.page.get_by_role("button", name="Sign in").click()
    one.page.get_by_role("alert").wait_for()


def problem(one, server, empty_server, make_link):
    one.open(f"{server.address}/nothing", status=404)


PAGES = [watched, watched_empty, number, number_unknown, sign_in, sign_in_link, sign_in_failed, problem]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("go", PAGES, ids=lambda go: go.__name__)
def test_page(server, empty_server, make_link, visit, signed_in, artefacts, go, scheme, width):
    cookies = signed_in(empty_server if go is watched_empty else server)
    one = visit(storage_state=cookies, color_scheme=scheme, viewport={"width": width, "height": WIDTHS[width]})
    go(one, server, empty_server, make_link)
    page = one.page
    page.screenshot(path=artefacts / f"{go.__name__}-{scheme}-{width}.png", full_page=True)

    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "The page is wider than its window."
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in background[4:-1].split(",")) > 384) == (scheme == "light")
