"""Reasons, reports, and rights of owners and reporters on the command line."""

import json
import re
import time
from pathlib import Path

import jsonschema
import pytest

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
    server.run("decide", DECIDED, "--identify", "A shop", "--reason", "It is one.", "--by", "Ada")
    server.run("decide", "+493023125124", "--block", "--reason", "Fraud.", "--by", "Ada")
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
    refused = server.run_unchecked("report", "statements", *PERIOD, "--territory", "DE,US")
    assert refused.returncode == 2 and '"US"' in refused.stderr


def test_a_statement_ends_with_its_listing(server):
    server.run("decide", "+493023125124", "--undo", "--by", "Ada")
    server.run("publish", *OPEN)
    ended = [
        statement for statement in map(json.loads, server.run("report", "statements", *PERIOD).splitlines())
        if "end_date_visibility_restriction" in statement]
    assert len(ended) == 1 and ended[0]["automated_decision"] == "AUTOMATED_DECISION_NOT_AUTOMATED"
    told = json.loads(server.run("explain", DECIDED, "--json"))["statement"]
    assert told["ground"] == "decision" and told["treatment"] == "identify" and told["decision_reason"] == "It is one."
    assert told["redress"]["appeal"] == "/appeal?number=493023125123" and told["automated_decision"] is False
    assert "statement" not in json.loads(server.run("explain", "+493023125199", "--json"))
