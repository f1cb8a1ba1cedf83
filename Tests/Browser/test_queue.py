"""The queue in a real browser: by keyboard, by two moderators at once, in bulk, with undo, and without scripts."""

import re
import time

import pytest

from waiting import wait_until


@pytest.fixture(scope="module")
def home(make_server):
    """A separate server for this file, because its tests empty the queue."""
    server = make_server("--demo")
    wait_until(lambda: waiting(server) > 80, 60, "the queue to fill")
    return server


def waiting(server):
    return int(server.query("SELECT count(*) FROM queue")[0][0])


def decisions(server, digits):
    return [row[0] for row in server.query(f"SELECT decision FROM decisions WHERE number = {digits} ORDER BY decided_at")]


def digits_of(page):
    return re.search(r"/moderation/numbers/(\d+)", page.url)[1]


def open_queue(visit, signed_in, home, role="moderator", path="/moderation/queue", **options):
    one = visit(storage_state=signed_in(home, role), **options)
    one.open(home.address + path)
    return one


def start(page):
    page.get_by_role("button", name="Start with the most urgent case").click()
    page.wait_for_url("**/moderation/numbers/*")
    skip_appeals(page)


def skip_appeals(page):
    """Goes on to a case without an appeal or a range, which offer other decisions, of a number that no directory names and many
    people report."""
    passed = set()
    while page.locator("#words, #block-consequence, [value=approve], #decision:not(:has([value=many_reporters]))").count():
        number = digits_of(page)
        assert number not in passed, f"Next case leads back to {number}"
        passed.add(number)
        page.get_by_role("button", name="Next case").click()
        page.wait_for_url(lambda url: f"/numbers/{number}?" not in url)


def allow_by_keys(page):
    """A reason is needed where the number is held, listed or reported by many."""
    guarded = page.locator("#decision[data-guarded]").count()
    for key in ("a", "5", "Enter") if guarded else ("a", "Enter"):
        page.keyboard.press(key)


def test_a_queue_is_worked_through_by_keys_alone(home, visit, signed_in, capsys):
    page = open_queue(visit, signed_in, home).page
    before = waiting(home)
    page.keyboard.press("n")
    page.wait_for_url("**/moderation/numbers/*")
    skip_appeals(page)
    decided = []
    begin = time.monotonic()
    for turn in range(20):
        number = digits_of(page)
        if turn % 4 == 3:
            allow_by_keys(page)
        else:
            # Letters and digits in any order.
            for key in ("1", "b", "Enter") if turn % 2 else ("b", "1", "Enter"):
                page.keyboard.press(key)
        page.wait_for_url(lambda url: f"/numbers/{number}?" not in url)
        page.locator("#decision").wait_for()
        skip_appeals(page)
        decided.append((number, "allow" if turn % 4 == 3 else "block"))
    seconds = time.monotonic() - begin
    with capsys.disabled():
        print(f"\n{len(decided) / seconds * 60:.0f} decisions a minute by keyboard ({seconds:.1f} s for {len(decided)})")
    assert len({number for number, _ in decided}) == 20
    for number, decision in decided:
        assert decisions(home, number) == [decision]
    reasons = home.query("SELECT DISTINCT reason FROM decisions WHERE decision = 'block'")
    assert reasons == [["many_reporters"]]
    assert waiting(home) == before - 20
    events = home.query("SELECT action, count(*) FROM audit_events WHERE action LIKE 'decision.%' GROUP BY 1 ORDER BY 1")
    assert events == [["decision.allow", "5"], ["decision.block", "15"]]

    # Not sure: the case is left to others and is not offered again.
    number = digits_of(page)
    page.keyboard.press("u")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: f"/numbers/{number}?" not in url)
    assert "Skipped" in page.get_by_role("status").first.inner_text()
    assert home.query(f"SELECT count(*) FROM queue_passes WHERE number = {number}") == [["1"]]

    # The list of keys, and closing it.
    number = digits_of(page)
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    page.keyboard.press("?")
    assert sheet.is_visible() and sheet.evaluate("sheet => sheet.contains(document.activeElement)")
    # Keys decide nothing while the list is open.
    page.keyboard.press("a")
    page.keyboard.press("n")
    assert digits_of(page) == number and decisions(home, number) == []
    page.keyboard.press("Escape")
    assert not sheet.is_visible()
    link = page.get_by_role("link", name="Keyboard shortcuts")
    link.focus()
    page.keyboard.press("Enter")
    assert sheet.is_visible() and "#" not in page.url
    page.keyboard.press("?")
    assert not sheet.is_visible()
    assert link.evaluate("link => link == document.activeElement")
    page.keyboard.press("q")
    page.wait_for_url("**/moderation/queue")
    assert home.query("SELECT count(*) FROM queue WHERE claimed_by IS NOT NULL") == [["0"]]


def test_no_key_types_into_a_field(home, visit, signed_in):
    page = open_queue(visit, signed_in, home).page
    start(page)
    number = digits_of(page)
    for decision, missing in (("b", "#reason-missing"), ("i", "#label-missing")):
        page.keyboard.press(decision)
        page.keyboard.press("Enter")
        page.locator(missing).wait_for(state="visible")
        page.keyboard.press("2")
        assert page.locator("#reason").input_value() == "" and page.locator("#label").input_value() == ""
        assert page.locator("input[name=common_reason]:checked").input_value() == "fraud_quoted"
        page.locator("input[name=common_reason][value='']").check()
    assert digits_of(page) == number and decisions(home, number) == []
    page.keyboard.press("b")
    page.keyboard.press("t")
    page.keyboard.type("b, 1 and n are letters here")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: f"/numbers/{number}?" not in url)
    assert home.query(f"SELECT reason FROM decisions WHERE number = {number}") == [["b, 1 and n are letters here"]]
    page.keyboard.press("q")
    page.wait_for_url("**/moderation/queue")


def test_keys_are_where_they_are_on_keyboards_of_other_alphabets(home, visit, signed_in):
    page = open_queue(visit, signed_in, home).page
    start(page)
    number = digits_of(page)
    press = "([key, code]) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true }))"
    page.evaluate(press, ["1", "Digit1"])
    page.evaluate(press, ["и", "KeyB"])
    assert page.get_by_label("Block").is_checked()
    # A Latin letter is taken as it is, wherever it lies.
    page.evaluate(press, ["i", "KeyB"])
    assert page.get_by_label("Label only").is_checked()
    page.locator("h1").click()
    page.evaluate(press, ["й", "KeyQ"])
    page.wait_for_url("**/moderation/queue")
    assert decisions(home, number) == []


def test_undo_at_once_and_later(home, visit, signed_in):
    page = open_queue(visit, signed_in, home).page
    start(page)
    number = digits_of(page)
    allow_by_keys(page)
    page.wait_for_url(lambda url: f"/numbers/{number}?" not in url)
    assert "Allowed" in page.locator(".did").inner_text()
    page.keyboard.press("z")
    page.wait_for_url(f"**/numbers/{number}?**")
    assert "Decision undone" in page.locator(".did").inner_text()
    assert decisions(home, number) == ["allow", "undo"]
    wait_until(lambda: home.query(f"SELECT stale FROM queue WHERE number = {number}") == [["f"]], 30, "it to be judged")

    # Undo later, from the history of the number.
    page.goto(f"{home.address}/moderation/numbers/{number}")
    allow_by_keys(page)
    page.locator(".did").wait_for()
    page.goto(f"{home.address}/moderation/numbers/{number}")
    page.locator("#decisions").get_by_role("button", name="Undo").click()
    page.locator(".did").wait_for()
    assert decisions(home, number) == ["allow", "undo", "allow", "undo"]


def test_two_moderators_are_never_on_one_case(home, visit, signed_in, make_link):
    ada = open_queue(visit, signed_in, home).page
    bob = visit()
    bob.open(make_link(home))
    bob.page.get_by_role("button", name="Sign in").click()
    bob.page.wait_for_url("**/moderation**")
    bob.open(f"{home.address}/moderation/queue")
    bob = bob.page
    for _ in range(3):
        # Both at once, without waiting for each other's response.
        for page in (ada, bob):
            page.evaluate("setTimeout(() => document.querySelector('form[action$=next] button').click())")
        for page in (ada, bob):
            page.wait_for_url("**/moderation/numbers/*")
        assert digits_of(ada) != digits_of(bob)
        for page in (ada, bob):
            page.goto(f"{home.address}/moderation/queue")
    start(ada)
    bob.goto(f"{home.address}/moderation/numbers/{digits_of(ada)}")
    assert "Claimed by" in bob.get_by_role("status").first.inner_text()
    assert bob.locator("#decision").count() == 0
    # Leaving the page releases the claim.
    number = digits_of(ada)
    ada.goto(f"{home.address}/moderation/publications")
    wait_until(
        lambda: home.query(f"SELECT claimed_by IS NULL FROM queue WHERE number = {number}") == [["t"]], 30,
        "the claim to end")
    bob.reload()
    assert bob.locator("#decision").count() == 1
    bob.goto(f"{home.address}/moderation/queue")


def test_cases_are_decided_beside_the_list(home, visit, signed_in):
    """Every form of the split view keeps the filter, and stores the values that were chosen."""
    one = open_queue(visit, signed_in, home, path="/moderation/queue?cause=threshold&sort=reports")
    page = one.page
    page.locator("tbody th a:visible").nth(1).click()

    def opened():
        page.wait_for_url("**cause=threshold&sort=reports**case=**")
        return re.search(r"[?&]case=(\d+)", page.url)[1]

    def leaves(number):
        page.wait_for_url(lambda url: f"case={number}" not in url)
        assert "cause=threshold&sort=reports" in page.url

    # A case that asks for no confirmation.
    while page.locator("#words, #block-consequence").count():
        number = opened()
        page.get_by_role("button", name="Next case").click()
        leaves(number)
    number = opened()
    assert page.locator("tbody [aria-current]").count() <= 1
    assert home.query(f"SELECT claimed_by IS NOT NULL FROM queue WHERE number = {number}") == [["t"]]
    page.get_by_label("Label only").check()
    page.get_by_label("Reports quote a fraudulent caller.").check()
    if not page.locator("#label").is_visible():
        page.locator(".fold summary").first.click()
    page.get_by_label("Label on phones").fill("A shop")
    if not page.locator("#category").is_visible():
        page.locator("#decision summary", has_text="Category").click()
    page.locator("#category").select_option("robocall")
    page.get_by_role("button", name="Save and open next").click()
    leaves(number)
    stored = home.query(
        "SELECT decision, label, c.slug, reason FROM decisions JOIN categories c USING (category_id) "
        f"WHERE number = {number}")
    assert stored == [["identify", "A shop", "robocall", "fraud_quoted"]]
    after = opened()
    page.get_by_role("button", name="Undo").first.click()
    page.wait_for_url(f"**case={number}&did=**")
    assert "Decision undone" in page.locator(".did").inner_text()
    assert decisions(home, number) == ["identify", "undo"]
    # Opening another case releases the claim.
    wait_until(
        lambda: home.query(f"SELECT claimed_by IS NULL FROM queue WHERE number = {after}") == [["t"]], 30,
        "the claim to end")
    for key in ("1", "b", "Enter"):
        page.keyboard.press(key)
    leaves(number)
    assert decisions(home, number) == ["identify", "undo", "block"]
    page.keyboard.press("z")
    page.wait_for_url(f"**case={number}&did=**")
    assert decisions(home, number) == ["identify", "undo", "block", "undo"]
    # Decided by another moderator meanwhile.
    home.run("decide", f"+{number}", "--allow", "--reason", "Mine.", "--by-program", "Somebody else")
    page.get_by_label("Block").check()
    page.get_by_label("Reports quote a fraudulent caller.").check()
    one.refused.add(409)
    page.get_by_role("button", name="Save and open next").click()
    assert "Another moderator has decided on this number" in page.locator("#stale").inner_text()
    assert decisions(home, number)[-1] == "allow" and page.locator("#bulk").is_visible()
    page.get_by_role("button", name="Back to the queue").click()
    page.wait_for_url("**/moderation/queue?cause=threshold&sort=reports")
    # The forms of the list beside a case: a bulk decision gets the number that was selected.
    page.locator("tbody th a:visible").nth(1).click()
    number = opened()
    chosen = page.locator("tbody").get_by_role("checkbox").nth(3)
    picked = chosen.get_attribute("value")
    chosen.check()
    page.get_by_role("button", name="Decide on selected numbers").click()
    assert page.locator("input[name=number]").evaluate_all("all => all.map(each => each.value)") == [picked]
    one.open(f"{home.address}/moderation/queue")


def test_bulk_shows_what_it_does_and_is_taken_back_whole(home, visit, signed_in):
    page = open_queue(visit, signed_in, home, path="/moderation/queue?cause=threshold").page
    ticks = page.locator("tbody").get_by_role("checkbox")
    chosen = [ticks.nth(place).get_attribute("value") for place in (0, 2, 5)]
    # Undone ones, of other tests.
    earlier = {number: decisions(home, number) for number in chosen}
    for place in (0, 2, 5):
        ticks.nth(place).check()
    page.get_by_role("button", name="Decide on selected numbers").click()
    assert "3 numbers selected." in page.locator("main").inner_text()
    page.get_by_label("Block").check()
    page.get_by_label("Reason (shown to apps and moderators)").fill("One campaign.")
    page.get_by_role("button", name="Preview").click()
    assert "3 numbers get this decision." in page.locator("#preview").inner_text()
    # The page is in the browser's history with its selection and input.
    page.goto(f"{home.address}/moderation/numbers/{chosen[0]}")
    page.go_back()
    assert "3 numbers get this decision." in page.locator("#preview").inner_text()
    assert {number: decisions(home, number) for number in chosen} == earlier
    # Where a directory names one of them, or a neighbor is protected.
    confirmation = page.locator("input[name=confirm]")
    if confirmation.count():
        confirmation.first.check()
    page.get_by_role("button", name="Block 3 numbers").click()
    page.get_by_role("heading", name="Done").wait_for()
    assert all(decisions(home, number) == former + ["block"] for number, former in earlier.items())
    page.get_by_role("button", name="Undo all").click()
    page.get_by_text("has undone this bulk decision").wait_for()
    assert all(decisions(home, number) == former + ["block", "undo"] for number, former in earlier.items())


def test_everything_works_without_scripts(home, visit, signed_in):
    one = open_queue(visit, signed_in, home, java_script_enabled=False)
    page = one.page
    page.get_by_label("Category").select_option(index=1)
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**category=**")
    one.open(f"{home.address}/moderation/queue")
    start(page)
    number = digits_of(page)
    page.get_by_role("link", name="Keyboard shortcuts").click()
    assert page.url.endswith("#keys")
    assert page.locator("#keys").get_by_text("save and open the next case").is_visible()
    page.get_by_label("Label only").check()
    page.get_by_label("Reason (shown to apps and moderators)").fill("Known to many.")
    one.refused.add(422)
    page.get_by_role("button", name="Save and open next").click()
    assert "Enter a label" in page.get_by_role("alert").inner_text()
    page.get_by_label("Label on phones").fill("A shop")
    page.get_by_role("button", name="Save and open next").click()
    page.wait_for_url(lambda url: f"/numbers/{number}" not in url)
    assert decisions(home, number)[-1] == "identify"
    page.get_by_role("button", name="Undo").first.click()
    page.wait_for_url(lambda url: f"/numbers/{number}?" in url)
    assert decisions(home, number)[-2:] == ["identify", "undo"]
    page.get_by_label("New note").fill("Ask again next week.")
    page.get_by_role("button", name="Add note").click()
    page.locator("#notes").get_by_text("Ask again next week.").wait_for()
    page.get_by_role("button", name="Back to the queue").click()
    page.wait_for_url("**/moderation/queue")


def test_what_comes_in_is_in_the_queue_within_seconds(home, visit, signed_in):
    key = home.run("app", "create", "Queue test").splitlines()[-1].split()[-1]
    page = open_queue(visit, signed_in, home).page
    before = waiting(home)
    for reporter in range(6):
        answer = page.request.post(
            f"{home.address}/v1/reports", headers={"Authorization": f"Bearer {key}"},
            data={
                "number": "+12015550177", "category": "fraud", "reporter": f"r{reporter}",
                "report_id": f"00000000-0000-4000-8000-00000000000{reporter}",
                "reported_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            })
        assert answer.status in (200, 201), answer.text()
    wait_until(lambda: waiting(home) == before + 1, 30, "the number to wait")
    page.goto(f"{home.address}/moderation/numbers/12015550177")
    page.get_by_text("Waiting since").wait_for()
    home.run("decide", "+12015550177", "--allow", "--by-program", "The test")
    assert waiting(home) == before
