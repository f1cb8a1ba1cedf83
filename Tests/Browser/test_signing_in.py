"""A link signs in once; a session lasts until it is signed out of."""

import re
from urllib.parse import quote

import pytest

USED = "This link has been used or has expired."


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def scripts(request):
    return request.param


def test_link_of_the_welcome_works_once(server, visit):
    link = re.search(r"http\S+/sign-in\?token=\S+", server.said)[0]
    first, second = visit(), visit()

    first.open(link)
    first.page.get_by_role("button", name="Sign in").click()
    first.page.wait_for_url(f"{server.address}/moderation")
    assert first.page.get_by_role("heading", level=1).inner_text() == "Today"
    [cookie] = first.page.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax" and cookie["path"] == "/"

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
    person = visit()
    person.open(link)
    person.page.get_by_role("button", name="Sign in").click()
    person.page.wait_for_url(f"{server.address}/moderation")


@pytest.mark.parametrize("path", ["/", "/moderation", "/moderation/numbers/12015550123"])
def test_without_a_session_one_is_sent_to_sign_in(server, visit, path):
    stranger = visit()
    stranger.open(server.address + path)
    wanted = "" if path in ("/", "/moderation") else "?next=" + quote(path)
    assert stranger.page.url == f"{server.address}/sign-in{wanted}"
    assert stranger.page.get_by_role("button").count() == 0


def test_a_made_up_session_is_none(server, visit):
    stranger = visit()
    stranger.page.context.add_cookies([{"name": "ringfence_session", "value": "made-up", "url": server.address}])
    stranger.open(f"{server.address}/moderation")
    assert stranger.page.url == f"{server.address}/sign-in"


def test_sign_out_ends_the_session(server, visit, make_link, scripts):
    moderator = visit(java_script_enabled=scripts)
    moderator.open(make_link(server))
    moderator.page.get_by_role("button", name="Sign in").click()
    moderator.page.wait_for_url(f"{server.address}/moderation")
    cookies = moderator.page.context.cookies()

    moderator.page.get_by_role("button", name="Sign out").click()
    moderator.page.wait_for_url(f"{server.address}/sign-in")
    assert moderator.page.context.cookies() == []
    moderator.page.go_back()
    assert moderator.page.url == f"{server.address}/sign-in", "What a moderator saw must not come back from a cache."

    thief = visit()
    thief.page.context.add_cookies(cookies)
    thief.open(f"{server.address}/moderation")
    assert thief.page.url == f"{server.address}/sign-in"


@pytest.mark.parametrize("form", ["", "x=1", "token=" + "a" * 2_000], ids=["empty", "without-token", "too-long"])
def test_a_form_that_cannot_be_read_is_refused(server, visit, form):
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    answer = visit().page.request.post(f"{server.address}/sign-in", data=form, headers=headers)
    assert 400 <= answer.status < 500
