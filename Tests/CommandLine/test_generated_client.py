"""Calls a server with a typed client that openapi-python-client makes of the description, without a warning."""

import base64
import hashlib
import hmac
import importlib
import json
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

import pytest
import requests

import publications
from ringfence_server import CHECKOUT, environment

SCOPES = "report,identify,lookup,fetch,vouch,install,moderate,administer"
# A number of its own for each test.
NUMBERS = (f"+3319900{place:04d}" for place in range(100, 200))


@pytest.fixture(scope="module")
def server(make_server):
    """A server with sample data, and a publication with a number to block."""
    server = make_server("--demo", "--no-limits")
    server.run("decide", "+12015550123", "--block", "--category", "robocall", "--reason", "Confirmed by a call.", "--by-program", "Ada")
    server.run("publish")
    return server


@pytest.fixture(scope="module")
def generated(server, tmp_path_factory):
    """The modules of the client, made with the configuration of the document. A warning is an error."""
    folder = tmp_path_factory.mktemp("client")
    text = (CHECKOUT / "Documentation/api.md").read_text()
    (folder / "config.yaml").write_text(re.search(r"^```yaml\n(content_type_overrides:.*?)^```", text, re.M | re.S)[1])
    (folder / "openapi.json").write_text(requests.get(server.address + "/openapi.json", timeout=30).text)
    tools = environment()
    tools["PATH"] = f"{Path(sys.executable).parent}:{tools['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", "--path", "openapi.json", "--config", "config.yaml",
         "--meta", "none", "--output-path", "ringfence_api", "--fail-on-warning"],
        cwd=folder, env=tools, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "WARNING" not in done.stdout, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield importlib.import_module
    sys.path.remove(str(folder))


class Client:
    """Operations by tag and name, and models by name."""

    def __init__(self, load, address, key, **options):
        self.load = load
        self.key = key
        package = load("ringfence_api")
        self.client = package.AuthenticatedClient(
            base_url=address, token=key, raise_on_unexpected_status=True, **options)

    def __getattr__(self, name):
        """A model, or a type such as File."""
        return getattr(self.load("ringfence_api.models"), name, None) or getattr(self.load("ringfence_api.types"), name)

    def call(self, operation, *path, expected=200, **arguments):
        """The typed answer of an operation, such as reports.send_reports."""
        module = self.load(f"ringfence_api.api.{operation}")
        answer = module.sync_detailed(*path, client=self.client, **arguments)
        assert answer.status_code == expected, (operation, answer.status_code, answer.content)
        return answer.parsed

    def report(self, number):
        return self.Report(
            number=number, category=self.KnownCategory.FRAUD, reporter="user-17", report_id=uuid.uuid4(),
            reported_at=datetime.now(timezone.utc))

    def file(self, text):
        return self.File(payload=text.encode())


@pytest.fixture(scope="module")
def api(server, generated):
    return Client(generated, server.address, server.run("app", "create", "Generated", "--scopes", SCOPES))


def test_reports_and_counts(api):
    report = api.report(next(NUMBERS))
    answer = api.call("reports.send_reports", body=report, expected=201)
    assert (answer.status, answer.number) == (api.KnownReportStatus.CREATED, report.number)
    invalid = api.report("+1")
    batch = api.call("reports.send_reports", body=[report, invalid])
    assert isinstance(batch, api.BatchAnswer)
    assert [result.status for result in batch.results] == [api.KnownReportStatus.DUPLICATE, api.KnownReportStatus.INVALID]
    assert batch.results[1].errors[0].pointer == "/number"
    api.call("reports.withdraw_report", report.report_id, expected=204)
    problem = api.call("reports.send_reports", body=report, expected=410)
    assert problem.type_ is api.KnownProblemType.WITHDRAWN
    counts = api.IdentificationBatch(batch_id=uuid.uuid4(), items=[api.IdentificationItem(
        number=report.number, named=1, unknown=2, day=datetime.now(timezone.utc).date())])
    assert api.call("identifications.send_identifications", body=counts, expected=201).batch_id == counts.batch_id


def test_installations(api):
    installation = api.call("reports.create_installation", expected=201)
    assert isinstance(installation, api.Installation) and installation.token
    api.call("reports.revoke_installation", installation.installation_id, expected=204)
    challenge = api.call("reports.create_challenge", expected=201)
    assert isinstance(challenge.expires_at, datetime)
    proof = api.Attestation(platform=api.AttestationPlatform.IOS, challenge=challenge.challenge, key_id="S0VZ",
                            attestation="T0JKRUNU")
    refused = api.call("reports.create_installation", body=proof, expected=422)
    assert isinstance(refused, api.Problem) and isinstance(refused.try_again, api.KnownAttestationRetry)


def test_rights_of_a_reporter(server, generated, api):
    """A hook signs the bytes that are sent."""
    def sign(request):
        text = request.url.path.encode() + b"\n" + request.read()
        request.headers["Ringfence-Signature"] = "v1=" + hmac.new(api.key.encode(), text, hashlib.sha256).hexdigest()

    signed = Client(generated, server.address, api.key, httpx_args={"event_hooks": {"request": [sign]}})
    report = api.report(next(NUMBERS))
    api.call("reports.send_reports", body=report, expected=201)

    def asked():
        return {"body": api.ReporterRequest(reporter=report.reporter, requested_at=datetime.now(timezone.utc)),
                "ringfence_signature": "v1=" + "0" * 64}

    problem = api.call("reporters.export_reporter", expected=403, **asked())
    assert problem.type_ is api.KnownProblemType.BAD_PROOF
    data = signed.call("reporters.export_reporter", **asked()).data
    assert isinstance(data["reports"][0], api.StoredRow)
    for right, status in (("restrict", 204), ("release", 204), ("erase", 200)):
        signed.call(f"reporters.{right}_reporter", expected=status, **asked())
    assert signed.call("reporters.export_reporter", **asked()).data["reports"] == []


def test_publications_and_lookups(server, api):
    """Follows the manifest to a pack, and looks a number of it up."""
    envelope = api.call("publications.read_manifest")
    assert isinstance(envelope.signatures[0], api.Signature)
    head = json.loads(base64.b64decode(envelope.payload))
    descriptions = {}
    for digest in head["bins"]:
        descriptions |= api.call("publications.read_bin", f"{digest}.json").packs.additional_properties
    assert descriptions.keys() == {pack["name"] for pack in publications.manifest(server.data / "publications")["packs"]}
    pack = api.call("publications.read_pack_description", f"{descriptions['toxic']}.json")
    assert pack.kind == api.KnownPackKind.IDENTIFICATION and pack.entries > 0
    content = api.call("publications.download_pack", Path(pack.path).name).payload.read()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (pack.bytes_, pack.sha256)
    summary = api.call("publications.read_summary", region="DE")
    assert summary.serial == head["serial"] and summary.numbers.identification >= pack.entries
    assert "blocklist" in [item.pack for item in api.call("publications.read_lists").lists]

    explanation = api.call("numbers.explain_number", str(pack.first))
    assert isinstance(explanation.verdict, api.KnownVerdict) and explanation.account
    assert isinstance(explanation.as_of, datetime) and isinstance(explanation.explanation[0], api.CodedData)
    history = api.call("numbers.read_number_publications", f"+{pack.first}")
    assert any((place.pack, place.state) in (("toxic", state) for state in api.KnownEntryState) for place in history.packs)
    digest = hashlib.sha256(f"+{pack.first}".encode()).hexdigest()
    found = {entry.hash_: entry for entry in api.call("numbers.look_up_by_hash", digest[:4]).entries}
    caller = api.call("telephony.look_up_caller_as_json", str(pack.first))
    assert digest not in found or caller.verdict != api.Treatment.ALLOW
    assert api.call("telephony.look_up_caller_by_query", number=str(pack.first), as_=api.LookUpCallerByQueryAs.VERDICT) \
        == str(caller.verdict)
    assert isinstance(api.call("numbers.list_ranges"), api.RangeList)
    assert api.call("phone_block.look_up_phone_block_number", f"+{pack.first}").phone == f"+{pack.first}"


def test_every_figure_of_a_case_is_typed(api):
    """The demo data has cases with reports, so that the optional parts of an explanation are there."""
    listed = api.call("moderation.list_cases", limit=1000).cases
    assert listed and all(isinstance(cause, api.KnownQueueCause) for case in listed for cause in case.causes)
    cursor = api.call("moderation.list_cases", sort=api.ListCasesSort.HEAT, limit=1)
    assert api.call("moderation.list_cases", sort=api.ListCasesSort.HEAT, limit=1, cursor=cursor.next_).cases
    seen = set()
    for case in listed[:50]:
        explanation = api.call("moderation.read_case", case.number).explanation
        assert explanation.additional_properties == {}, "the answer has members that the description lacks"
        seen |= {name for name, kind in [
            ("categories", api.CategoryFigures), ("conditions", api.ListingCondition)]
            if getattr(explanation, name) and all(isinstance(part, kind) for part in getattr(explanation, name))}
        assert not explanation.hold or isinstance(explanation.hold, api.Hold)
        assert not explanation.weights or explanation.weights.full >= 0
    assert seen == {"categories", "conditions"}


def test_moderation(api):
    number, row, protected = next(NUMBERS), next(NUMBERS), next(NUMBERS)
    decision = uuid.uuid4()
    body = api.NewDecision(decision=api.Treatment.BLOCK, category="fraud", reason="Confirmed by calls.", expires_days=90)
    answer = api.call("moderation.decide_case", number, body=body, idempotency_key=str(decision), expected=201)
    assert (answer.status, answer.decision_id) == (api.KnownDecisionStatus.DECIDED, decision)
    note = api.NewNote(note="Called back.")
    api.call("moderation.add_note", number, body=note, idempotency_key=str(uuid.uuid4()), expected=204)
    case = api.call("moderation.read_case", number)
    assert (case.decisions[0].kind, case.decisions[0].category) == (api.KnownDecisionKind.BLOCK, api.KnownCategory.FRAUD)
    assert (case.notes[0].note, case.decision_in_force) == ("Called back.", decision)
    assert case.explanation.statement.ground == api.KnownStatementGround.DECISION
    assert case.explanation.decision.decision == api.Treatment.BLOCK
    api.call("moderation.undo_decision", number, decision, expected=204)

    bulk = uuid.uuid4()
    lines = json.dumps(api.DecisionRow(number=row, decision=api.Treatment.ALLOW, reason="Checked.").to_dict()) + "\n"
    checked = api.call("moderation.decide_file", body=api.file(lines), dry_run=True, idempotency_key=str(bulk))
    assert (checked.state, checked.rows) == (api.KnownBulkState.CHECKED, 1)
    assert api.call("moderation.decide_file", body=api.file(lines), idempotency_key=str(bulk), expected=202).bulk_id == bulk
    assert isinstance(api.call("moderation.read_bulk", bulk).state, api.KnownBulkState)

    protection = api.NewProtection(what=protected, reason="City hospital, switchboard")
    api.call("moderation.add_protected", body=protection, expected=204)
    replaced = api.call("moderation.add_protected", body=protection)
    assert replaced.replaced.reason == protection.reason
    assert protected in [item.what for item in api.call("moderation.list_protected", limit=10000).protected]
    api.call("moderation.remove_protected", protected, expected=204)
    log = api.call("moderation.read_audit_log", action="protection.", limit=3).payload.read()
    events = [api.AuditEvent.from_dict(json.loads(line)) for line in log.splitlines()]
    assert [event.subject for event in events] == [protected] * 3
    older = api.call("moderation.read_audit_log", action="protection.", limit=1, cursor=events[0].cursor).payload.read()
    assert json.loads(older)["id"] == str(events[1].id)


def test_other_clients_and_the_server(server, generated, api):
    """PhoneBlock's API, the state of the server, and a wrong key."""
    number = next(NUMBERS)
    rating = api.RatePhoneBlockNumberBody(phone=number, rating=api.PhoneRating.G_FRAUD)
    assert isinstance(api.call("phone_block.rate_phone_block_number", body=rating), str)
    api.call("phone_block.add_phone_block_blocked", number, expected=204)
    [personal] = api.call("phone_block.list_phone_block_blocked").numbers
    assert (personal.phone, personal.rating) == (number, api.PhoneRating.B_MISSED)
    assert "+12015550123" in [entry.phone for entry in api.call("phone_block.read_phone_block_list").numbers]
    assert api.call("server.check_liveness").status == api.StatusStatus.ALIVE
    stranger = Client(generated, server.address, "rf_none")
    assert stranger.call("numbers.list_ranges", expected=401).status == 401


def test_names_of_later_versions_are_texts(api):
    """An open enum keeps a name that the client does not know."""
    entry = {"pack": "toxic", "state": "whispered", "serial": 1, "since": "2026-11-21T02:00:00Z", "is_exact": True}
    assert api.PackEntry.from_dict(entry | {"later": 1}).state == "whispered"
    assert api.PackEntry.from_dict(entry | {"state": "block"}).state is api.KnownEntryState.BLOCK
