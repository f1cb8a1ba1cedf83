"""Tables on a tablet: rows are cards, so that nothing is cut off."""

import pytest

PAGES = [
    "queue", "reviews", "appeals", "ranges", "team", "audit", "publications", "thresholds", "sources", "apps", "accounts",
    "protected", "reporters"]


@pytest.mark.parametrize("width", [768, 1000])
def test_no_table_of_cards_is_cut_off(server, visit, signed_in, width):
    one = visit(storage_state=signed_in(server, "administrator"), viewport={"width": width, "height": 1024})
    for name in PAGES:
        one.open(f"{server.address}/moderation/{name}")
        cut = one.page.locator(".table:has(> .cards)").evaluate_all(
            "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.ariaLabel)")
        assert cut == [], name
        assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
