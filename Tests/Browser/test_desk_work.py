"""An hour at the desk with everything that interrupts it: what was typed is what is stored, once, and by whom."""

import itertools

import pytest

TREATMENTS = ["block", "identify", "allow"]


@pytest.fixture(scope="module")
def home(make_server):
    """A server of its own: this test decides hundreds of numbers."""
    return make_server("--demo")


def sign_in(window, home, make_link, name):
    window.open(make_link(home, "administrator", name))
    window.page.get_by_role("button", name="Sign in").click()
    window.page.wait_for_url("**/moderation**")


class Desk:
    """Two moderators with a window each. `Ada` decides, and `Grace` takes cases away."""

    def __init__(self, home, visit, make_link):
        self.home, self.make_link = home, make_link
        self.ada, self.grace = visit(), visit()
        # An ended session, and a case that another moderator took.
        self.ada.refused |= {401, 403, 409, 422}
        sign_in(self.ada, home, make_link, "Ada")
        sign_in(self.grace, home, make_link, "Grace")
        self.page = self.ada.page

    def address(self, number):
        return f"{self.home.address}/moderation/numbers/{number}"

    def type(self, treatment, reason, label):
        page = self.page
        page.locator(f"#decision input[name=decision][value={treatment}]").check()
        page.locator("#reason").fill(reason)
        if treatment == "identify":
            page.locator("#label").fill(label)

    def save(self):
        self.page.locator("#decision").get_by_role("button", name="Save").first.click()

    def is_stored(self, number, reason):
        return self.home.query(f"SELECT 1 FROM decisions WHERE number = {number} AND reason = '{reason}'") != []

    # Interruptions between typing and saving. Each returns when the input is ready to be saved.

    def nothing(self, number):
        """No interruption."""

    def reload(self, number):
        """The page is loaded again."""
        self.page.reload()

    def leave(self, number):
        """The moderator opens another page first."""
        self.ada.open(f"{self.home.address}/moderation/queue")
        self.ada.open(self.address(number))

    def end_of_session(self, number):
        """The session ends before the form is sent."""
        self.home.query("DELETE FROM sessions WHERE account_id = (SELECT account_id FROM accounts WHERE name = 'Ada')")
        self.save()
        self.page.wait_for_url("**/sign-in**")
        sign_in(self.ada, self.home, self.make_link, "Ada")
        self.ada.open(self.address(number))

    def take_over(self, number):
        """Another moderator takes the case, and Ada takes it back."""
        self.grace.open(self.address(number))
        take = self.grace.page.get_by_role("button", name="Take over")
        if take.count():
            take.first.click()
            self.grace.page.locator("#decision").wait_for()
        self.save()
        self.page.wait_for_load_state()
        back = self.page.get_by_role("button", name="Take over")
        if back.count():
            back.first.click()
        self.page.locator("#decision").wait_for()

    def lost_request(self, number):
        """The connection ends before the server has the form."""
        self.lose(number, lambda route: route.abort())

    def lost_answer(self, number):
        """The server saves the form, and its answer is lost."""
        def answer(route):
            route.fetch(max_redirects=0)
            route.abort()
        self.lose(number, answer)

    def lose(self, number, handler):
        def handle(route):
            handler(route) if route.request.method == "POST" else route.fallback()
        self.page.route("**/moderation/**", handle)
        with self.page.expect_event("requestfailed", lambda request: request.method == "POST"):
            self.save()
        self.page.unroute("**/moderation/**")
        # The browser shows a page of its own for it.
        self.page.wait_for_url("chrome-error:**")
        self.ada.complaints = [each for each in self.ada.complaints if "net::ERR_FAILED" not in each]
        self.ada.open(self.address(number))


INTERRUPTIONS = ["nothing", "reload", "leave", "end_of_session", "take_over", "lost_request", "lost_answer"]


@pytest.mark.parametrize("count", [21, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])])
def test_what_was_typed_is_stored_once_whatever_interrupts(home, visit, make_link, count):
    desk = Desk(home, visit, make_link)
    rows = home.query(
        "SELECT number FROM numbers WHERE number NOT IN (SELECT number FROM appeals) "
        # A block of these needs a confirmation.
        "AND number / 100 NOT IN (SELECT number / 100 FROM protected_numbers) "
        # A range is approved or rejected in place of its first number.
        "AND number NOT IN (SELECT number FROM ranges) "
        f"AND number NOT IN (SELECT number FROM directory_entries) ORDER BY number LIMIT {count}")
    ways = itertools.product(INTERRUPTIONS, TREATMENTS)
    expected = {}
    for place, ((number,), (interruption, treatment)) in enumerate(zip(itertools.cycle(rows), itertools.cycle(ways))):
        if place == count:
            break
        reason, label = f"Reason {count} {place}: {interruption}", f"Label {place}"
        desk.ada.open(desk.address(number))
        desk.page.locator("#decision").wait_for()
        desk.type(treatment, reason, label)
        getattr(desk, interruption)(number)
        if not desk.is_stored(number, reason):
            if desk.page.locator("#reason").input_value() != reason:
                pytest.fail(f"{interruption}: the reason of {number} is lost: {desk.page.locator('main').inner_text()}")
            desk.save()
            desk.page.wait_for_function("() => !document.querySelector('#decision') || document.querySelector('#reason').value === ''")
        expected[reason] = [str(number), treatment, label if treatment == "identify" else "", "Ada"]
    stored = home.query(
        "SELECT reason, number, decision, coalesce(label, ''), decided_by FROM decisions "
        f"WHERE reason LIKE 'Reason {count} %' ORDER BY number, reason")
    assert len(stored) == len(expected) == count
    assert {row[0]: row[1:] for row in stored} == expected
    # The audit log has the same, once each.
    assert home.query(f"SELECT count(*), count(DISTINCT reason) FROM audit_events WHERE reason LIKE 'Reason {count} %'") == [
        [str(count), str(count)]]
