"""Commands for apps and keys, with a running server."""

import json
import re
import subprocess
import uuid
from datetime import datetime, timedelta, timezone

import pytest
import requests

from ringfence_server import BINARY, environment
from waiting import wait_until


@pytest.fixture(scope="module")
def server(make_server):
    return make_server()


def report(server, key, number="+33199000248", **fields):
    return requests.post(
        server.address + "/v1/reports", headers={"Authorization": f"Bearer {key}"}, timeout=30,
        json={"number": number, "category": "fraud", "reporter": str(uuid.uuid4()), "report_id": str(uuid.uuid4()),
              "reported_at": datetime.now(timezone.utc).isoformat()} | fields)


def keys(server, app):
    """Rows of `app keys`, newest first."""
    lines = server.run("app", "keys", app, "--tsv").splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


def test_a_key_leaks_and_all_that_came_by_it_is_taken_back(server):
    good = server.run("app", "create", "Phone")
    assert [report(server, good).status_code for _ in range(3)] == [201] * 3
    leaked = server.run("app", "rotate", "Phone", "--overlap", "3")
    assert [report(server, leaked, number).status_code for number in ["+33199000248", "+33199000249"] * 60] == [201] * 120
    newest, oldest = keys(server, "Phone")
    assert (newest["state"], oldest["state"]) == ("valid", "valid")

    server.run("app", "revoke", newest["key"])
    preview = server.run("app", "withdraw", newest["key"], "--preview")
    assert preview.startswith("120 reports about 2 numbers by 120 reporters")
    # Without an end it would wait for reports from servers that still have the key in their cache.
    said = server.run(
        "app", "withdraw", newest["key"], "--until", datetime.now(timezone.utc).isoformat(), "--reason", "It leaked.",
        "--by-program", "Ada")
    assert said == f"120 reports of key {newest['key']} withdrawn."
    assert server.run("app", "withdraw", newest["key"], "--preview") == "This key has no reports to withdraw."
    assert server.query("SELECT number, reports FROM numbers ORDER BY number") == [
        ["33199000248", "3"], ["33199000249", "0"]]
    assert "recounted: no differences" in server.run("recount")
    trail = [row[0] for row in server.query("SELECT action FROM audit_events WHERE action LIKE 'app.%' ORDER BY happened_at")]
    assert trail == ["app.create", "app.rotate", "app.revoke", "app.withdraw", "app.withdrawn"]
    # A revocation takes effect after some seconds.
    wait_until(lambda: report(server, leaked).status_code == 401, 60, "the key to be refused")
    assert report(server, good).status_code == 201


def test_scopes_are_set_and_named(server):
    key = server.run("app", "create", "Asker", "--scopes", "lookup,fetch", "--expires-in", "30")
    [row] = keys(server, "Asker")
    assert (row["scopes"], key.startswith(row["begins"].rstrip("…"))) == ("lookup,fetch", True)
    assert report(server, key).json()["type"] == "/problems/scope"
    server.run("app", "scopes", row["key"], "report")
    wait_until(lambda: report(server, key).status_code == 201, 60, "the scopes to be read anew")
    assert "Asker" in server.run("app", "list")


def test_an_app_with_one_network_is_named_with_advice(server):
    """The server of an app sends the reports of its users; then it names their networks."""
    key = server.run("app", "create", "Relay", "--scopes", "report,vouch")
    [row] = keys(server, "Relay")
    assert row["scopes"] == "report,vouch"
    assert [report(server, key).status_code for _ in range(10)] == [201] * 10
    said = server.run("app", "list")
    assert re.search(r"^Relay +1 +\S+ +10 +1$", said, re.MULTILINE), said
    assert 'All newest reports of "Relay" come from one network' in said
    assert f"ringfence app scopes {row['key']} report,vouch" in said
    assert report(server, key, client_address="203.0.113.7", reporter_since="2024-03-05").status_code == 201
    assert '"Relay"' not in server.run("app", "list")


def test_builds_that_may_attest_are_set_shown_and_removed(server):
    key = server.run("app", "create", "Phones", "--scopes", "report,install")
    headers = {"Authorization": f"Bearer {key}"}
    assert server.run("app", "attestation", "Phones") == "No build may attest."
    said = server.run(
        "app", "attestation", "Phones", "--ios", "A1B2C3D4E5.org.example.app", "--android", "org.example.app=" + "5A" * 32)
    assert said.splitlines() == [
        "ios A1B2C3D4E5.org.example.app", "android org.example.app=" + "5a" * 32, "categories of iOS: 2, 4"]
    assert server.run("app", "attestation", "Phones") == said
    assert "attestation-files is not set" in server.run_unchecked("doctor").stdout
    made = requests.post(server.address + "/v1/installations/challenges", headers=headers, timeout=30)
    assert made.status_code == 201
    refused = requests.post(
        server.address + "/v1/installations", headers=headers, timeout=30,
        json={"platform": "ios", "challenge": made.json()["challenge"], "key_id": "AA==", "attestation": "AA=="})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "malformed")
    server.run("app", "attestation", "Phones", "--remove")
    assert server.run("app", "attestation", "Phones") == "No build may attest."
    assert "attestation-files" not in server.run_unchecked("doctor").stdout


def test_the_doctor_compares_weights_without_attestation_with_the_phones(server):
    """A phone attests with its hardware, so a row in the table replaces that."""
    def finding():
        done = server.run_unchecked("doctor", "--json")
        lines = [line for line in json.loads(done.stdout) if line["what"] == "attestation" and '"Attested"' in line["found"]]
        return lines[0] if lines else None

    key = server.run("app", "create", "Attested", "--scopes", "report,install")
    assert [report(server, key, "+33199000251").status_code for _ in range(20)] == [201] * 20
    assert finding() is None
    attest = """INSERT INTO attested_reporters SELECT DISTINCT reporter, app_id, 2, 0, 20000, 20000 FROM reports
                WHERE app_id = (SELECT app_id FROM apps WHERE name = 'Attested')"""
    server.query(attest + " ORDER BY reporter LIMIT 18")
    assert finding() is None
    server.query("UPDATE attestation_rules SET unattested = 0")
    found = finding()
    assert found["state"] == "warning" and found["advice"].startswith("Raise the weight")
    assert found["found"] == (
        '18 of 20 reporters of "Attested" attest, and reports without attestation have the weight 0: the others are ignored')
    server.query(attest + " ON CONFLICT DO NOTHING")
    assert finding() is None
    server.query("UPDATE attestation_rules SET unattested = 0.5")
    assert finding()["found"] == '20 of 20 reporters of "Attested" attest, and reports without attestation weigh 0.5'


def test_what_is_wrong_is_said(server):
    server.run("app", "create", "Taken")
    for arguments, code, text in [
            (["create", "Taken"], 1, "ringfence app rotate"), (["create", "X", "--scopes", "all"], 2, "is not a list of scopes"),
            (["rotate", "Nobody"], 1, "no app named"), (["revoke", "999"], 1, "no key 999"),
            (["create", "two\nlines"], 2, "on one line"), (["withdraw", "1"], 2, "--reason"),
            (["attestation", "Taken", "--ios", "org.example.app"], 2, "An App ID is the team's"),
            (["attestation", "Taken", "--android", "org.example.app=5A"], 2, "64 hex digits"),
            (["attestation", "Taken", "--ios", "A1B2C3D4E5.x", "--ios-category", "44"], 2, "from 1 to 10"),
            (["attestation", "Taken", "--ios-category", "5"], 2, "need --ios or --android"),
            (["attestation", "Taken", "--remove", "--ios", "A1B2C3D4E5.x"], 2, "--remove cannot be combined"),
            (["attestation", "Nobody", "--remove"], 1, "no app named"),
            (["withdraw", "1", "--until", "2999-01-01T00:00:00Z", "--preview"], 2, "in the future")]:
        done = subprocess.run(
            [BINARY, "app", *arguments, "--data", str(server.data)], env=environment(), capture_output=True, text=True,
            timeout=60)
        assert (done.returncode, text in done.stderr) == (code, True), done.stderr


def past(number, reporters, days=(10, 11, 12)):
    """Reports of several days, each by another reporter."""
    now = datetime.now(timezone.utc)
    return [{
        "number": number, "category": "fraud", "reporter": f"{number} {i}", "report_id": str(uuid.uuid4()),
        "reported_at": (now - timedelta(days=days[i % len(days)])).isoformat()} for i in range(reporters)]


def test_an_apps_past_counts_on_its_own_days_with_the_scope_alone(server, tmp_path):
    """Honest and dishonest senders report the same calls; only the operator's grant makes a past of them."""
    senders = [
        ("Migrating", "report,history", "+33199000301", True), ("Plain", "report", "+33199000302", False),
        ("Trusted", "report,vouch", "+33199000303", False)]
    sent = {}
    for name, scopes, number, is_listed in senders:
        key = server.run("app", "create", name, "--scopes", scopes)
        reports = past(number, 40)
        if "vouch" in scopes:
            for i, item in enumerate(reports):
                item["client_address"] = f"203.0.{i}.7"
        if is_listed:
            file = tmp_path / "past.jsonl"
            file.write_text("".join(json.dumps(item) + "\n" for item in [*reports, reports[0] | {"category": "spam"}]))
            said = server.run("app", "history", name, file)
            assert "40 reports about 1 number would be stored, 0 stored already." in said
            assert "  1 would be listed to identify\n" in said and "unknown_category" in said
            assert f"ringfence app scopes {keys(server, name)[0]['key']} report,history" in said
            assert server.query("SELECT count(*) FROM reports WHERE number = 33199000301") == [["0"]]
        done = requests.post(
            server.address + "/v1/reports", headers={"Authorization": f"Bearer {key}"}, json=reports, timeout=60)
        assert {item["status"] for item in done.json()["results"]} == {"created"}
        sent[name] = (key, reports)
    server.run("publish", "--min-size", "0")
    listed = "SELECT number, treatment FROM listings WHERE number BETWEEN 33199000301 AND 33199000309"
    assert server.query(listed) == [["33199000301", "1"]]
    assert server.query("SELECT DISTINCT received_at = reported_at, a.name FROM reports r JOIN apps a USING (app_id)"
                        " WHERE number BETWEEN 33199000301 AND 33199000303 ORDER BY 2") == [
        ["t", "Migrating"], ["f", "Plain"], ["f", "Trusted"]]
    key, reports = sent["Migrating"]
    assert "0 reports about 1 number would be stored, 40 stored already." in server.run("app", "history", "Migrating", file)
    # Single reports of the past take the same way, and reports of no accepted day are refused.
    now = datetime.now(timezone.utc)
    for days, answer in (-1, "in_the_future"), (367, "too_old"), (20, None):
        single = report(server, key, "+33199000304", reported_at=(now - timedelta(days=days)).isoformat())
        assert (single.status_code, answer) == (201, None) or single.json()["errors"][0]["code"] == answer
    assert server.query("SELECT reported_at = received_at FROM reports WHERE number = 33199000304") == [["t"]]
    # A reporter's limit of a day is for that day alone.
    for name, over in ("Migrating", 0), ("Plain", 10):
        many = [item | {"reporter": "busy"} for n in range(210) for item in past(f"+3319900{1000 + n}", 1)]
        done = requests.post(
            server.address + "/v1/reports", headers={"Authorization": f"Bearer {sent[name][0]}"}, json=many, timeout=60)
        assert [item["status"] for item in done.json()["results"]].count("limited") == over
    for item in reports[:38]:
        gone = requests.delete(
            f"{server.address}/v1/reports/{item['report_id']}", headers={"Authorization": f"Bearer {key}"}, timeout=30)
        assert gone.status_code == 204
    assert "no differences" in server.run("recount")
    server.run("publish", "--min-size", "0")
    assert server.query(listed) == []
