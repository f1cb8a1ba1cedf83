"""The queue and the page of a number, with and without scripts."""

import re

import pytest

from every_page import full_queue, richest_number


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def moderator(request, server, visit, signed_in):
    return visit(storage_state=signed_in(server), java_script_enabled=request.param)


def numbers(page):
    return page.locator("tbody th a:visible").all_inner_texts()


def test_the_most_urgent_come_first_page_after_page(server, moderator):
    moderator.open(server.address + full_queue(server))
    page = moderator.page
    expected = [row[0] for row in server.query("SELECT number FROM queue ORDER BY urgency, number LIMIT 70")]
    shown = numbers(page)
    assert len(shown) == 50
    page.get_by_role("link", name="Next page").click()
    page.wait_for_url("**after=**")
    shown += numbers(page)
    assert [text.translate(str.maketrans("", "", "+ -()")) for text in shown][:70] == expected
    page.get_by_role("link", name="First page").click()
    page.wait_for_url("**/moderation/queue")


def test_a_number_has_a_page(server, moderator):
    moderator.open(server.address + richest_number(server))
    page = moderator.page
    digits = re.search(r"\d+$", page.url)[0]
    number = page.get_by_role("heading", level=1).inner_text()
    assert number.translate(str.maketrans("", "", "+ -()")) == digits
    assert page.title() == f"{number} · Ringfence"
    categories = page.get_by_role("region", name="Categories").locator("tbody td:nth-child(4)").all_inner_texts()
    [[reports]] = server.query(f"SELECT reports FROM numbers WHERE number = {digits}")
    assert sum(int(text.replace(',', '')) for text in categories) == int(reports)
    page.get_by_text("Chart data as a table").click()
    days = page.get_by_role("region", name="Chart data as a table").locator("tbody tr").count()
    assert days == page.locator("svg.chart:not(.spark) rect.bar-1").count() > 0


def test_a_number_without_reports_says_so(server, moderator):
    moderator.open(f"{server.address}/moderation/numbers/12015550199")
    assert "No reports." in moderator.page.locator("main").inner_text()


@pytest.mark.parametrize("path", ["/nothing", "/moderation/nothing", "/moderation/numbers/0"])
def test_what_is_not_there_leads_back(server, moderator, path):
    moderator.open(server.address + path, status=404)
    moderator.page.get_by_role("link", name="Back to the start page").click()
    moderator.page.wait_for_url(f"{server.address}/moderation")


@pytest.mark.parametrize("path", ["/moderation/numbers/abc", "/moderation/numbers/99999999999999999999999"])
def test_what_is_no_number_is_refused_on_a_page(server, moderator, path):
    moderator.refused.update({400, 404})
    response = moderator.page.goto(server.address + path)
    assert response.status in (400, 404)
    assert moderator.page.get_by_role("heading", level=1).count() == 1


def test_an_empty_queue_says_what_to_do(empty_server, visit, signed_in):
    moderator = visit(storage_state=signed_in(empty_server))
    moderator.open(f"{empty_server.address}/moderation/queue")
    assert "The queue is empty." in moderator.page.locator("main").inner_text()
    assert moderator.page.get_by_role("table").count() == 0
