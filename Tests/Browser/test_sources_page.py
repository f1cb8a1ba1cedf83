"""An administrator adds and removes a source on its page."""

from waiting import wait_until


def test_a_source_is_checked_added_and_removed(server, visit, signed_in):
    window = visit(storage_state=signed_in(server, "administrator"))
    window.refused.add(422)
    page = window.page

    def fill(address):
        page.get_by_label("Name", exact=True).fill("A <b>list</b>")
        page.get_by_label("Address of the file").fill(address)

    window.open(server.address + "/moderation/sources")
    for button in ["Preview", "Add source"]:
        fill("http://127.0.0.1:9/list.csv")
        page.get_by_label("License").fill("CC0")
        page.get_by_role("button", name=button, exact=True).click()
        assert "private network" in page.get_by_role("alert").inner_text()
        field = page.get_by_label("Address of the file")
        assert field.get_attribute("aria-invalid") == "true" and field.get_attribute("aria-describedby") == "url-problem"
        assert page.get_by_label("License").input_value() == "CC0"
    # Addresses for documents (RFC 5737), where no server is.
    fill("https://192.0.2.1/list.csv")
    page.get_by_role("button", name="Add source", exact=True).click()
    page.get_by_role("rowheader", name="A <b>list</b>").wait_for()
    assert "Source added." in page.get_by_role("status").first.inner_text()
    ceiling = "SELECT ceiling FROM source_feeds WHERE name = 'A <b>list</b>'"
    for answer, stored, effect in [
        ("Leave it as it is", "review", "The source was not read completely yet."),
        ("Raise the ceiling", "block", "Newly listed to block"),
    ]:
        page.get_by_label("Ceiling of A <b>list</b>", exact=True).select_option("block")
        page.get_by_role("button", name="Save the ceiling of A <b>list</b>").click()
        page.get_by_role("heading", name="Raise the ceiling of A <b>list</b> to “Block”?").wait_for()
        assert effect in page.get_by_role("form").first.inner_text()
        page.get_by_role("button" if stored == "block" else "link", name=answer, exact=True).click()
        page.get_by_role("heading", name="Add a source").wait_for()
        assert page.get_by_text("Raise the ceiling of").count() == 0
        assert server.query(ceiling) == [[stored]]
        # No server answers at its address.
        server.query("UPDATE source_feeds SET refreshed_at = now() WHERE name = 'A <b>list</b>'")
    page.get_by_text("Remove A <b>list</b>", exact=True).click()
    page.get_by_role("button", name="Remove A <b>list</b> now").click()
    assert "Source removed." in page.get_by_role("status").first.inner_text()
    assert page.get_by_role("rowheader", name="A <b>list</b>").count() == 0
    wait_until(
        lambda: server.query("SELECT entries FROM source_feeds WHERE name = 'A <b>list</b>'") == [["0"]], 60,
        "the end of the removal")
