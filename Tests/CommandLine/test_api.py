"""Compares every response of a running server with Resources/openapi.yaml."""

import re
import subprocess
import sys
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
max-examples = 12
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
# Nor is one a token or the name of a pack.
[[operations]]
include-name = "POST /v1/remediations"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "422", "5xx"]
"""
# Refusals of wrong values. A batch with a wrong report, and a dry run of a file with wrong rows, are answered with 200.
REFUSED = "[400, 401, 403, 404, 405, 406, 409, 415, 422, 428, 429, '5xx'"
APPS = f"""
[[operations]]
include-operation-id = "sendReports"
checks.negative_data_rejection.expected-statuses = {REFUSED}, 200]
"""
# Rules that are no part of a schema refuse decisions with 422.
MODERATION = f"""
[checks.positive_data_acceptance]
expected-statuses = ['2xx', '3xx', 401, 403, 404, 409, 422, 429, '5xx']
[[operations]]
include-operation-id = "decideFile"
checks.negative_data_rejection.expected-statuses = {REFUSED}, 200]
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
        if operation["security"] == [{}, {"key": ["fetch"]}]:
            decided += 1
            operation["security"] = []
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


@pytest.mark.parametrize("scopes, rules, arguments", [
    pytest.param("report,identify,lookup,fetch,vouch,install", APPS, [], id="apps"),
    # A bulk decision that is undone can still be read. A proposal is created and is no decision that can be undone.
    pytest.param(
        "moderate,administer", MODERATION,
        ["--include-path-regex", "^/v1/moderation/", "--exclude-checks", "use_after_free,ensure_resource_availability"],
        id="moderation")])
def test_every_answer_is_as_described(server, scopes, rules, arguments, tmp_path):
    """Runs Schemathesis over examples, boundaries, random values and sequences."""
    key = server.run("app", "create", f"Tester of {scopes.split(',')[0]}", "--scopes", scopes)
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG + rules)
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "--config-file", config, "run",
         server.address + "/openapi.json", "--checks", "all", "--workers", "1", "--suppress-health-check", "all", *arguments],
        env=environment() | {
            "RINGFENCE_KEY": key, "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
            "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True, text=True, timeout=390, cwd=tmp_path)
    artefacts = CHECKOUT / "artefacts"
    artefacts.mkdir(exist_ok=True)
    (artefacts / "schemathesis.txt").write_text(done.stdout + done.stderr)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_every_command_of_the_document_works(published, document, tmp_path):
    """Types the document's commands in order in one shell, as a stranger does: each variable has its value by then."""
    text = DOCUMENT.read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for name, (method, path, operation) in operations(document).items():
        assert operation["x-codeSamples"][0]["source"].strip() + "\n" in blocks, f"{DOCUMENT.name} lacks the command of {name}"
    start = blocks[0].replace("http://127.0.0.1:8080", published.address).replace(".ringfence/", f"{published.data}/")
    assert start.count(str(published.data)) == start.count(published.address) == 1
    program = f'ringfence() {{ "{BINARY}" "$@" --data "{published.data}"; }}\n'
    shell = program + "".join(f"echo 'block {place}'\n{block}echo\n" for place, block in enumerate([start, *blocks[1:]]))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", shell], env=environment(), cwd=tmp_path, capture_output=True, text=True, timeout=180)
    last = re.findall(r"^block (\d+)$", done.stdout, re.MULTILINE)[-1]
    assert done.returncode == 0, (blocks[int(last)], done.stdout[-2000:], done.stderr[-2000:])
    assert {file.suffix for file in tmp_path.iterdir()} >= {".json", ".rfpack", ".rfdelta", ".csv"}
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
             if not re.search(r"[{(]|\$REPORT_ID|\$SERIAL", path)}
    assert {path.split("/")[2] for path in asked} >= {
        "reports", "manifest.json", "root.json", "packs", "deltas", "formats", "bins", "descriptions", "roots", "manifests"}
    # This path has its number in the query.
    asked = {f"{path}?number=33199000248" if path == "/v1/pbx" else path for path in asked}
    missing = [path for path in sorted(asked) if requests.get(
        published.address + path, headers={"Authorization": f"Bearer {key}"}, timeout=30).status_code == 404]
    assert not missing
