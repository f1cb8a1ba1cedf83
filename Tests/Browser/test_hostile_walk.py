"""A walk of three roles over many cases: keys before the page is drawn, back and reload, two tabs, a lost network, an ended
session, double clicks and pasted marks. Nothing is decided that nobody meant, and no input is lost."""

import random

import pytest

from waiting import wait_until


@pytest.fixture(scope="module")
def home(make_server):
    server = make_server("--demo", "--no-limits", "--public-number-pages", "hidden")
    wait_until(lambda: int(server.query("SELECT count(*) FROM queue")[0][0]) > 80, 60, "the queue to fill")
    return server


class Walker:
    def __init__(self, home, visit, link, role):
        self.home, self.role = home, role
        self.one = visit()
        self.page = self.one.page
        self.link = link
        # A lost network and a page that has changed are not errors here.
        self.one.refused.update({404, 409, 422})
        self.sign_in()

    def sign_in(self):
        self.page.goto(self.link())
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/moderation**")

    def open(self, number):
        self.number = number
        self.home.query("UPDATE queue SET claim_id = NULL, claimed_by = NULL, claimed_until = NULL, claimed_at = NULL")
        self.page.goto(f"{self.home.address}/moderation/numbers/{number}?queue=1")
        self.page.locator("#decision").wait_for()

    def note(self, text):
        self.page.locator("#decision details", has=self.page.locator("#note")).evaluate("each => { each.open = true }")
        self.page.locator("#note").fill(text)

    def expect_note(self, text):
        self.page.goto(f"{self.home.address}/moderation/numbers/{self.number}?queue=1")
        assert self.page.locator("#note").input_value() == text
        # The next action begins with an empty form.
        self.page.get_by_role("button", name="Discard it").first.click()

    # Each action returns what it decides; None for nothing.

    def reload(self):
        self.note("Reloaded\ntwice")
        self.page.reload()
        self.expect_note("Reloaded\ntwice")

    def back(self):
        self.note("Gone and back")
        self.page.goto(f"{self.home.address}/moderation/queue")
        self.page.go_back()
        self.expect_note("Gone and back")

    def offline(self):
        self.note("Without a network")
        self.page.locator("#decision input[value=unsure]").check()
        self.page.context.set_offline(True)
        with self.page.expect_event("requestfailed"):
            self.page.locator("#decision button.primary").click(no_wait_after=True)
        self.page.wait_for_url("chrome-error://**")
        self.page.context.set_offline(False)
        self.one.complaints = [each for each in self.one.complaints if "INTERNET_DISCONNECTED" not in each]
        self.expect_note("Without a network")

    def ended(self):
        self.note("After the session")
        self.page.locator("#decision input[value=unsure]").check()
        self.page.context.clear_cookies()
        self.page.locator("#decision button.primary").click()
        self.page.wait_for_url("**/sign-in**")
        self.sign_in()
        self.home.query("UPDATE queue SET claim_id = NULL, claimed_by = NULL, claimed_until = NULL, claimed_at = NULL")
        self.expect_note("After the session")

    def undone(self):
        self.page.keyboard.press("ue"[int(self.number) % 2])
        self.page.keyboard.press("Enter")
        self.page.locator(".did button").wait_for()
        self.page.keyboard.press("z")
        self.page.get_by_text("Taken back:").wait_for()

    def burst(self):
        self.page.evaluate("""() => {
          const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
          for (const key of ["b", "2", "Enter", "e", "Enter", "u", "Enter", "b", "2", "Enter"]) press(key)
        }""")
        self.page.locator(".did").wait_for()
        return "block", None

    def double(self):
        self.page.locator("#decision input[value=block]").check()
        self.page.locator("#reason").fill("Clicked twice")
        self.page.locator("#decision button.primary").dblclick()
        self.page.locator(".did").wait_for()
        return "block", None

    def paste(self):
        self.page.locator("#decision input[value=identify]").check()
        self.page.locator("#label").fill("\u200bNight calls\u202c")
        self.page.locator("#reason").fill("\ufeffPasted text")
        self.page.locator("#decision button.primary").click()
        self.page.locator(".did").wait_for()
        return "identify", "Night calls"

    def tabs(self):
        other = self.page.context.new_page()
        other.goto(self.page.url)
        other.locator("#decision input[value=allow]").check()
        self.page.locator("#decision input[value=block]").check()
        for page in (self.page, other):
            page.locator("#reason").fill("In two tabs")
        self.page.locator("#decision button.primary").click()
        self.page.locator(".did").wait_for()
        other.locator("#decision button.primary").click()
        other.locator("#stale").wait_for()
        assert "In two tabs" in other.locator("main").inner_text() + other.locator("#reason").input_value()
        other.close()
        return "block", None


@pytest.mark.parametrize("actions", [36, pytest.param(120, marks=pytest.mark.slow)])
def test_nothing_unintended_is_stored_and_no_input_is_lost(home, visit, make_link, actions):
    chance = random.Random(59)
    walkers = [
        Walker(home, visit, lambda role=role: make_link(home, role, f"Ada the {role}"), role)
        for role in ("triage", "moderator", "administrator")]
    cases = [row[0] for row in home.query(
        "SELECT q.number FROM queue q JOIN numbers n USING (number) WHERE level = 0 AND causes = 1 AND n.reporters > 3 "
        "AND q.number NOT IN (SELECT number FROM appeals) AND q.number NOT IN (SELECT number FROM decisions) "
        "AND q.number NOT IN (SELECT number FROM directory_entries) AND NOT EXISTS (SELECT 1 FROM protected_numbers p "
        "WHERE p.number / 100 = q.number / 100) ORDER BY q.number LIMIT 60")]
    assert len(cases) >= 40
    before = home.query("SELECT count(*) FROM decisions")
    # Each action of a role comes up before one repeats.
    order = {role: [] for role in ("triage", "moderator", "administrator")}
    meant = {}
    for place in range(actions):
        walker = walkers[place % 3]
        names = ["reload", "back", "offline", "ended", "undone"]
        if walker.role != "triage":
            names += ["burst", "double", "paste", "tabs"]
        # An administrator has no role to escalate to.
        if walker.role == "administrator":
            names.remove("undone")
        if not order[walker.role]:
            order[walker.role] = chance.sample(names, len(names))
        name = order[walker.role].pop()
        number = chance.choice([number for number in cases if number not in meant])
        walker.open(number)
        done = getattr(walker, name)()
        if done:
            meant[number] = done
    stored = home.query("SELECT number, decision, label FROM decisions ORDER BY decided_at")
    assert len(stored) == int(before[0][0]) + len(meant)
    found = {number: (decision, label or None) for number, decision, label in stored if number in cases}
    assert found == meant
    # Every skip and escalation was taken back.
    assert home.query("SELECT count(*) FROM queue_passes") == [["0"]]
    assert home.query(f"SELECT count(*) FROM queue WHERE level > 0 AND number IN ({','.join(cases)})") == [["0"]]
