"""Every page there is, a line each; test_every_page.py visits them in both schemes, on a phone and on a desk."""

from dataclasses import dataclass
from typing import Callable


@dataclass
class Page:
    """A page.

    name: AREA-PAGE, of its pictures.
    path: where it is, or a function of the server that says it.
    role: who looks at it; None for people without an account.
    server: "sample" for the one with sample data, "empty" for the one that nobody has sent anything.
    status: what it is answered with.
    then: what is done on it before it is looked at, given the Playwright page.
    """

    name: str
    path: str | Callable
    role: str | None = "moderator"
    server: str = "sample"
    status: int = 200
    then: Callable = lambda page: None

    def address(self, server):
        return server.address + (self.path if isinstance(self.path, str) else self.path(server))


def richest_number(server):
    """The one with the most categories has the longest page."""
    [[digits]] = server.query(
        "SELECT number FROM number_categories GROUP BY number ORDER BY count(*) DESC, sum(heat) DESC LIMIT 1")
    return f"/moderation/numbers/{digits}"


def press_sign_in(page):
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()


PAGES = [
    Page("sign-in", "/sign-in", role=None),
    Page("sign-in-link", "/sign-in?token=anything", role=None),
    Page("sign-in-failed", "/sign-in?token=anything", role=None, then=press_sign_in),
    Page("problem", "/nothing", role=None, status=404),
    Page("home", "/moderation"),
    Page("home-empty", "/moderation", server="empty"),
    Page("number", richest_number),
    Page("number-unknown", "/moderation/numbers/12015550199"),
    Page("publications", "/moderation/publications"),
    Page("publications-empty", "/moderation/publications", server="empty"),
]
