"""All tasks without a mouse."""

from waiting import wait_until


def focused(page):
    """The text of the focused element."""
    return page.evaluate("(document.activeElement.getAttribute('aria-label') || document.activeElement.innerText).trim()")


def has_visible_focus(page):
    return page.evaluate(
        """() => {
          const box = document.activeElement.getBoundingClientRect()
          const style = getComputedStyle(document.activeElement)
          return box.left >= 0 && box.right <= innerWidth && box.top < innerHeight && box.bottom > 0
            && box.width > 0 && style.outlineStyle != 'none' && parseFloat(style.outlineWidth) >= 2
        }""")


def press(page, key, times=1):
    for _ in range(times):
        page.keyboard.press(key)


def test_from_the_link_to_the_end_of_the_session(server, visit, make_link):
    moderator = visit()
    page = moderator.page
    moderator.open(make_link(server))
    wait_until(lambda: focused(page) == "Sign in", 10, "the button to have the focus")
    press(page, "Enter")
    page.wait_for_url("**/moderation**")
    # The first time the link leads to the account page.
    moderator.open(f"{server.address}/moderation")

    order = []
    while len(order) < 30 and "Health" not in order:
        press(page, "Tab")
        order.append(focused(page))
        assert has_visible_focus(page), order
    assert order[:2] == ["Skip to content", "Ringfence"] and order[3] == "Sign out"
    assert order[4:] == page.locator("nav.side a").all_inner_texts()

    press(page, "Shift+Tab", len(order) - 4)
    assert focused(page) == "Sign out"
    press(page, "Enter")
    page.wait_for_url(f"{server.address}/sign-in")


def test_skip_link_leads_past_the_bar(server, visit, signed_in):
    moderator = visit(storage_state=signed_in(server))
    page = moderator.page
    moderator.open(f"{server.address}/moderation")
    skip = page.get_by_role("link", name="Skip to content")
    assert skip.bounding_box()["x"] < 0
    press(page, "Tab")
    assert skip.bounding_box()["x"] >= 0
    press(page, "Enter")
    page.wait_for_url(f"{server.address}/moderation#main")
    press(page, "Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_a_wide_table_scrolls_by_arrow_keys(server, visit, signed_in):
    moderator = visit(storage_state=signed_in(server), viewport={"width": 700, "height": 800})
    page = moderator.page
    moderator.open(f"{server.address}/moderation/search?q=1")
    region = page.get_by_role("region", name="Search results")
    # As a table whose rows are no cards.
    region.locator("table").evaluate("table => table.classList.remove('cards')")
    region.focus()
    press(page, "ArrowRight", 3)
    wait_until(lambda: region.evaluate("region => region.scrollLeft > 0"), 10, "the table to scroll")
