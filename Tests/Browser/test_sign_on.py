"""Single sign-on with two real providers: oidc-provider-mock (RS256) and Debian's glewlwyd (ES256)."""

import re
import tempfile

import oidc_provider_mock
import pytest
import requests

from glewlwyd import Glewlwyd

# Without characters that forms encode: glewlwyd does not decode them in the field Authorization.
SECRET = "a-client-secret-of-the-test"


@pytest.fixture
def window(browser):
    """A browser window that also opens the pages of providers, whose scripts and headers are their own."""
    contexts = []

    def open_window(**options):
        contexts.append(browser.new_context(**{"locale": "en-GB", "timezone_id": "UTC"} | options))
        return contexts[-1].new_page()

    yield open_window
    for context in contexts:
        context.close()


def settings(issuer, **more):
    return {
        "RINGFENCE_OIDC_ISSUER": issuer, "RINGFENCE_OIDC_CLIENT_ID": "ringfence", "RINGFENCE_OIDC_CLIENT_SECRET": SECRET,
        "RINGFENCE_OIDC_NAME": "Example ID", "RINGFENCE_OIDC_ACCOUNTS": "true",
        "RINGFENCE_OIDC_MODERATORS": "moderators", "RINGFENCE_OIDC_ADMINISTRATORS": "admins"} | more


@pytest.fixture(scope="module")
def mock():
    with oidc_provider_mock.run_server_in_thread() as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture(scope="module")
def mock_server(make_server, mock):
    return make_server(**settings(mock))


def press_button(page, server, path="/sign-in"):
    page.goto(server.address + path)
    page.get_by_role("link", name="Sign in with Example ID").click()


def authorize(page, person):
    page.get_by_placeholder("sub").fill(person)
    page.get_by_role("button", name="Authorize").click()


def assert_account(page, server, name, role):
    page.goto(f"{server.address}/moderation/account")
    assert page.locator(".facts").inner_text().split("\n") == ["Name", name, "Role", role]


def change_person(mock, person, **claims):
    requests.put(f"{mock}/users/{person}", json=claims, timeout=30).raise_for_status()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_sign_in_and_out_with_the_mock(mock, mock_server, window, scripts):
    person = f"ada-{scripts}"
    change_person(mock, person, name=f"Ada {scripts}", roles=["moderators"])
    page = window(java_script_enabled=scripts)
    press_button(page, mock_server)
    authorize(page, person)
    page.wait_for_url(f"{mock_server.address}/moderation")
    assert_account(page, mock_server, f"Ada {scripts}", "moderator")
    assert "identity provider" in page.locator("main").inner_text()
    assert page.get_by_label("New password", exact=True).count() == 0

    page.get_by_role("button", name="Sign out", exact=True).click()
    # The provider's own page, which asks whether to sign out there.
    page.wait_for_url(re.compile(re.escape(mock) + "/oauth2/end_session"))
    page.get_by_role("button").first.click()
    page.wait_for_url(f"{mock_server.address}/sign-in")
    page.goto(f"{mock_server.address}/moderation")
    assert page.url == f"{mock_server.address}/sign-in"


def test_the_page_that_was_wanted_opens_and_roles_follow_the_provider(mock, mock_server, window):
    change_person(mock, "grace", name="Grace", roles=["admins"])
    page = window()
    press_button(page, mock_server, "/moderation/accounts")
    authorize(page, "grace")
    # An administrator of the provider needs no second factor here.
    page.wait_for_url(f"{mock_server.address}/moderation/accounts")
    assert page.get_by_role("link", name="Grace").first.is_visible()

    change_person(mock, "grace", name="Grace", roles=["moderators"])
    page = window()
    press_button(page, mock_server)
    authorize(page, "grace")
    page.wait_for_url(f"{mock_server.address}/moderation")
    assert_account(page, mock_server, "Grace", "moderator")

    change_person(mock, "grace", name="Grace", roles=[])
    page = window()
    press_button(page, mock_server)
    authorize(page, "grace")
    page.wait_for_url("**/callback**")
    assert "gives you no role" in page.get_by_role("alert").inner_text()
    page.get_by_label("Password").wait_for()


def test_a_code_works_once_and_a_tied_account_is_one_person(mock, make_server, window):
    server = make_server(**settings(mock, RINGFENCE_OIDC_ACCOUNTS="false"))
    server.run("account", "add", "Joan", "--role", "triage")
    change_person(mock, "joan@example.org", name="Joan", roles=["moderators"])
    page = window()
    press_button(page, server)
    callbacks = []
    page.on("request", lambda request: "callback?" in request.url and callbacks.append(request.url))
    authorize(page, "joan@example.org")
    page.wait_for_url("**/callback**")
    assert "You have no account here" in page.get_by_role("alert").inner_text()
    # The audit log has the subject, with which the account is tied.
    [[subject]] = server.query("SELECT after->>'subject' FROM audit_events WHERE action = 'session.refuse'")
    server.run("account", "tie", "Joan", subject)
    press_button(page, server)
    authorize(page, "joan@example.org")
    page.wait_for_url(f"{server.address}/moderation")
    assert_account(page, server, "Joan", "moderator")
    # The address of the answer opens nothing again.
    page.goto(callbacks[-1])
    assert "did not start in this browser" in page.get_by_role("alert").inner_text()


@pytest.fixture(scope="module")
def glewlwyd():
    with tempfile.TemporaryDirectory(prefix="ringfence-glewlwyd-") as folder:
        provider = Glewlwyd(folder)
        try:
            yield provider.start()
        finally:
            provider.close()


def test_sign_in_and_out_with_glewlwyd(glewlwyd, make_server, window):
    server = make_server(**settings(glewlwyd.issuer, RINGFENCE_OIDC_SCOPES="openid"))
    glewlwyd.set_up(
        "ringfence", SECRET, f"{server.address}/sign-in/provider/callback", f"{server.address}/sign-in")
    glewlwyd.add_person("ada", "correct horse battery", "Ада Лавлейс", ["moderators"])
    assert "ok       identity provider" in server.run("doctor")
    page = window()
    press_button(page, server)
    page.locator("#username").fill("ada")
    page.locator("#password").fill("correct horse battery")
    page.get_by_role("button", name="OK").click()
    page.get_by_text("Connection to Ringfence").wait_for()
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(f"{server.address}/moderation")
    assert_account(page, server, "Ада Лавлейс", "moderator")

    page.get_by_role("button", name="Sign out", exact=True).click()
    page.wait_for_url(re.compile(re.escape(glewlwyd.address) + "/login.html"))
    page.goto(f"{server.address}/moderation")
    assert page.url == f"{server.address}/sign-in"
    # The role of the next sign-in. The provider has a session until its own question is answered.
    glewlwyd.set_roles("ada", ["admins"])
    press_button(page, server)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(f"{server.address}/moderation")
    assert_account(page, server, "Ада Лавлейс", "administrator")
