"""A link signs in once, a password repeatedly; a second factor is required; a session can be ended."""

import re
import time

import pytest

from signing_in import PASSWORD, by_link, by_password, code, set_password, set_up_second_factor

USED = "This link was already used or has expired."


def session_of(one):
    return next(cookie for cookie in one.page.context.cookies() if cookie["name"] == "ringfence_session")


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def scripts(request):
    return request.param


def test_link_of_the_welcome_works_once(server, visit):
    link = re.search(r"http\S+/sign-in\?token=\S+", server.said)[0]
    first, second = visit(), visit()

    by_link(first, link)
    assert first.page.get_by_role("status").or_(first.page.locator(".notice")).first.is_visible()
    [cookie] = first.page.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax" and cookie["path"] == "/"
    # The first account is an administrator's.
    first.open(f"{server.address}/moderation/accounts")

    second.open(link)
    second.refused.add(403)
    second.page.get_by_role("button", name="Sign in").click()
    assert USED in second.page.get_by_role("alert").inner_text()
    assert second.page.context.cookies() == []
    second.open(f"{server.address}/moderation")
    assert second.page.url == f"{server.address}/sign-in"


def test_looking_at_a_link_does_not_use_it_up(server, visit, make_link):
    link = make_link(server)
    visit().open(link)
    by_link(visit(), link)


def test_sign_out_ends_the_session(server, visit, make_link, scripts):
    moderator = visit(java_script_enabled=scripts)
    by_link(moderator, make_link(server))
    cookies = moderator.page.context.cookies()

    moderator.page.get_by_role("button", name="Sign out", exact=True).click()
    moderator.page.wait_for_url(f"{server.address}/sign-in")
    assert moderator.page.context.cookies() == []
    moderator.page.go_back()
    moderator.page.wait_for_url("**/sign-in**")

    thief = visit()
    thief.page.context.add_cookies(cookies)
    thief.open(f"{server.address}/moderation")
    assert thief.page.url == f"{server.address}/sign-in"


def test_password_second_factor_and_recovery_code(server, visit, make_link, scripts):
    name = f"Grace {scripts}"
    owner = visit(java_script_enabled=scripts)
    by_link(owner, make_link(server, name=name))
    owner.refused.add(422)
    set_password(owner, "aaaaabbbbbcc")
    set_password(owner, name + " and more")
    assert "contains your name" in owner.page.get_by_role("alert").inner_text()
    before = session_of(owner)
    set_password(owner)
    owner.page.wait_for_url("**/moderation/queue")
    assert session_of(owner)["value"] != before["value"], "A session has another token after its account is made safer."
    secret, codes = set_up_second_factor(owner)
    assert len(codes) == 10

    other = visit(java_script_enabled=scripts)
    by_password(other, server, name)
    other.page.wait_for_url("**/sign-in/code")
    # The first factor alone gives no access.
    other.open(f"{server.address}/moderation")
    assert other.page.url == f"{server.address}/sign-in"
    other.open(f"{server.address}/sign-in/code")
    other.page.get_by_label("Code").fill("000000")
    other.page.get_by_role("button", name="Continue").click()
    assert "The code is wrong" in other.page.get_by_role("alert").inner_text()
    # The code used for the setup is spent; the next one is already valid.
    other.page.get_by_label("Code").fill(code(secret, time.time() + 30))
    other.page.get_by_role("button", name="Continue").click()
    other.page.wait_for_url(f"{server.address}/moderation")

    lost = visit(java_script_enabled=scripts)
    by_password(lost, server, name)
    lost.page.get_by_label("Code").fill(codes[0].upper())
    lost.page.get_by_role("button", name="Continue").click()
    lost.page.wait_for_url(f"{server.address}/moderation")
    lost.open(f"{server.address}/moderation/account")
    assert "9 recovery codes are left." in lost.page.locator("main").inner_text()
    again = visit(java_script_enabled=scripts)
    by_password(again, server, name)
    again.page.get_by_label("Code").fill(codes[0])
    again.page.get_by_role("button", name="Continue").click()
    assert "already used" in again.page.get_by_role("alert").inner_text()


def test_everywhere_is_everywhere(server, visit, make_link):
    windows = [visit(), visit(), visit()]
    for one in windows:
        by_link(one, make_link(server, name="Joan"))
    first = windows[0].page
    first.reload()
    rows = first.locator("tbody tr")
    assert rows.count() == 3 and rows.locator(".badge").all_inner_texts() == ["this session"]
    first.locator("tbody").get_by_role("button", name="End").first.click()
    first.wait_for_url("**done=sessions")
    assert rows.count() == 2
    first.get_by_role("button", name="End other sessions").click()
    first.wait_for_url("**done=sessions")
    assert rows.count() == 1
    for one in windows[1:]:
        one.open(f"{server.address}/moderation")
        assert one.page.url == f"{server.address}/sign-in"
    first.get_by_role("button", name="End all sessions").click()
    first.wait_for_url(f"{server.address}/sign-in")


def test_one_comes_back_to_the_page_one_wanted(server, visit, make_link):
    owner = visit()
    by_link(owner, make_link(server, name="Dorothy"))
    set_password(owner)
    owner.page.wait_for_url("**/moderation/queue")
    stranger = visit()
    stranger.open(f"{server.address}/moderation/numbers/12015550199")
    stranger.page.get_by_label("Name").fill("Dorothy")
    stranger.page.get_by_label("Password").fill(PASSWORD)
    stranger.page.get_by_role("button", name="Sign in").click()
    stranger.page.wait_for_url(f"{server.address}/moderation/numbers/12015550199")


def test_an_administrator_gives_and_takes_access(server, visit, signed_in):
    boss = visit(storage_state=signed_in(server, "administrator"))
    boss.open(f"{server.address}/moderation/accounts")
    boss.page.get_by_label("Name").fill("Annie")
    boss.page.get_by_label("Role").select_option("triage")
    boss.page.get_by_role("button", name="Add account and create link").click()
    link = boss.page.locator(".notice code").inner_text()
    annie = visit()
    by_link(annie, link)
    assert boss.page.get_by_role("link", name="Audit log").count() >= 1
    boss.page.get_by_label("Role").select_option("moderator")
    boss.page.get_by_role("button", name="Set role").click()
    boss.page.wait_for_url("**done=role")
    annie.open(f"{server.address}/moderation/audit")
    boss.page.get_by_role("button", name="Disable").click()
    boss.page.wait_for_url("**done=disable")
    annie.open(f"{server.address}/moderation")
    assert annie.page.url == f"{server.address}/sign-in"

    boss.page.get_by_role("link", name="Show in audit log").click()
    told = boss.page.locator("tbody").inner_text()
    assert "disabled an account" in told and "changed a role" in told and "signed in" in told
    boss.page.locator("tbody details:has(del) summary").first.click()
    assert boss.page.locator("tbody del").first.inner_text() == "triage"


@pytest.mark.parametrize("wish, language", [("ru-RU", "ru"), ("de-DE", "de"), ("pl-PL", "en")])
def test_pages_speak_the_readers_language(server, visit, make_link, wish, language):
    person = visit(locale=wish)
    person.open(f"{server.address}/sign-in")
    assert person.page.locator("html").get_attribute("lang") == language
    person.open(make_link(server, name=f"Ada {wish}"))
    person.page.locator("main button").click()
    person.page.wait_for_url("**/moderation/account**")
    # The account's language has precedence over the browser's.
    other = "ru" if language == "en" else "en"
    person.page.locator("#language").select_option(other)
    person.page.locator("form[action$=language] button").click()
    person.page.wait_for_url("**done=language")
    assert person.page.locator("html").get_attribute("lang") == other
