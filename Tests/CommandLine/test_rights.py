"""Reasons, reports, and rights of owners and reporters on the command line."""

import csv
import hashlib
import hmac
import json
import re
import subprocess
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

import jsonschema
import pytest
import requests

from ringfence_server import BINARY, RingfenceServer, environment
from waiting import wait_until

OPEN = ["--min-size", "0", "--max-size", "100000", "--max-churn", "100000"]
SCHEMA = json.loads((Path(__file__).parent / "statement-of-reasons.schema.json").read_text())
DECIDED = "+493023125123"
PERIOD = ["--from", "2026-01-01", "--to", "2037-12-31"]


def complaints(number, count=12, days=6):
    """Complaints of different reporters on different days of last week."""
    return [
        json.dumps({
            "number": number, "category": "pyramid", "reporter": f"r{i}",
            "report_id": f"00000000-0000-4000-8000-{int(number[-6:]):06d}{i:06d}",
            "reported_at": time.strftime("%FT%TZ", time.gmtime(time.time() - 3_600 - (i % days) * 86_400))})
        for i in range(count)
    ]


def send(server, number, folder, **options):
    file = folder / f"{number[1:]}.jsonl"
    file.write_text("\n".join(complaints(number, **options)) + "\n")
    return server.run("import", "complaints", str(file), "--format", "jsonl")


@pytest.fixture(scope="module")
def server(make_server, tmp_path_factory):
    server = make_server("--public-number-pages", "hidden")
    folder = tmp_path_factory.mktemp("complaints")
    send(server, "+493023125100", folder)
    server.run("decide", DECIDED, "--identify", "A shop", "--reason", "It is one.", "--by-program", "Ada")
    server.run("decide", "+493023125124", "--block", "--reason", "Fraud.", "--by-program", "Ada")
    server.run("publish", *OPEN)
    return server


def test_statements_of_reasons_fit_the_schema_and_name_nobody(server):
    lines = server.run("report", "statements", *PERIOD, "--territory", "DE,FR").splitlines()
    statements = [json.loads(line) for line in lines]
    listed = server.query("SELECT count(*) FROM listings")[0][0]
    assert len(statements) == int(listed) >= 2
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for statement in statements:
        assert not list(validator.iter_errors(statement)), statement
        assert statement["territorial_scope"] == ["DE", "FR"]
    assert len({statement["puid"] for statement in statements}) == len(statements)
    kinds = {statement["decision_visibility"][0] for statement in statements}
    assert kinds == {"DECISION_VISIBILITY_CONTENT_LABELLED", "DECISION_VISIBILITY_OTHER"}
    # Neither numbers nor reporters.
    text = "\n".join(lines)
    assert not re.search(r"493023125", text) and "Ada" not in text
    assert list(validator.iter_errors({**statements[0], "content_type": ["CONTENT_TYPE_TEXT"]}))
    assert server.run("report", "statements", "--from", "2020-01-01", "--to", "2020-12-31") == ""
    refused = server.run_unchecked("report", "statements", "--from", "2026-02-30", "--to", "2026-03-01")
    assert refused.returncode == 2 and "--from" in refused.stderr
    # A list that only blocks does not contain a number with a label alone.
    key = server.run("app", "create", "Reader", "--scopes", "lookup")
    told = requests.get(
        f"{server.address}/v1/numbers/{DECIDED[1:]}", headers={"Authorization": f"Bearer {key}"}, timeout=30).json()
    assert "toxic" in told["statement"]["territory"]["packs"]
    assert "blocklist" not in told["statement"]["territory"]["packs"]
    refused = server.run_unchecked("report", "statements", *PERIOD, "--territory", "DE,US")
    assert refused.returncode == 2 and '"DE,US"' in refused.stderr
    assert server.run_unchecked("report", "statements", *PERIOD, "--territory", ",").returncode == 2


def test_a_statement_ends_with_its_listing(server):
    server.run("decide", "+493023125124", "--undo", "--by-program", "Ada")
    server.run("publish", *OPEN)
    ended = [
        statement for statement in map(json.loads, server.run("report", "statements", *PERIOD).splitlines())
        if "end_date_visibility_restriction" in statement]
    assert len(ended) == 1 and ended[0]["automated_decision"] == "AUTOMATED_DECISION_NOT_AUTOMATED"
    told = json.loads(server.run("explain", DECIDED, "--json"))["statement"]
    assert told["ground"] == "decision" and told["treatment"] == "identify" and told["decision_reason"] == "It is one."
    assert told["redress"]["appeal"] == "/appeal?number=493023125123" and told["automated_decision"] is False
    assert "statement" not in json.loads(server.run("explain", "+493023125199", "--json"))


def signed(server, key, right, reporter, **changes):
    """A request of an app's server about a reporter."""
    path = f"/v1/reporters/{right}"
    body = json.dumps({"reporter": reporter, "requested_at": datetime.now(timezone.utc).isoformat()} | changes)
    signature = hmac.new(key.encode(), f"{path}\n{body}".encode(), hashlib.sha256).hexdigest()
    return lambda: requests.post(server.address + path, data=body, timeout=60, headers={
        "Authorization": f"Bearer {key}", "Content-Type": "application/json", "Ringfence-Signature": f"v1={signature}"})


def files(folder):
    return [path for path in Path(folder).rglob("*") if path.is_file()]


def test_a_restored_backup_applies_the_erasures_since(make_server, tmp_path):
    server = make_server()
    key = server.run("app", "create", "App", "--scopes", "report,vouch")
    other = server.run("app", "create", "Other", "--scopes", "report,vouch")
    plain = server.run("app", "create", "Plain", "--scopes", "report")
    for sender, secret in [(key, "A bakery at night."), (other, "Another app.")]:
        sent = requests.post(server.address + "/v1/reports", timeout=30, headers={"Authorization": f"Bearer {sender}"}, json={
            "number": "+493023125150", "category": "fraud", "reporter": "user-17", "report_id": str(uuid.uuid4()),
            "reported_at": datetime.now(timezone.utc).isoformat(), "comment": secret})
        assert sent.status_code == 201, sent.text
    send(server, "+493023125151", tmp_path)
    server.run("decide", "+493023125151", "--block", "--reason", "Fraud.", "--by-program", "Ada")
    server.run("publish", *OPEN)
    assert "+493023125151" in server.run("explain", "+493023125151")
    old = tmp_path / "backups" / "old.tar"
    old.parent.mkdir()
    server.run("backup", str(old))

    exported = signed(server, key, "export", "user-17")()
    assert exported.status_code == 200 and "A bakery at night." in exported.text and "Another app." not in exported.text
    [[pseudonym]] = server.query(
        "SELECT encode(reporter, 'hex') FROM reports WHERE comment = 'A bakery at night.'")
    # Nothing tells whether a reporter is known, and other keys reach nothing.
    unknown = signed(server, key, "export", "nobody")().json()
    assert unknown["found"] == 0 and all(not rows for rows in unknown["data"].values())
    assert signed(server, plain, "erase", "user-17")().status_code == 403
    late = signed(server, key, "erase", "user-17", requested_at="2026-01-01T00:00:00Z")()
    assert late.status_code == 403 and late.json()["type"] == "/problems/bad-proof"
    wrong = signed(server, key, "erase", "user-17", requested_at="yesterday")()
    assert wrong.status_code == 400 and wrong.json()["errors"][0]["pointer"] == "/requested_at"
    missing = signed(server, key, "erase", None)()
    assert missing.status_code == 400 and missing.json()["errors"][0]["code"] == "missing"
    erase = signed(server, key, "erase", "user-17")
    erased = erase()
    assert erased.status_code == 200 and erased.json() == {"found": 1}
    assert erase().json()["type"] == "/problems/bad-proof", "a replay"
    server.run("rights", "suppress", "+493023125151", "--reason", "Asked.", "--by-program", "Ada")
    assert "no differences" in server.run("recount")

    new = tmp_path / "backups" / "new"
    server.run("backup", str(new))
    journal = (old.parent / "erasures.jsonl").read_text()
    assert pseudonym not in journal and "493023125151" not in journal and journal.count("\n") == 2
    dump = tmp_path / "dump.sql"
    with dump.open("w") as file:
        socket = (server.data / "server.lock").read_text().split("\n")[1]
        subprocess.run(["pg_dump", "-h", socket, "-U", "ringfence", "ringfence"], stdout=file, check=True)
    text = dump.read_text()
    assert pseudonym not in text and "A bakery at night." not in text and "Another app." in text
    for path in files(server.data / "publications") + [server.log, server.output]:
        assert pseudonym.encode() not in path.read_bytes() and b"user-17" not in path.read_bytes(), path

    restored = RingfenceServer(tmp_path / "restored")
    said = subprocess.run(
        [BINARY, "restore", str(old), "--data", str(restored.data)], capture_output=True, text=True, env=environment(),
        timeout=300)
    assert said.returncode == 0, said.stderr
    assert "1 suppressed number, 1 reporter" in said.stdout
    # A backup has no empty folders, and scripts that copy publications expect all of them.
    assert (restored.data / "publications" / "deltas").is_dir()
    restored.start()
    assert restored.query("SELECT count(*) FROM reports WHERE comment = 'A bakery at night.'") == [["0"]]
    assert restored.query("SELECT count(*) FROM reports WHERE comment = 'Another app.'") == [["1"]]
    assert restored.query(f"SELECT count(*) FROM number_reporters WHERE encode(reporter, 'hex') = '{pseudonym}'") == [["0"]]
    assert "no differences" in restored.run("recount")
    open_revocations = "SELECT count(*) FROM revocations WHERE settled_at IS NULL"
    wait_until(lambda: restored.query(open_revocations) == [["0"]], 120, "the suppressed number to be revoked")
    lines = restored.data / "erasures.jsonl"
    lines.rename(lines.with_suffix(".other"))
    assert "Nothing to repeat" in restored.run("rights", "repeat")
    lines.with_suffix(".other").rename(lines)
    # As after a restore by PostgreSQL's own tools.
    restored.query("DELETE FROM protected_numbers WHERE number = 493023125151")
    assert "1 suppressed number, 0 reporters" in restored.run("rights", "repeat")
    empty = restored.run_unchecked("rights", "repeat", "--erasures", str(tmp_path / "none"))
    assert empty.returncode == 1 and "none has no lines" in empty.stderr
    # Neither an import nor the decision of the backup lists the number.
    (tmp_path / "again").mkdir()
    send(restored, "+493023125151", tmp_path / "again", count=14)
    restored.run("publish", *OPEN)
    assert restored.query("SELECT count(*) FROM listings WHERE number = 493023125151") == [["0"]]
    refused = restored.run_unchecked("protect", "remove", "+493023125151")
    assert refused.returncode == 1 and "--lift" in refused.stderr
    refused = restored.run_unchecked("rights", "suppress", "+493023125151", "--reason", "")
    assert refused.returncode == 2 and "--reason" in refused.stderr
    restored.run("rights", "suppress", "+493023125151", "--lift", "--reason", "A new owner.", "--by-program", "Ada")
    restored.run("publish", *OPEN)
    assert restored.query("SELECT count(*) FROM listings WHERE number = 493023125151") == [["1"]]
    restored.close()
    # A key that was changed since cannot read the lines of the former one.
    changed = subprocess.run(
        [BINARY, "restore", str(old), "--data", str(tmp_path / "changed")], capture_output=True, text=True,
        env=environment() | {"RINGFENCE_PSEUDONYM_KEY": "ab" * 32}, timeout=300)
    assert changed.returncode == 0, changed.stderr
    days = {json.loads(line)["time"][:10] for line in journal.splitlines()}
    assert "Not repeated: 1 erasure (20" in changed.stdout and "; 1 suppression (20" in changed.stdout
    assert f"Restore a backup from after {max(days)} instead." in changed.stdout and "Not repeated" not in said.stdout
    missing = subprocess.run(
        [BINARY, "restore", str(old), "--data", str(tmp_path / "x"), "--erasures", str(tmp_path / "none")],
        capture_output=True, text=True, env=environment(), timeout=60)
    assert missing.returncode == 3 and "--erasures" in missing.stderr


def test_the_owner_reads_the_data_with_a_code(server):
    code = server.run("rights", "code", DECIDED, "--by-program", "Ada").splitlines()[0]
    session = requests.Session()

    def enter(code):
        return session.post(server.address + "/rights/code", data={"number": DECIDED, "code": code}, timeout=30)

    wrong = enter("0000 0000" if code != "0000 0000" else "0000 0001")
    assert wrong.status_code == 422 and "not valid for this number" in wrong.text
    national = session.post(server.address + "/rights/code", data={"number": "030 23125123", "code": code}, timeout=30)
    assert national.status_code == 422 and "plus sign" in national.text.split("code-problem")[-1]
    page = enter(code)
    assert page.status_code == 200 and "/rights/" in page.url and "It is one." in page.text and "Ada" not in page.text
    data = session.get(page.url + "/data.json", timeout=30)
    assert data.headers["cache-control"] == "no-store" and data.json()["number"] == DECIDED
    assert data.json()["data"]["decisions"][0]["reason"] == "It is one." and "Ada" not in data.text
    assert enter(code).status_code == 422, "a replay"
    assert session.get(server.address + "/rights/" + "A" * 32, timeout=30).status_code == 404
    for statement, problem in [("", "in one or two sentences"), ("It is my shop." * 200, "too long")]:
        refused = session.post(page.url + "/object", data={"statement": statement}, timeout=30)
        assert refused.status_code == 422 and problem in refused.text and f">{statement}</textarea>" in refused.text
    objection = session.post(page.url + "/object", data={"statement": "It is my shop."}, timeout=30)
    assert objection.status_code == 200 and "/appeal/" in objection.url
    again = session.post(page.url + "/object", data={"statement": "It is my shop."}, timeout=30)
    assert again.url == objection.url, "a second click"
    other = session.post(page.url + "/object", data={"statement": "And my home."}, timeout=30)
    assert other.status_code == 422 and "with this code" in other.text
    refused = server.run_unchecked("appeals", "answer", DECIDED, "--uphold", "--by-program", "Ada")
    assert refused.returncode == 1 and "balance" in refused.stderr
    shown = server.run("rights", "show", DECIDED, "--by-program", "Ada")
    assert json.loads(shown)["data"]["appeals"][0]["is_objection"] is True
    suppressed = session.post(page.url + "/suppress", timeout=30)
    assert suppressed.status_code == 200 and suppressed.text.count("kept off the list") == 1
    actions = {row[0] for row in server.query("SELECT action FROM audit_events WHERE subject = '" + DECIDED + "'")}
    assert {"right.code", "right.enter", "right.access", "right.suppress"} <= actions
    for _ in range(2):
        server.run("rights", "code", DECIDED)
    assert "3 codes today" in server.run_unchecked("rights", "code", DECIDED).stderr


def test_a_report_of_a_period_has_the_counts_of_the_audit_log(server):
    report = json.loads(server.run("report", "transparency", *PERIOD, "--format", "json"))
    decided = server.query("SELECT count(*) FROM audit_events WHERE action IN ('decision.block', 'decision.identify', 'decision.allow')")
    assert sum(group["count"] for group in report["decisions"]) == int(decided[0][0])
    stated = server.query("SELECT count(*) FROM statements")
    assert sum(group["count"] for group in report["listings"]) == int(stated[0][0])
    undone = server.query("SELECT count(*) FROM audit_events WHERE action IN ('decision.undo', 'appeal.uphold')")
    assert report["reversals"] == int(undone[0][0])
    text = server.run("report", "transparency", *PERIOD)
    assert text.startswith("# 2026-01-01 – 2037-12-31") and "## Listings" in text and "| Category |" in text
    rows = list(csv.reader(server.run("report", "transparency", *PERIOD, "--format", "csv").splitlines()))
    assert ["Listings", "Category", "Treatment", "Automation", "Count"] in rows


def test_the_page_refuses_codes_beyond_the_limit_of_the_day(make_server):
    server = make_server(
        "--appeal-delay", "0", RINGFENCE_OWNER_CODES="https://127.0.0.1:9/", RINGFENCE_OWNER_CODES_PER_DAY="1")

    def ask(number, stamp=None):
        stamp = stamp or re.search(r'name="stamp" value="([^"]+)"', requests.get(
            server.address + "/rights", timeout=30).text)[1]
        return requests.post(server.address + "/rights", data={"number": number, "stamp": stamp}, timeout=30)

    sent = ask("+493023125160")
    assert sent.status_code == 200 and "it gets a code" in sent.text
    for number in ["+493023125160", "+493023125161"]:
        refused = ask(number)
        assert refused.status_code == 429 and "The server sends no more codes today" in refused.text
    # The form has kept its input, and can be sent again.
    stamp = re.search(r'name="stamp" value="([^"]+)"', refused.text)[1]
    assert "+493023125161" in refused.text.replace(" ", "") and ask("+493023125161", stamp).status_code == 429
    assert server.query("SELECT count(*) FROM owner_codes") == [["1"]]
    server.close()


def test_the_doctor_counts_the_codes_for_the_gateway(server):
    def found(**variables):
        done = server.run_unchecked("doctor", "--json", **variables)
        return next((one for one in json.loads(done.stdout) if one["what"] == "owner codes"), None)

    gateway = {"RINGFENCE_OWNER_CODES": "https://gateway.example.org/"}
    assert found() is None
    assert found(**gateway)["found"] == "0 sent today of at most 500"
    server.query(
        "INSERT INTO owner_codes (number, day, place, code_hash, expires_at, is_sent) "
        "SELECT 493023125300 + n, floor(extract(epoch FROM statement_timestamp()) / 86400)::integer, 1, sha256('x'), "
        "statement_timestamp() + interval '15 minutes', true FROM generate_series(1, 2) n")
    limited = found(**gateway, RINGFENCE_OWNER_CODES_PER_DAY="2")
    assert limited["state"] == "warning" and limited["found"] == "2 sent today of at most 2"
    assert found(**gateway, RINGFENCE_OWNER_CODES_PER_DAY="0")["found"] == "2 sent today"


def test_the_doctor_finds_data_past_its_time(server):
    def found():
        done = server.run_unchecked("doctor", "--json")
        return next(one for one in json.loads(done.stdout) if one["what"] == "retention")

    assert found()["state"] == "ok"
    server.query(
        "INSERT INTO owner_codes (number, day, place, code_hash, expires_at) "
        "VALUES (493023125199, 1, 1, sha256('x'), '2026-01-01T00:00:00Z')")
    assert found()["state"] == "bad" and "owner_proofs" in found()["found"]
    server.query("DELETE FROM owner_codes WHERE number = 493023125199")
    server.query("INSERT INTO deletions (kind, deleted_at, rows) VALUES ('networks', statement_timestamp(), 7)")
    assert "\tnetworks\t7" in server.run("retention", "show")
