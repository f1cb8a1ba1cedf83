import os
import shutil

import pytest
from playwright.sync_api import sync_playwright

from pages import Visit
from ringfence_server import CHECKOUT

CHROMIUM = os.environ.get("RINGFENCE_CHROMIUM") or shutil.which("chromium")


@pytest.fixture(scope="session")
def server(make_server):
    """A server with sample data."""
    return make_server("--sample")


@pytest.fixture(scope="session")
def empty_server(make_server):
    """A server that nobody has sent anything yet."""
    return make_server()


@pytest.fixture(scope="session")
def browser():
    flags = ["--disable-dev-shm-usage", "--disable-gpu"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def make_link():
    """Makes a fresh one-time link of a server."""
    return lambda server: server.run("sign-in-link", "Ada Lovelace", "--url", server.address)


@pytest.fixture(scope="session")
def _sessions():
    return {}


@pytest.fixture
def signed_in(browser, make_link, _sessions):
    """The cookies of a moderator's session at a server, opened once."""

    def state(server):
        if server.address not in _sessions:
            context = browser.new_context()
            page = context.new_page()
            page.goto(make_link(server))
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("**/moderation")
            _sessions[server.address] = context.storage_state()
            context.close()
        return _sessions[server.address]

    return state


@pytest.fixture
def visit(browser):
    """Opens a browser's window of its own; at the end nothing in it may have complained."""
    visits = []

    def open_window(**options):
        context = browser.new_context(**options)
        context.set_default_timeout(15_000)
        visits.append(Visit(context.new_page()))
        return visits[-1]

    yield open_window
    for one in visits:
        one.page.context.close()
    assert [complaint for one in visits for complaint in one.complaints] == []


@pytest.fixture(scope="session")
def artefacts():
    folder = CHECKOUT / "artefacts"
    folder.mkdir(exist_ok=True)
    return folder
