"""Passkeys with Chromium's virtual authenticator: added, used with and without the password, removed."""

import pytest

from signing_in import PASSWORD, by_link, code, set_password

ADD = "Add passkey"
USE = "Sign in with a passkey"


@pytest.fixture(scope="module")
def named(make_server):
    """A server that is reached by a name: browsers make no passkeys for numeric addresses."""
    server = make_server()
    server.address = server.address.replace("127.0.0.1", "localhost")
    return server


def authenticator(one, **options):
    """Plugs an authenticator in, by the browser's protocol for tests; returns its protocol session and name."""
    session = one.page.context.new_cdp_session(one.page)
    session.send("WebAuthn.enable")
    name = session.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True} | options})["authenticatorId"]
    return session, name


def credentials(session, name):
    return session.send("WebAuthn.getCredentials", {"authenticatorId": name})["credentials"]


def add(one, server, name="Phone", password=PASSWORD):
    one.open(f"{server.address}/moderation/account/passkeys")
    one.refused.add(422)
    one.page.get_by_label("Name", exact=True).fill(name)
    one.page.get_by_label("Current password").last.fill(password)
    one.page.get_by_role("button", name=ADD).click()


def owner(visit, server, make_link, name):
    one = visit()
    by_link(one, make_link(server, name=name))
    set_password(one)
    one.page.wait_for_url("**/moderation/queue")
    return one


def sign_out(one, server):
    one.page.get_by_role("button", name="Sign out", exact=True).click()
    one.page.wait_for_url(f"{server.address}/sign-in")


def by_password(one, server, name):
    one.page.get_by_label("Name").fill(name)
    one.page.get_by_label("Password").fill(PASSWORD)
    one.page.get_by_role("button", name="Sign in", exact=True).click()


def test_a_passkey_signs_in_alone_and_after_the_password(named, visit, make_link):
    one = owner(visit, named, make_link, "Ada")
    session, name = authenticator(one)
    add(one, named, password="a wrong one")
    one.page.get_by_text("The current password is wrong.").wait_for()
    assert credentials(session, name) == []
    add(one, named)
    # The first second factor brings recovery codes.
    one.page.locator(".codes li").first.wait_for()
    assert one.page.locator(".codes li").count() == 10
    [made] = credentials(session, name)
    assert made["rpId"] == "localhost" and made["isResidentCredential"]

    sign_out(one, named)
    one.page.get_by_role("button", name=USE).click()
    one.page.wait_for_url(f"{named.address}/moderation")
    sign_out(one, named)
    by_password(one, named, "Ada")
    one.page.wait_for_url("**/sign-in/code")
    one.page.get_by_role("button", name=USE).click()
    one.page.wait_for_url(f"{named.address}/moderation")

    one.open(f"{named.address}/moderation/account/passkeys")
    row = one.page.locator("tbody tr")
    row = one.page.locator("tbody tr")
    # A session alone does not add an app, whose recovery codes replace the codes of the passkey.
    one.open(f"{named.address}/moderation/account/second-factor")
    one.refused.add(422)
    one.page.get_by_label("Enter the 6 digits").fill(code(one.page.locator(".secret").inner_text()))
    one.page.get_by_label("Current password").fill("a wrong one")
    one.page.get_by_role("button", name="Turn on").click()
    assert "The current password is wrong." in one.page.get_by_role("alert").inner_text()
    one.open(f"{named.address}/moderation/account/passkeys")
    assert "Phone" in row.inner_text() and "never" not in row.inner_text()
    ways = [way for [way] in named.query(
        "SELECT after->>'way' FROM audit_events WHERE action = 'session.open' AND subject = 'Ada' ORDER BY happened_at")]
    assert ways == ["link", "passkey", "password, passkey"]

    row.get_by_text("Remove", exact=True).first.click()
    row.get_by_label("Current password").fill("a wrong one")
    one.refused.add(422)
    row.get_by_role("button", name="Remove").click()
    assert "The current password is wrong." in one.page.get_by_role("alert").first.inner_text()
    row.get_by_text("Remove", exact=True).first.click()
    row.get_by_label("Current password").fill(PASSWORD)
    row.get_by_role("button", name="Remove").click()
    one.page.wait_for_url("**done=passkey-removed")
    assert one.page.locator("tbody tr").count() == 0
    # It no longer signs in, and the password alone does.
    sign_out(one, named)
    one.refused.add(403)
    one.page.get_by_role("button", name=USE).click()
    one.page.get_by_text("The passkey is unknown here").wait_for()
    by_password(one, named, "Ada")
    one.page.wait_for_url(f"{named.address}/moderation")


def test_an_authenticator_that_does_not_check_its_user_is_a_second_factor_only(named, visit, make_link):
    one = owner(visit, named, make_link, "Grace")
    session, name = authenticator(one, transport="usb", hasResidentKey=False, hasUserVerification=False,
                                  isUserVerified=False)
    add(one, named, "Stick")
    one.page.locator(".codes li").first.wait_for()
    sign_out(one, named)
    one.page.get_by_role("button", name=USE).click()
    # The browser asks for a check of the user, which this authenticator cannot do.
    one.page.get_by_text("The browser returned no passkey").wait_for()
    by_password(one, named, "Grace")
    one.page.wait_for_url("**/sign-in/code")
    one.page.get_by_role("button", name=USE).click()
    one.page.wait_for_url(f"{named.address}/moderation")


def test_a_copied_passkey_is_found_by_its_counter(named, visit, make_link):
    one = owner(visit, named, make_link, "Joan")
    session, name = authenticator(one)
    add(one, named)
    one.page.locator(".codes li").first.wait_for()
    [copy] = credentials(session, name)
    for _ in range(2):
        sign_out(one, named)
        one.page.get_by_role("button", name=USE).click()
        one.page.wait_for_url(f"{named.address}/moderation")
    sign_out(one, named)
    session.send("WebAuthn.removeCredential", {"authenticatorId": name, "credentialId": copy["credentialId"]})
    session.send("WebAuthn.addCredential", {"authenticatorId": name, "credential": copy})
    one.refused.add(403)
    one.page.get_by_role("button", name=USE).click()
    one.page.get_by_text("The passkey is unknown here").wait_for()
    assert named.query("SELECT reason FROM audit_events WHERE action = 'session.refuse' ORDER BY happened_at DESC LIMIT 1") == [
        ["passkey: counter did not grow"]]


def test_a_browser_without_passkeys_is_named_as_the_reason(named, visit, make_link):
    one = owner(visit, named, make_link, "Hedy")
    one.page.add_init_script("delete window.PublicKeyCredential")
    one.open(f"{named.address}/moderation/account/passkeys")
    one.page.get_by_text("This browser cannot create passkeys here").wait_for()
    assert one.page.get_by_role("button", name=ADD).count() == 0


@pytest.mark.parametrize("path", ["/sign-in", "/moderation/account/passkeys"])
def test_pages_without_scripts_say_that_passkeys_need_them(named, visit, make_link, path):
    one = visit(java_script_enabled=False)
    by_link(one, make_link(named))
    set_password(one)
    one.page.wait_for_url("**/moderation/queue")
    one.open(named.address + path)
    assert "Passkeys need scripts" in one.page.locator("main").inner_text()
    assert one.page.get_by_role("button", name=USE).or_(one.page.get_by_role("button", name=ADD)).count() == 0


def test_a_numeric_address_has_no_passkeys(server, visit, signed_in):
    one = visit()
    one.open(f"{server.address}/sign-in")
    assert one.page.locator("form.passkey").count() == 0
