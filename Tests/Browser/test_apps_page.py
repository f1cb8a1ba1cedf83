"""An administrator manages apps and keys."""

import uuid
from datetime import datetime, timezone

import requests


def report(server, key):
    return requests.post(
        server.address + "/v1/reports", headers={"Authorization": f"Bearer {key}"}, timeout=30,
        json={"number": "+33199000248", "category": "fraud", "reporter": "me", "report_id": str(uuid.uuid4()),
              "reported_at": datetime.now(timezone.utc).isoformat()}).status_code


def test_a_key_is_made_shown_once_rotated_narrowed_revoked_and_its_reports_taken_back(server, visit, signed_in):
    window = visit(storage_state=signed_in(server, "administrator"))
    page = window.page
    window.open(server.address + "/moderation/apps")
    page.get_by_label("Name", exact=True).fill("<b>My app</b>")
    page.get_by_role("button", name="Create app and key").click()
    key = page.locator("code.key").inner_text()
    assert key.startswith("rf_") and report(server, key) == 201

    window.open(server.address + "/moderation/apps")
    assert key not in page.content()
    section = page.locator("section.panel").filter(has=page.get_by_role("heading", name="<b>My app</b>", exact=True))
    section.get_by_text("New key for").click()
    section.get_by_role("button", name="Create new key").click()
    newer = page.locator("code.key").inner_text()
    assert newer != key and [report(server, each) for each in (key, newer)] == [201, 201]

    section.get_by_role("rowheader").first.get_by_role("link").click()
    page.get_by_label("lookup:", exact=False).uncheck()
    page.get_by_role("button", name="Save").click()
    assert "report, identify, fetch" in page.locator(".facts").inner_text()
    page.get_by_role("button", name="Revoke key").click()
    assert "revoked" in page.locator(".facts").inner_text()
    page.get_by_role("button", name="Preview").click()
    traced = page.get_by_role("status").inner_text()
    assert traced.startswith("1 report, from ") and "Numbers: 1. Reporters: 1." in traced
    page.get_by_label("Reason").fill("It leaked.")
    page.get_by_role("button", name="Withdraw these reports").click()
    page.wait_for_url("**/moderation/apps#withdrawals")
    assert page.get_by_role("cell", name="It leaked.").count() == 1


def test_weights_of_phones_are_previewed_before_they_are_saved(server, visit, signed_in):
    key = server.run("app", "create", "Phones")
    assert report(server, key) == 201
    window = visit(storage_state=signed_in(server, "administrator"))
    window.refused.add(422)
    page = window.page
    window.open(server.address + "/moderation/apps")
    section = page.locator("section.panel").filter(has=page.get_by_role("heading", name="Phones", exact=True))
    section.get_by_text("Attested phones of Phones").click()
    assert section.get_by_label("Phone with secure hardware").input_value() == "0.8"
    section.get_by_label("No attestation").fill("2")
    section.get_by_role("button", name="Preview").click()
    assert "from 0 to 1" in page.get_by_role("alert").inner_text()
    # The form is open and keeps what was typed; the form of a new app is as before.
    assert section.get_by_label("No attestation").get_attribute("value") == "2"
    assert section.get_by_label("No attestation").get_attribute("aria-invalid") == "true"
    assert "1" in section.locator("#unattested-problem").inner_text()
    assert page.get_by_label("report:", exact=False).is_checked()
    section.get_by_label("No attestation").fill("0.25")
    section.get_by_role("button", name="Preview").click()
    page.wait_for_url("**/moderation/thresholds/preview")
    row = page.get_by_role("row").filter(has_text="No attestation")
    assert row.get_by_role("cell").all_inner_texts() == ["0.5", "0.25"]
    page.get_by_label("Reason").fill("Old versions of the app are gone.")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/moderation/thresholds?saved=1")
    assert ["0.25"] in server.query("SELECT unattested FROM attestation_rules WHERE app_id > 0")


def test_what_is_wrong_with_a_form_is_said(server, visit, signed_in):
    window = visit(storage_state=signed_in(server, "administrator"))
    window.refused.add(422)
    page = window.page
    window.open(server.address + "/moderation/apps")
    page.get_by_label("Name", exact=True).fill("Demo app")
    page.get_by_role("button", name="Create app and key").click()
    assert "already" in page.get_by_role("alert").inner_text()


def test_only_administrators_see_apps(server, visit, signed_in):
    window = visit(storage_state=signed_in(server, "moderator"))
    window.open(server.address + "/moderation/apps", status=403)
