"""The most used pages: on the largest screen, on paper, in forced colors, without motion, and in other languages."""

import re
import time

import pytest

from every_page import PAGES
from layout_checks import INDISTINCT, IS_TOO_WIDE, MOVING, SHIFTS, SMALL_TEXT, UNPRINTABLE

MAIN = ["queue", "case", "home", "publications", "thresholds", "appeal", "number"]


@pytest.fixture(params=MAIN)
def each(request):
    return next(page for page in PAGES if page.name == request.param)


@pytest.fixture
def open_page(server, visit, signed_in, each):
    """Opens the page in a separate window."""

    def go(width, height=900, before=lambda page: None, **options):
        cookies = signed_in(server, each.role) if each.role else None
        one = visit(storage_state=cookies, viewport={"width": width, "height": height}, **options)
        before(one.page)
        one.open(each.address(server))
        return one.page

    return go


def test_on_the_largest_screen(open_page, artefacts, each):
    page = open_page(3840, 2160)
    page.screenshot(path=artefacts / f"{each.name}-3840.png")
    # The main text is neither at an edge nor as wide as the screen.
    box = page.evaluate("(({left, right, width}) => [left, innerWidth - right, width])(main.getBoundingClientRect())")
    assert min(box[0], box[1]) > 500 and box[2] > 900
    assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") > 18


def test_on_paper(open_page, artefacts, each):
    # A4 without the default margins of browsers.
    page = open_page(718, 1040)
    page.emulate_media(media="print")
    page.screenshot(path=artefacts / f"{each.name}-print.png", full_page=True)
    assert page.evaluate(UNPRINTABLE) == []
    assert not page.evaluate(IS_TOO_WIDE)


def test_in_forced_colours(open_page, artefacts, each):
    page = open_page(1440, forced_colors="active", color_scheme="dark")
    page.screenshot(path=artefacts / f"{each.name}-forced-colours.png", full_page=True)
    assert page.evaluate(INDISTINCT) == []


def test_nothing_moves_while_scripts_are_on_their_way(open_page, each):
    def slowly(route):
        time.sleep(0.15)
        route.continue_()

    page = open_page(
        1440, before=lambda page: page.route("**/*.js", slowly), reduced_motion="reduce", timezone_id="America/New_York")
    assert page.evaluate(SHIFTS) == []
    assert page.evaluate(MOVING) == []
    # The conversion to local times could have moved something.
    assert page.locator("time").count() == page.locator("time[title$=UTC]").count()


# German has the longest words.
@pytest.mark.parametrize("language, width", [("ru", 360), ("ru", 1440), ("de", 360)])
def test_in_another_language(open_page, artefacts, each, language, width):
    page = open_page(width, locale=f"{language}-{language.upper()}")
    assert page.locator("html").get_attribute("lang") == language
    page.screenshot(path=artefacts / f"{each.name}-{language}-{width}.png", full_page=True)
    assert not page.evaluate(IS_TOO_WIDE)
    assert page.evaluate(SMALL_TEXT) == []
    # Figures have the language's decimal comma and no line break before their unit.
    figures = page.locator("td.figure, .plot li, .tile strong").all_text_contents()
    # German has a point between groups of three digits.
    point = r"[0-9]\.[0-9]" if language == "ru" else r"[0-9]\.[0-9]{1,2}(?![0-9])"
    assert [text for text in figures if re.search(rf"{point}|[0-9] [0-9%а-яА-Я]", text)] == []
