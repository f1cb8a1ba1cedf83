"""A team in a real browser: assignment, escalation to a person, and texts of its own; with and without scripts."""

import pytest

from waiting import wait_until

SCHOOL = "14045550120"


@pytest.fixture(scope="module")
def server(make_server):
    """A separate server for this file, because other files decide the cases of their server."""
    return make_server("--demo", "--public-number-pages", "hidden")


@pytest.fixture
def team(server, visit, signed_in):
    """The pages of a moderator and of an administrator; texts, rules and assignments are removed afterwards."""
    wait_until(lambda: server.query(f"SELECT 1 FROM queue WHERE number = {SCHOOL}"), 60, "the school to wait")

    def open_page(role, path, **options):
        one = visit(storage_state=signed_in(server, role), **options)
        one.refused.add(422)
        one.open(server.address + path)
        return one

    yield open_page
    server.query("DELETE FROM templates")
    server.query("DELETE FROM template_versions")
    server.query("DELETE FROM assignment_rules")
    server.query(f"DELETE FROM number_notes WHERE number = {SCHOOL}")
    server.query(
        "UPDATE queue SET assigned_to = NULL, level = 0, claim_id = NULL, claimed_by = NULL, claimed_until = NULL "
        f"WHERE number = {SCHOOL}")


def name_of(page):
    return page.locator(".account a").first.text_content().strip()


@pytest.mark.parametrize("scripts", [True, False])
def test_cases_are_assigned_and_escalated_to_a_person(server, team, scripts):
    moderator = team("moderator", "/moderation/queue", java_script_enabled=scripts, viewport={"width": 1440, "height": 900})
    page = moderator.page
    name = name_of(page)

    chief = team("administrator", "/moderation/assignments", java_script_enabled=scripts).page
    chief.get_by_label(name, exact=True).check()
    chief.get_by_role("button", name="Add rule").click()
    assert chief.get_by_role("alert").inner_text() == "Choose a country, a category or both."
    assert chief.get_by_label(name, exact=True).is_checked()
    chief.get_by_label("Country").select_option("US")
    chief.get_by_role("button", name="Add rule").click()
    chief.get_by_text("The rule was added.").wait_for()
    assert server.query("SELECT country, accounts[1] FROM assignment_rules") == [["US", name]]

    [[count]] = server.query("SELECT count(*) FROM queue WHERE country = 'US' AND level < 2")
    moderator.open(f"{server.address}/moderation/queue")
    page.get_by_role("link", name=f"Assigned to me ({count})").click()
    page.wait_for_url("**/queue?mine=1")
    assert page.locator(".left").first.inner_text() == f"{count} cases left"

    # To the administrator, with a note.
    moderator.open(f"{server.address}/moderation/numbers/{SCHOOL}")
    page.get_by_text("Escalate to", exact=True).click()
    person = name_of(chief)
    page.locator("#escalate-to").select_option(person)
    page.get_by_label("Escalate", exact=False).first.check()
    page.locator(".save button.primary").click()
    assert "Enter a note" in page.get_by_role("alert").first.inner_text()
    assert page.locator("#escalate-to").input_value() == person
    page.locator("#note").fill("Please check the owner.")
    page.locator(".save button.primary").click()
    page.get_by_text("Escalated:").wait_for()
    assert server.query(f"SELECT assigned_to, level FROM queue WHERE number = {SCHOOL}") == [[person, "2"]]

    chief.goto(f"{server.address}/moderation/queue?mine=1")
    row = chief.locator("tbody tr", has=chief.locator(f"a[href*='{SCHOOL}']"))
    assert f"For {person}" in row.inner_text()
    row.locator("a:visible").first.click()
    chief.locator("#decision").wait_for()
    assert chief.get_by_text("Please check the owner.").first.is_visible()


def test_a_team_chooses_its_own_reasons_by_keys(server, team):
    chief = team("administrator", "/moderation/templates").page
    for place in (6, 7):
        chief.get_by_label(f"Text {place}", exact=True).fill(f"Our reason {place}.")
    chief.get_by_role("button", name="Save as new version").click()
    chief.get_by_text("The texts were saved as a new version.").wait_for()
    # The built-in ones stay codes.
    assert server.query("SELECT is_built_in, count(*) FROM templates GROUP BY 1 ORDER BY 1") == [["f", "2"], ["t", "5"]]

    page = team("moderator", f"/moderation/numbers/{SCHOOL}").page
    focused = "document.activeElement.id"
    page.locator("h1").click()
    page.keyboard.press("7")
    chosen = page.locator("input[name=common_reason]:checked")
    assert chosen.input_value() == "Our reason 7."
    # No reason has the key.
    page.keyboard.press("9")
    assert chosen.input_value() == "Our reason 7."
    for key, field in (("c", "category"), ("d", "expires")):
        page.keyboard.press(key)
        assert page.evaluate(focused) == field and page.locator(f"#{field}").is_visible()
        page.keyboard.press("Escape")
    assert page.locator("#category").input_value() == "" and page.locator("#expires").input_value() == ""
