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


def test_what_is_wrong_with_a_form_is_said(server, visit, signed_in):
    window = visit(storage_state=signed_in(server, "administrator"))
    window.refused.add(422)
    page = window.page
    window.open(server.address + "/moderation/apps")
    page.get_by_label("Name", exact=True).fill("Demo app")
    page.get_by_role("button", name="Create app and key").click()
    assert "already" in page.get_by_role("alert").inner_text()
