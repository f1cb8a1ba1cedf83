"""Compares every response of a running server with Resources/openapi.yaml."""

import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

import openapi_spec_validator
import pytest
import requests
import yaml

import publications
from ringfence_server import BINARY, CHECKOUT, START_SECONDS, environment

# Values from responses are tried only in sequences: the time at which a list expires is not a time of a report.
CONFIG = """
color = false
headers = { Authorization = "Bearer ${RINGFENCE_KEY}" }
[generation]
deterministic = true
mode = "all"
max-examples = 40
[phases.examples]
extra-data-sources = { responses = false }
[phases.coverage]
extra-data-sources = { responses = false }
[phases.fuzzing]
extra-data-sources = { responses = false }
# No random value is the proof of a phone.
[[operations]]
include-name = "POST /v1/installations"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "422", "5xx"]
"""
# Uses the names in the documents.
RECIPES = """
recipes:
  - {name: toxic, kind: identification, top: 100000, formats: [csv]}
  - {name: blocklist, kind: blocking, top: 100000}
"""
DESCRIPTION = CHECKOUT / "Resources/openapi.yaml"
DOCUMENT = CHECKOUT / "Documentation/api.md"


@pytest.fixture(scope="module")
def server(make_server):
    """A server with sample data and without limits, because a refusal would hide a response."""
    return make_server("--demo", "--no-limits")


@pytest.fixture(scope="module")
def published(make_server, tmp_path_factory):
    """A server with two publications: every folder of the API has files."""
    server = make_server("--no-limits")
    (server.data / "recipes.yaml").write_text(RECIPES)
    for seed, count in ((5, 40_000), (6, 2_000)):
        complaints = tmp_path_factory.mktemp("complaints") / "complaints.jsonl"
        subprocess.run(
            [BINARY, "simulate", "--seed", str(seed), "--complaints", str(count), "--out", str(complaints)],
            check=True, env=environment(), timeout=START_SECONDS)
        server.run("import", "complaints", str(complaints), "--format", "jsonl")
        server.run("publish")
    return server


def parts(server):
    """The digests of a bin and a description of the newest manifest, as the documents' variables."""
    folder = server.data / "publications"
    paths = publications.parts(folder, publications.manifest(folder))
    first = {path.split("/")[0]: Path(path).stem for path in reversed(paths)}
    return {"BIN": first["bins"], "DESCRIPTION": first["descriptions"]}


@pytest.fixture(scope="module")
def document(server):
    return requests.get(server.address + "/openapi.json", timeout=30).json()


def operations(document):
    return {operation["operationId"]: (method, path, operation)
            for path, methods in document["paths"].items() for method, operation in methods.items()}


def test_the_description_is_openapi(document):
    assert document["openapi"].startswith("3.1.")
    openapi_spec_validator.validate(document)


def test_the_file_is_openapi_and_what_is_served(document):
    """PyYAML reads the file as Yams does. The file's first lines explain the server's changes."""
    start = document["components"]["schemas"]["Report"]["examples"][0]["reported_at"]
    written = yaml.safe_load(DESCRIPTION.read_text().replace("${NOW}", start).replace("${TODAY}", start[:10]))
    openapi_spec_validator.validate(written)
    decided = 0
    for _, _, operation in operations(written).values():
        if operation["security"] == [{}, {"key": []}]:
            decided += 1
            operation["security"] = []
            del operation["x-scope"]
            operation["responses"] = {
                status: response for status, response in operation["responses"].items()
                if status not in ("401", "403", "429")}
            [sample] = operation["x-codeSamples"]
            operation["x-codeSamples"] = [
                sample | {"source": sample["source"].replace(' -H "Authorization: Bearer $KEY"', "")}]
    assert decided == 12
    assert written == document


@pytest.mark.parametrize("text, reason", [(None, "does not exist"), ("openapi: [", "not valid YAML")])
def test_the_server_does_not_start_without_the_file(tmp_path, text, reason):
    home = tmp_path / "home"
    (home / "Resources").mkdir(parents=True)
    installed = Path(environment()["RINGFENCE_HOME"])
    for entry in [*installed.iterdir(), *(installed / "Resources").iterdir()]:
        link = home / entry.relative_to(installed)
        if not link.exists() and entry.name != DESCRIPTION.name:
            link.symlink_to(entry)
    file = home / "Resources" / DESCRIPTION.name
    if text:
        file.write_text(text)
    done = subprocess.run(
        [BINARY, "serve", "--data", tmp_path / "data", "--port", "0"], env=environment() | {"RINGFENCE_HOME": str(home)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_SECONDS)
    assert done.returncode == 1
    assert f'"{file}"' in done.stderr and reason in done.stderr


# The moderation API refuses decisions by rules that are no part of the schema, takes any text as a file, of which a dry run
# names the wrong rows, and keeps a bulk decision that is undone.
@pytest.mark.parametrize("scopes, arguments", [
    pytest.param("report,identify,lookup,fetch,vouch,install", [], id="apps"),
    pytest.param("moderate,administer", [
        "--include-path-regex", "^/v1/moderation/", "--exclude-checks",
        "positive_data_acceptance,negative_data_rejection,use_after_free"], id="moderation")])
def test_every_answer_is_as_described(server, scopes, arguments, tmp_path):
    """Runs Schemathesis over examples, boundaries, random values and sequences."""
    key = server.run("app", "create", f"Tester of {scopes.split(',')[0]}", "--scopes", scopes)
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG)
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", config, "run",
         server.address + "/openapi.json", "--checks", "all", "--workers", "1", "--suppress-health-check", "all", *arguments],
        env=environment() | {
            "RINGFENCE_KEY": key, "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
            "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True, text=True, timeout=300, cwd=tmp_path)
    artefacts = CHECKOUT / "artefacts"
    artefacts.mkdir(exist_ok=True)
    (artefacts / "schemathesis.txt").write_text(done.stdout + done.stderr)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def moderated(server, key):
    """A decision and a file of decisions, as the documents' variables."""
    ids = {"DECISION_ID": str(uuid.uuid4()), "BULK_ID": str(uuid.uuid4())}
    for path, name, body, kind in [
        ("cases/33199000250/decisions", "DECISION_ID", '{"decision":"allow","reason":"Checked."}', "application/json"),
        ("bulks", "BULK_ID", '{"number":"+33199000252","decision":"allow","reason":"Checked."}', "application/x-ndjson"),
    ]:
        answer = requests.post(f"{server.address}/v1/moderation/{path}", data=body, timeout=30, headers={
            "Authorization": f"Bearer {key}", "Content-Type": kind, "Idempotency-Key": ids[name]})
        assert answer.status_code in (201, 202), answer.text
    return ids


def test_every_example_command_works(published, document, tmp_path):
    """Runs every command of the documentation."""
    scopes = "report,identify,lookup,fetch,vouch,moderate,administer,install"
    server, key = published, published.run("app", "create", "Tester", "--scopes", scopes)
    moderation = moderated(server, key)
    report = str(uuid.uuid4())
    sent = requests.post(server.address + "/v1/reports", headers={"Authorization": f"Bearer {key}"}, timeout=30, json={
        "number": "+33199000248", "category": "fraud", "reporter": "me", "report_id": report,
        "reported_at": datetime.now(timezone.utc).isoformat()})
    assert sent.status_code == 201, sent.text
    tool = tmp_path / "uuidgen"
    tool.write_text("#!/bin/sh\ncat /proc/sys/kernel/random/uuid\n")
    tool.chmod(0o755)
    known = environment() | {
        "SERVER": server.address, "KEY": key, "REPORT_ID": report,
        "METRICS_TOKEN": (server.data / "metrics.token").read_text().strip(), "PATH": f"{os.environ['PATH']}:{tmp_path}"
    } | parts(server) | moderation
    text = DOCUMENT.read_text()
    for name, (method, path, operation) in operations(document).items():
        command = operation["x-codeSamples"][0]["source"]
        assert command in text, f"{DOCUMENT.name} lacks the command of {name}"
        done = subprocess.run(["sh", "-c", command], env=known, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
        if method == "get" and "application/json" in operation["responses"]["200"]["content"] and "-O" not in command:
            json.loads(done.stdout)


def test_the_example_for_servers_of_apps_works(published, tmp_path):
    """Creates a key with the scope vouch and sends a report with it, as the document says."""
    section = DOCUMENT.read_text().partition("\n## Reports from your own server\n")[2].partition("\n## ")[0]
    [command] = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    program = f'ringfence() {{ "{BINARY}" "$@" --data "{published.data}"; }}\nuuidgen() {{ cat /proc/sys/kernel/random/uuid; }}\n'
    done = subprocess.run(
        ["bash", "-euc", program + command], env=environment() | {"SERVER": published.address}, cwd=tmp_path,
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and json.loads(done.stdout)["results"][0]["status"] == "created", done.stdout + done.stderr
    assert ["2024-03-05"] in published.query("SELECT since::text FROM vouched_reporters")


def test_every_path_of_the_documents_is_there(published, document):
    """Paths with a {member} are patterns, which are filled with the examples of their operations."""
    key = published.run("app", "create", "Reader")
    variables = parts(published)
    documents = [
        CHECKOUT / "README.md", DESCRIPTION, *sorted((CHECKOUT / "Documentation").rglob("*.md")),
        *sorted((CHECKOUT / "Docker").glob("*.md")), *sorted((CHECKOUT / "Sources").glob("*/*.docc/*.md"))]
    paths = {path.rstrip(".)") for file in documents
             for path in re.findall(r"/v1/[A-Za-z0-9][A-Za-z0-9_.%/${}()-]*", file.read_text())}
    for _, path, operation in operations(document).values():
        for parameter in operation.get("parameters", []):
            # A document cannot contain a valid digest.
            if parameter["name"] == "file" and not path.startswith(("/v1/bins/", "/v1/descriptions/")):
                paths.add(path.replace("{file}", parameter["example"]))
    asked = {re.sub(r"\$(BIN|DESCRIPTION)\b", lambda found: variables[found[1]], path) for path in paths
             if not re.search(r"[{(]|\$REPORT_ID", path)}
    assert {path.split("/")[2] for path in asked} >= {
        "reports", "manifest.json", "root.json", "packs", "deltas", "formats", "bins", "descriptions", "roots", "manifests"}
    # This path has its number in the query.
    asked = {f"{path}?number=33199000248" if path == "/v1/pbx" else path for path in asked}
    missing = [path for path in sorted(asked) if requests.get(
        published.address + path, headers={"Authorization": f"Bearer {key}"}, timeout=30).status_code == 404]
    assert not missing
