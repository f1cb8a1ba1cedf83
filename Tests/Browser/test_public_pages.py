"""Pages for people without an account: what they can do, who runs the server, what a number's page means, and when an
appeal is answered."""

import pytest

NUMBER = "12015550123"


@pytest.fixture(scope="module")
def home(make_server):
    return make_server(
        "--public-number-pages", "hidden", RINGFENCE_OPERATOR_NAME="Example Telecom", RINGFENCE_IMPRINT="https://example.org/imprint",
        RINGFENCE_OPERATOR_CONTACT="desk@example.org", RINGFENCE_PUBLIC_TRANSPARENCY="true", RINGFENCE_CASE_TARGET_HOURS="72")


@pytest.mark.parametrize("language, title", [
    ("en-GB", "Nuisance calls"), ("de", "Unerwünschte Anrufe"), ("es", "Llamadas no deseadas"), ("fr", "Appels indésirables"),
    ("ru", "Нежелательные звонки")])
def test_the_start_page_shows_the_public_what_it_can_do(home, visit, language, title):
    one = visit(locale=language, java_script_enabled=False, viewport={"width": 360, "height": 740}, color_scheme="dark")
    one.open(home.address)
    page = one.page
    assert page.locator("h1").inner_text() == title
    links = page.locator("main a").evaluate_all("all => all.map(each => each.getAttribute('href'))")
    assert links == ["/appeal", "/rights", "/lists", "/transparency", "/docs", "/sign-in"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for path in links[:4]:
        one.open(home.address + path)
        said = page.locator("footer.host").inner_text()
        assert "Example Telecom" in said and "desk@example.org" in said, path
        assert page.locator("footer.host a").first.get_attribute("href") == "https://example.org/imprint"


def test_a_number_is_checked_and_its_page_begins_with_what_it_means(home, visit):
    one = visit()
    one.open(home.address)
    page = one.page
    page.get_by_label("Check a number").fill("+1 201 555 0123")
    page.get_by_role("button", name="Check").click()
    page.wait_for_url(f"**/number/{NUMBER}")
    assert "does not mean that its calls are safe" in page.locator("#meaning").inner_text()
    one.refused.add(422)
    one.open(home.address)
    page.get_by_label("Check a number").fill("+1 201")
    page.get_by_role("button", name="Check").click()
    page.locator("#number-problem").wait_for()
    assert page.get_by_label("Check a number").input_value() == "+1 201"


def test_a_ticket_says_by_when_and_the_form_what_an_address_is_for(home, visit):
    one = visit()
    one.open(f"{home.address}/appeal?number={NUMBER}")
    page = one.page
    # No mail is configured.
    assert "for questions only" in page.locator("#contact-hint").inner_text()
    page.get_by_label("What is wrong?").fill("This is the number of my bakery.")
    page.get_by_role("button", name="Send appeal").click()
    page.wait_for_url("**/appeal/*-*")
    assert "The answer is due by " in page.locator("main").inner_text()
    assert "+1 201-555-0123" in page.locator("h1").inner_text().replace("\u00a0", " ")


def test_an_account_goes_from_the_start_page_to_its_own(home, visit, signed_in):
    one = visit(storage_state=signed_in(home))
    one.open(home.address)
    one.page.wait_for_url("**/moderation")


def test_the_report_is_public_only_where_the_operator_wants_it(server, visit):
    one = visit()
    one.open(f"{server.address}/transparency", status=404)
