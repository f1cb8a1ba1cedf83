import itertools
import os
import shutil

import pytest
from playwright.sync_api import sync_playwright

from pages import Visit
from ringfence_server import CHECKOUT

CHROMIUM = os.environ.get("RINGFENCE_CHROMIUM") or shutil.which("chromium-headless-shell")


@pytest.fixture(scope="session")
def server(make_shared_server):
    """A server with sample data."""
    return make_shared_server("--demo", "--public-number-pages", "hidden")


@pytest.fixture(scope="session")
def empty_server(make_shared_server):
    """A server without reports."""
    return make_shared_server()


@pytest.fixture(scope="session")
def browser():
    flags = ["--disable-dev-shm-usage", "--disable-gpu"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def make_link():
    """Creates a new sign-in link of a server, for a new account unless a name is given."""
    numbers = itertools.count(1)

    def make(server, role="moderator", name=None):
        name = name or f"Ada {role} {next(numbers)}"
        return server.run("sign-in-link", name, "--role", role, "--url", server.address)

    return make


@pytest.fixture(scope="session")
def signed_in(browser, make_link):
    """The cookies of a session with a role at a server, opened once."""
    sessions = {}

    def state(server, role="moderator"):
        # Another server may have the port of an ended one.
        key = (server.data, role)
        if key not in sessions:
            # English, regardless of the machine's language.
            context = browser.new_context(locale="en-GB")
            page = context.new_page()
            page.goto(make_link(server, role))
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("**/moderation**")
            sessions[key] = context.storage_state()
            context.close()
        return sessions[key]

    return state


@pytest.fixture
def visit(browser):
    """Opens a separate browser window; the test fails if an error occurred in it."""
    visits = []

    def open_window(**options):
        context = browser.new_context(**{"locale": "en-GB", "timezone_id": "UTC"} | options)
        # The proof of work of an appeal takes this long on a busy machine.
        context.set_default_timeout(60_000)
        visits.append(Visit(context.new_page(), options.get("java_script_enabled", True)))
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
