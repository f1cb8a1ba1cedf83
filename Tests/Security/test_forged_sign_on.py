"""Forged, replayed, late and oversized answers of an identity provider are refused, and nothing secret is logged."""

import base64
import json
import subprocess
import threading
import time
import urllib.parse

import pytest
import requests

from forging_provider import ForgingProvider, Key
from ringfence_server import BINARY, environment

SECRET = "a client secret of the test"
INVALID = "is not valid"
AGAIN = "did not start in this browser"


@pytest.fixture(scope="module")
def provider():
    provider = ForgingProvider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def server(make_server, provider):
    return make_server(
        "--no-limits", RINGFENCE_OIDC_ISSUER=provider.issuer, RINGFENCE_OIDC_CLIENT_ID="ringfence",
        RINGFENCE_OIDC_CLIENT_SECRET=SECRET, RINGFENCE_OIDC_NAME="Example", RINGFENCE_OIDC_ACCOUNTS="true",
        RINGFENCE_OIDC_MODERATORS="moderators", RINGFENCE_OIDC_ADMINISTRATORS="admins", RINGFENCE_LOG_REQUESTS="true")


@pytest.fixture(autouse=True)
def fresh(provider):
    provider.reset()


def start(server):
    """A browser that has pressed the button, and the provider's address that it is sent to."""
    browser = requests.Session()
    answer = browser.get(f"{server.address}/sign-in/provider", allow_redirects=False)
    assert answer.status_code in (302, 303), answer.text
    return browser, answer.headers["Location"]


def finish(server, browser, **parameters):
    """The answer to the provider's answer."""
    return browser.get(
        f"{server.address}/sign-in/provider/callback", params=parameters, allow_redirects=False)


def sign_in(server, provider, **parameters):
    browser, address = start(server)
    code, query = provider.authorize(address)
    return browser, finish(server, browser, **{"code": code, "state": query["state"]} | parameters)


def refusals(server):
    return [reason for [reason] in server.query(
        "SELECT reason FROM audit_events WHERE action = 'session.refuse' ORDER BY happened_at, event_id")]


def assert_refused(server, answer, text, reason, status=403):
    assert answer.status_code == status, answer.text
    assert text in answer.text
    assert "ringfence_session" not in answer.cookies
    assert refusals(server)[-1] == f"single sign-on: {reason}"


def test_a_valid_answer_signs_in(server, provider):
    browser, answer = sign_in(server, provider)
    assert answer.status_code in (302, 303) and answer.headers["Location"] == "/moderation"
    assert "Ada" in browser.get(f"{server.address}/moderation/account").text
    [path, form, headers] = [request for request in provider.requests if request[0] == "/token"][-1]
    assert base64.b64decode(headers["Authorization"].removeprefix("Basic ")).decode() == (
        "ringfence:" + urllib.parse.quote(SECRET))
    assert form["grant_type"] == "authorization_code" and "client_secret" not in form


def test_a_strangers_answer_without_a_sign_in_is_refused(server, provider):
    browser, address = start(server)
    code, query = provider.authorize(address)
    for parameters in ({}, {"code": code}, {"code": code, "state": query["state"]}, {"state": "x" * 5_000}):
        assert_refused(server, finish(server, requests.Session(), **parameters), AGAIN, "no sign-in of this browser")


def test_another_state_is_refused(server, provider):
    _, answer = sign_in(server, provider, state="another")
    assert_refused(server, answer, AGAIN, "no sign-in of this browser")
    # One of another browser, too.
    _, address = start(server)
    _, answer = sign_in(server, provider, state=provider.authorize(address)[1]["state"])
    assert_refused(server, answer, AGAIN, "no sign-in of this browser")


def test_a_sign_in_in_another_tab_ends_only_its_own(server, provider):
    browser, first = start(server)
    second = browser.get(f"{server.address}/sign-in/provider", allow_redirects=False).headers["Location"]
    code, query = provider.authorize(first)
    assert_refused(server, finish(server, browser, code=code, state=query["state"]), AGAIN, "no sign-in of this browser")
    code, query = provider.authorize(second)
    answer = finish(server, browser, code=code, state=query["state"])
    assert answer.status_code in (302, 303) and answer.headers["Location"] == "/moderation"


def test_a_changed_cookie_is_refused(server, provider):
    browser, address = start(server)
    code, query = provider.authorize(address)
    [cookie] = browser.cookies
    middle = len(cookie.value) // 2
    browser.cookies.set(
        cookie.name, cookie.value[:middle] + ("A" if cookie.value[middle] != "A" else "B") + cookie.value[middle + 1:],
        domain=cookie.domain, path="/")
    assert_refused(
        server, finish(server, browser, code=code, state=query["state"]), AGAIN, "no sign-in of this browser")


def test_a_code_used_twice_is_refused(server, provider):
    """Even if the provider accepts it twice."""
    browser, address = start(server)
    [cookie] = browser.cookies
    code, query = provider.authorize(address)
    assert finish(server, browser, code=code, state=query["state"]).status_code in (302, 303)
    again = requests.Session()
    again.cookies.set(cookie.name, cookie.value, domain=cookie.domain, path="/")
    exchanged = len([path for path, _, _ in provider.requests if path == "/token"])
    assert_refused(
        server, finish(server, again, code=code, state=query["state"]), AGAIN, "no sign-in of this browser")
    assert len([path for path, _, _ in provider.requests if path == "/token"]) == exchanged


def test_an_answer_of_another_provider_is_refused(server, provider):
    _, answer = sign_in(server, provider, iss="https://attacker.example.org")
    assert_refused(server, answer, INVALID, "answer of another provider")
    _, answer = sign_in(server, provider, iss=provider.issuer)
    assert answer.status_code in (302, 303)


def test_an_error_of_the_provider_is_shown_and_not_repeated(server, provider):
    browser, address = start(server)
    query = provider.authorize(address)[1]
    answer = finish(
        server, browser, state=query["state"], error="access_denied", error_description="<b>call +1 900 555</b>")
    assert_refused(server, answer, "Example did not sign you in", "error of the provider")
    assert "900 555" not in answer.text


def test_a_refused_person_keeps_the_page_and_the_passkey(server, provider):
    browser = requests.Session()
    # Browsers have no passkeys for a numeric address.
    address = server.address.replace("127.0.0.1", "localhost") + "/sign-in/provider"
    answer = browser.get(address, params={"next": "/moderation/queue"}, allow_redirects=False)
    query = provider.authorize(answer.headers["Location"])[1]
    page = browser.get(
        f"{address}/callback", params={"state": query["state"], "error": "access_denied"}, allow_redirects=False).text
    assert 'name="next" value="/moderation/queue"' in page
    assert "/sign-in/passkey" in page


def test_head_does_not_use_up_an_answer(server, provider):
    browser, address = start(server)
    code, query = provider.authorize(address)
    parameters = {"code": code, "state": query["state"]}
    answer = browser.head(f"{server.address}/sign-in/provider/callback", params=parameters, allow_redirects=False)
    assert answer.status_code == 405 and not answer.cookies
    assert finish(server, browser, **parameters).status_code in (302, 303)


def test_another_site_does_not_end_the_session_at_the_provider(server, provider):
    provider.metadata = {"end_session_endpoint": f"{provider.issuer}/end"}
    browser, _ = sign_in(server, provider)
    kept = browser.cookies["ringfence_provider"]
    assert browser.get(f"{server.address}/sign-in/provider/out", allow_redirects=False).status_code == 404
    form = {"csrf": browser.get(f"{server.address}/moderation/account").text.split('name="csrf" value="')[1].split('"')[0]}
    refused = browser.post(f"{server.address}/sign-out", data=form, headers={"Sec-Fetch-Site": "cross-site"})
    assert refused.status_code == 403 and browser.cookies["ringfence_provider"] == kept
    browser.post(f"{server.address}/sign-out", data=form, allow_redirects=False)
    assert "ringfence_session" not in browser.cookies and "ringfence_provider" not in browser.cookies


def test_another_code_is_refused(server, provider):
    _, answer = sign_in(server, provider, code="made-up")
    assert_refused(server, answer, INVALID, "code refused")


def test_another_issuer_is_refused(server, provider):
    provider.claims = {"iss": "https://attacker.example.org"}
    assert_refused(server, sign_in(server, provider)[1], INVALID, "wrong issuer")


def test_a_token_for_another_client_is_refused(server, provider):
    provider.claims = {"aud": "another-client"}
    assert_refused(server, sign_in(server, provider)[1], INVALID, "wrong audience")


def test_a_token_of_another_sign_in_is_refused(server, provider):
    provider.claims = {"nonce": "another"}
    assert_refused(server, sign_in(server, provider)[1], INVALID, "wrong nonce")


def test_an_expired_token_is_refused(server, provider):
    provider.claims = {"exp": int(time.time()) - 120}
    assert_refused(server, sign_in(server, provider)[1], INVALID, "expired token")


def test_an_unsigned_token_is_refused(server, provider):
    provider.head, provider.sign = {"alg": "none"}, lambda _: b""
    assert_refused(server, sign_in(server, provider)[1], INVALID, "unsupported algorithm")


def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(server, provider):
    provider.head, provider.sign = {"alg": "HS256"}, provider.key.sign_with_public_key
    assert_refused(server, sign_in(server, provider)[1], INVALID, "unsupported algorithm")


def test_a_token_of_another_key_is_refused(server, provider):
    provider.sign = Key("first").sign
    assert_refused(server, sign_in(server, provider)[1], INVALID, "wrong signature")


@pytest.mark.parametrize("claims", [{"sub": 7}, {"sub": "s" * 256}, {"aud": {"a": 1}}, {"exp": "never"}])
def test_claims_of_the_wrong_type_are_refused(server, provider, claims):
    provider.claims = claims
    assert_refused(server, sign_in(server, provider)[1], INVALID, "malformed token")


@pytest.mark.parametrize("roles", [None, [], "moderator", 7, {"moderators": True}, [["moderators"]]])
def test_a_person_without_a_role_is_refused(server, provider, roles):
    provider.claims = {"sub": "person-2", "roles": roles}
    assert_refused(server, sign_in(server, provider)[1], "gives you no role", "no role")


def test_a_role_that_is_taken_away_ends(server, provider):
    provider.claims = {"sub": "person-3", "name": "Grace", "roles": ["admins"]}
    browser, _ = sign_in(server, provider)
    assert browser.get(f"{server.address}/moderation/accounts").status_code == 200
    provider.claims |= {"roles": ["moderators"]}
    sign_in(server, provider)
    # The role of the account, and so of its other session.
    assert browser.get(f"{server.address}/moderation/accounts").status_code == 403
    provider.claims |= {"roles": []}
    assert_refused(server, sign_in(server, provider)[1], "gives you no role", "no role")
    assert browser.get(f"{server.address}/moderation").url.endswith("/sign-in")
    actions = [action for [action] in server.query(
        "SELECT action FROM audit_events WHERE subject = 'Grace' ORDER BY happened_at, action")]
    assert actions == ["account.add", "session.open", "account.role", "session.open", "account.role", "session.end",
                       "session.refuse"]


def test_names_of_people_are_cleaned_and_never_matched(server, provider):
    server.run("account", "add", "Root", "--role", "administrator")
    provider.claims = {"sub": "person-4", "name": "Root", "email": "root@example.org"}
    browser, _ = sign_in(server, provider)
    assert "Root (2)" in browser.get(f"{server.address}/moderation/account").text
    provider.claims = {"sub": "person-5", "name": "Ада \u202e<script>" + "я" * 5_000}
    browser, _ = sign_in(server, provider)
    page = browser.get(f"{server.address}/moderation/account").text
    assert "Ада &lt;script&gt;" in page and "\u202e" not in page
    # A session of the provider gives no password.
    form = {"csrf": page.split('name="csrf" value="')[1].split('"')[0], "new": "seven small elephants",
            "again": "seven small elephants"}
    assert browser.post(f"{server.address}/moderation/account/password", data=form).status_code == 404


def test_a_replaced_key_is_refused_and_keys_are_not_read_for_each_token(make_server, provider):
    server = make_server(
        RINGFENCE_OIDC_ISSUER=provider.issuer, RINGFENCE_OIDC_CLIENT_ID="ringfence", RINGFENCE_OIDC_ACCOUNTS="true")
    old, new = provider.key, Key("second")
    try:
        provider.key, provider.shown_keys = new, [new]
        assert sign_in(server, provider)[1].status_code in (302, 303)
        reads = [path for path, _, _ in provider.requests].count("/keys")
        provider.key = old
        for _ in range(3):
            assert_refused(server, sign_in(server, provider)[1], INVALID, "unknown key")
        assert [path for path, _, _ in provider.requests].count("/keys") == reads
    finally:
        provider.key, provider.shown_keys = old, [old]


@pytest.mark.parametrize("answer, reason", [
    (lambda: (200, b'{"id_token":"' + b"a" * 300_000 + b'"}'), "no valid answer of the provider"),
    (lambda: (500, b""), "no valid answer of the provider"),
    (lambda: (200, b"<html>"), "malformed token"),
    (lambda: (200, {"id_token": 7}), "malformed token"),
    (lambda: (200, {"id_token": "a.b"}), "malformed token"),
    (lambda: (302, b""), "code refused"),
], ids=["oversized", "failed", "no-json", "number", "no-token", "redirect"])
def test_bad_answers_of_the_token_address_are_refused(server, provider, answer, reason):
    provider.answers = {"/token": answer}
    status = 503 if reason.startswith("no valid") else 403
    text = "does not answer" if status == 503 else INVALID
    assert_refused(server, sign_in(server, provider)[1], text, reason, status)


def test_a_slow_provider_is_not_waited_for(server, provider):
    release = threading.Event()
    provider.answers = {"/token": lambda: (release.wait(60), (200, {}))[1]}
    try:
        began = time.monotonic()
        answer = sign_in(server, provider)[1]
        assert time.monotonic() - began < 20
    finally:
        release.set()
    assert_refused(server, answer, "does not answer", "no valid answer of the provider", 503)


def test_local_accounts_sign_in_while_the_provider_is_down(make_server):
    down = ForgingProvider()
    down.close()
    server = make_server(RINGFENCE_OIDC_ISSUER=down.issuer, RINGFENCE_OIDC_CLIENT_ID="ringfence")
    answer = requests.get(f"{server.address}/sign-in/provider", allow_redirects=False)
    assert answer.status_code == 503 and "does not answer" in answer.text and 'name="password"' in answer.text
    link = server.run("sign-in-link", "Local", "--role", "administrator", "--url", server.address)
    token = urllib.parse.parse_qs(urllib.parse.urlsplit(link).query)["token"][0]
    browser = requests.Session()
    browser.post(f"{server.address}/sign-in", data={"token": token})
    assert browser.get(f"{server.address}/moderation/accounts").status_code == 200


def test_secrets_and_tokens_are_never_logged(server, provider):
    sign_in(server, provider)
    provider.claims = {"nonce": "another"}
    sign_in(server, provider)
    log = server.log.read_text() + server.said
    assert "/sign-in/provider/callback" in log, "Requests are logged, by their routes."
    for secret in (SECRET, "secret-access-token", "eyJ", "code=", "state="):
        assert secret not in log, secret
    [[events]] = server.query("SELECT string_agg(e::text, ' ') FROM audit_events e")
    assert "eyJ" not in events and SECRET not in events


@pytest.mark.parametrize("settings, said", [
    ({"ISSUER": "http://id.example.org", "CLIENT_ID": "r"}, 'RINGFENCE_OIDC_ISSUER is "http://id.example.org". It must be an address'),
    ({"ISSUER": "https://id.example.org"}, 'oidc-issuer is "https://id.example.org", and oidc-client-id is not set.'),
    ({"CLIENT_ID": "r"}, 'oidc-client-id is "r", and oidc-issuer is not set.'),
    ({"ISSUER": "https://id.example.org", "CLIENT_ID": "r", "SCOPES": "profile"}, 'RINGFENCE_OIDC_SCOPES is "profile". It must be scopes'),
    ({"ISSUER": "https://id.example.org", "CLIENT_ID": "r", "MODERATORS": "a,,b"}, 'RINGFENCE_OIDC_MODERATORS is "a,,b". It must be values'),
], ids=["unsafe", "no-client", "no-issuer", "scopes", "values"])
def test_a_setting_that_does_not_fit_is_named(tmp_path, settings, said):
    done = subprocess.run(
        [BINARY, "serve", "--data", str(tmp_path)], capture_output=True, text=True, timeout=60,
        env=environment() | {f"RINGFENCE_OIDC_{name}": value for name, value in settings.items()})
    assert done.returncode == 1 and said in done.stderr


def test_the_doctor_checks_the_provider(server, provider):
    def finding(**variables):
        done = subprocess.run(
            [BINARY, "doctor", "--json", "--data", str(server.data)], capture_output=True, text=True, timeout=60,
            env=environment() | server.variables | variables)
        [found] = [each for each in json.loads(done.stdout) if each["what"] == "identity provider"]
        return found["state"], found["found"] + found["advice"]

    assert finding()[0] == "ok"
    assert "names itself otherwise" in finding(RINGFENCE_OIDC_ISSUER=provider.issuer + "/")[1]
    down = ForgingProvider()
    down.close()
    assert finding(RINGFENCE_OIDC_ISSUER=down.issuer) == (
        "bad", f"{down.issuer} gives no valid answer within 5 seconds"
        f"Open {down.issuer}/.well-known/openid-configuration from this machine. Local accounts can sign in meanwhile.")
