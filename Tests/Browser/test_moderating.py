"""The list of watched numbers and the page of one, with scripts and without."""

import re

import pytest


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def moderator(request, server, visit, signed_in):
    return visit(storage_state=signed_in(server), java_script_enabled=request.param)


def column(page, name):
    """The cells under a heading."""
    headings = [text.strip() for text in page.locator("thead th").all_inner_texts()]
    place = headings.index(name) + 1
    return page.locator(f"tbody tr > :nth-child({place})").all_inner_texts()


def test_hottest_numbers_come_first(server, moderator):
    moderator.open(f"{server.address}/moderation/watched")
    heats = [float(text) for text in column(moderator.page, "Heat")]
    assert 10 <= len(heats) <= 100
    assert heats == sorted(heats, reverse=True) and heats[-1] > 0
    [[hottest]] = server.query("SELECT number FROM numbers ORDER BY heat DESC, number LIMIT 1")
    assert column(moderator.page, "Number")[0].translate(str.maketrans("", "", "+ -()")) == hottest
    assert set(column(moderator.page, "State")) <= {"protected", "ruled", "held", "listed", "candidate", "watched"}


def test_a_number_has_a_page(server, moderator):
    moderator.open(f"{server.address}/moderation/watched")
    page = moderator.page
    number, heat, reports = (column(page, name)[0] for name in ("Number", "Heat", "Reports"))
    page.get_by_role("link", name=number, exact=True).click()
    page.wait_for_url("**/moderation/numbers/*")
    assert page.get_by_role("heading", level=1).inner_text() == number
    assert page.title() == f"{number} · Ringfence"
    said = re.search(r"now weigh ([\d.]+) \(heat\)", page.locator("main").inner_text())
    # It cools between two looks.
    assert abs(float(said[1]) - float(heat)) < 0.15
    assert sum(int(text) for text in column(page, "Reports")) == int(reports)
    page.get_by_role("link", name="Home", exact=True).click()
    page.wait_for_url(f"{server.address}/moderation")


def test_a_number_without_reports_says_so(server, moderator):
    moderator.open(f"{server.address}/moderation/numbers/12015550199")
    assert "Nobody has reported it." in moderator.page.locator("main").inner_text()


@pytest.mark.parametrize("path", ["/nothing", "/moderation/nothing", "/moderation/numbers/0"])
def test_what_is_not_there_leads_back(server, moderator, path):
    moderator.open(server.address + path, status=404)
    moderator.page.get_by_role("link", name="Back to the front page").click()
    moderator.page.wait_for_url(f"{server.address}/moderation")


@pytest.mark.parametrize("path", ["/moderation/numbers/abc", "/moderation/numbers/99999999999999999999999"])
def test_what_is_no_number_is_refused_on_a_page(server, moderator, path):
    moderator.refused.update({400, 404})
    response = moderator.page.goto(server.address + path)
    assert response.status in (400, 404)
    assert moderator.page.get_by_role("heading", level=1).count() == 1


def test_an_empty_list_says_what_to_do(empty_server, visit, signed_in):
    moderator = visit(storage_state=signed_in(empty_server))
    moderator.open(f"{empty_server.address}/moderation/watched")
    assert "No number is hot enough to look at." in moderator.page.locator("main").inner_text()
    assert moderator.page.get_by_role("table").count() == 0
