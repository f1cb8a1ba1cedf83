"""Every SQL statement of the server has a shape that runs on PostgreSQL and on Citus.

Citus is in no package of Debian, so the shapes that it refused are rules (statement_rules.py). The statements and the
placement of the tables come from the Swift test StatementListTests, which prints them as PostgreSQL receives them.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import statement_rules
from statement_rules import RULES

CHECKOUT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("RINGFENCE_BINARY", CHECKOUT / ".build/debug/ringfence")).parents[1]

PLACEMENTS = {
    "numbers": "distributed", "reports": "distributed", "listings": "distributed", "number_decisions": "distributed",
    "apps": "reference", "publications": "local",
}

# Statements that the server sends only to a database without Citus, each with the one that it sends to a cluster.
NOT_ON_A_CLUSTER = {"acceptReports": "acceptReportsByNumber"}

# For each rule, statements that it refuses.
REFUSED = {
    "several-commands": ["SET LOCAL lock_timeout = '2s'; DROP TABLE reports_2025_01"],
    "analyze-several": ["ANALYZE numbers, listings", "ANALYZE"],
    "correlated-group": [
        "SELECT i.ordinal, found.state FROM unnest($1::bigint[]) WITH ORDINALITY AS i (app_id, ordinal)"
        " CROSS JOIN LATERAL (SELECT min(r.category_id) AS state FROM reports r WHERE r.app_id = i.app_id) found",
        "SELECT n.number, (SELECT count(*) FROM reports r WHERE r.number = n.number) FROM numbers n",
        "SELECT (SELECT count(*) FROM reports r WHERE r.number = n.number) FROM numbers n WHERE n.number = $1 OR n.heat > 1",
        "SELECT (SELECT count(*) FROM reports r WHERE r.number = $2 AND r.app_id = n.reports) FROM numbers n"
        " WHERE n.number = $1",
        "SELECT n.number, v.category_id FROM numbers n CROSS JOIN LATERAL"
        " (SELECT r.category_id FROM reports r WHERE r.number = n.number GROUP BY r.category_id) v",
        "SELECT n.number FROM numbers n, LATERAL (SELECT DISTINCT r.app_id FROM reports r WHERE r.number = n.number) v",
    ],
    "correlated-limit": [
        "SELECT n.number, (SELECT r.category_id FROM reports r WHERE r.number = n.number ORDER BY r.weight LIMIT 1)"
        " FROM numbers n",
        "SELECT n.number, t.category_id FROM numbers n LEFT JOIN LATERAL (SELECT r.category_id FROM reports r"
        " WHERE r.number = n.number LIMIT 1) t ON true WHERE n.number = ANY($1)",
    ],
    "correlated-window": [
        "SELECT n.number, t.place FROM numbers n CROSS JOIN LATERAL (SELECT row_number() OVER (ORDER BY r.weight) AS place"
        " FROM reports r WHERE r.number = n.number) t",
    ],
    "outer-join-of-function": [
        "SELECT t.number, n.heat FROM unnest($1::bigint[]) AS t (number) LEFT JOIN numbers n ON n.number = t.number",
        "SELECT g.number, n.heat FROM generate_series($1::bigint, $2) AS g (number) LEFT JOIN numbers n USING (number)",
        "SELECT n.heat FROM numbers n RIGHT JOIN (VALUES (1::bigint), (2)) AS v (number) ON v.number = n.number",
        "WITH wanted AS (SELECT number FROM listings) SELECT w.number, n.heat FROM wanted w"
        " LEFT JOIN numbers n ON n.number = w.number",
    ],
    "outer-join-of-limit": [
        "SELECT q.number, n.heat FROM (SELECT * FROM listings ORDER BY number LIMIT 50) q"
        " LEFT JOIN numbers n ON n.number = q.number",
        "SELECT q.number, n.heat FROM numbers n RIGHT JOIN (SELECT number FROM listings OFFSET $1) q USING (number)",
    ],
    "several-shards": [
        "SELECT n.heat, l.number FROM numbers n, listings l WHERE n.number = $1 AND l.number > $2",
        "SELECT n.heat FROM numbers n WHERE n.number = $1 AND EXISTS (SELECT 1 FROM listings l WHERE l.number = ANY($2))",
    ],
    "correlated-function": [
        "SELECT t.number FROM unnest($1::bigint[]) AS t (number)"
        " WHERE NOT EXISTS (SELECT 1 FROM numbers n WHERE n.number = t.number)",
    ],
    "cte-columns": [
        "WITH change (number, heat) AS (SELECT number, heat FROM numbers UNION ALL SELECT number, 0 FROM listings)"
        " SELECT number, sum(heat) FROM change GROUP BY number",
    ],
    "generic-plan": [
        "SELECT set_config('plan_cache_mode', 'force_generic_plan', true)",
        "SET LOCAL plan_cache_mode = force_generic_plan",
    ],
    "catalog-join": [
        "SELECT a.name FROM apps a WHERE NOT EXISTS (SELECT 1 FROM pg_stat_activity s WHERE s.application_name = a.name)",
        "SELECT c.relname FROM pg_class c JOIN numbers n ON true",
    ],
    "temporary-join": [
        "DELETE FROM listings l WHERE NOT EXISTS (SELECT 1 FROM listed t WHERE t.number = l.number)",
        "INSERT INTO listings (number) SELECT t.number FROM listed t",
    ],
    "local-join": ["SELECT l.number FROM listings l JOIN publications p ON p.serial = l.serial"],
    "key-without-number": ["INSERT INTO reports (number) VALUES ($1) ON CONFLICT (report_id) DO NOTHING"],
    "reference-change": [
        "WITH a AS (INSERT INTO apps (name) VALUES ($1) RETURNING app_id)"
        " INSERT INTO reports (number, app_id) SELECT $2, app_id FROM a",
    ],
}

# Statements that no rule refuses, among them those that name one number and the shapes that ran in place of others.
ALLOWED = [
    "SELECT l.number, n.heat FROM listings l LEFT JOIN numbers n ON n.number = l.number ORDER BY l.number LIMIT 50",
    "SELECT number, heat FROM numbers WHERE number = ANY($1::bigint[])",
    "SELECT n.heat FROM numbers n LEFT JOIN apps a ON a.app_id = $2 WHERE n.number = $1",
    "SELECT n.heat, (SELECT count(*) FROM reports r WHERE r.number = $1 AND r.app_id = n.reports) FROM numbers n"
    " JOIN listings l USING (number) WHERE n.number = $1",
    "SELECT n.heat, (SELECT count(*) FROM reports r WHERE r.number = n.number) FROM numbers n WHERE n.number = $1",
    "SELECT $1::bigint, n.heat FROM (SELECT 1) one LEFT JOIN numbers n ON n.number = $1",
    "SELECT t.number, n.heat FROM (SELECT number FROM numbers WHERE number = ANY($1) UNION"
    " SELECT number FROM listings WHERE number = ANY($1)) t LEFT JOIN numbers n ON n.number = t.number",
    "WITH input AS (SELECT * FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS t (app_id, report_id, ordinal))"
    " SELECT i.ordinal, min(r.category_id) FROM input i JOIN reports r ON r.app_id = i.app_id"
    " AND r.report_id = i.report_id GROUP BY i.ordinal",
    "SELECT number, category_id FROM (SELECT number, category_id, row_number() OVER (PARTITION BY number"
    " ORDER BY weight DESC) AS place FROM reports WHERE number = ANY($1)) t WHERE place = 1",
    "INSERT INTO numbers AS n (number, heat) SELECT number, heat FROM unnest($1::bigint[], $2::float8[]) AS t (number, heat)"
    " ON CONFLICT (number) DO UPDATE SET heat = n.heat + excluded.heat",
    "INSERT INTO publications (serial) SELECT max(serial) FROM listings",
    "SELECT n.number FROM numbers n WHERE EXISTS (SELECT 1 FROM listings l WHERE l.number = n.number)",
]


# A rule for a range is found by its digits: as a distributed table, every shard would have to answer.
RANGE = "SELECT pattern FROM ranges WHERE prefix = ANY($1::bigint[])"


@pytest.fixture(scope="module")
def statements(tmp_path_factory):
    path = tmp_path_factory.mktemp("statements") / "statements.json"
    done = subprocess.run(
        ["swift", "test", "--scratch-path", BUILD, "--skip-build", "--filter", "StatementListTests"], cwd=CHECKOUT,
        env={**os.environ, "RINGFENCE_STATEMENT_LIST": str(path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(path.read_text())


def test_every_rule_refuses_its_examples():
    assert REFUSED.keys() == RULES.keys()
    for rule, examples in REFUSED.items():
        for sql in examples:
            assert rule in statement_rules.violations(sql, PLACEMENTS), f"{rule}: {sql}"


def test_other_shapes_are_allowed():
    for sql in ALLOWED:
        assert statement_rules.violations(sql, PLACEMENTS) == [], sql


def test_a_look_up_of_several_shards_is_found():
    assert statement_rules.is_of_one_shard(RANGE, PLACEMENTS | {"ranges": "reference"})
    assert not statement_rules.is_of_one_shard(RANGE, PLACEMENTS | {"ranges": "distributed"})
    assert not statement_rules.is_of_one_shard(REFUSED["several-shards"][0], PLACEMENTS)
    assert statement_rules.is_of_one_shard(ALLOWED[2], PLACEMENTS)


def test_a_look_up_goes_to_one_shard(statements):
    """A worker that is down then affects its own numbers only."""
    names = set(re.findall(r"SQL\.(\w+)\(", (CHECKOUT / "Sources/Storage/Numbers/ExplanationQuery.swift").read_text()))
    names.add("findCaller")
    found = [statement for statement in statements["statements"] if statement["name"] in names]
    assert len(found) > 15 and "readRangesOfNumber" in names
    for statement in found:
        assert statement_rules.is_of_one_shard(statement["sql"], statements["placements"]), statement["name"]


def test_no_statement_has_a_shape_that_citus_refuses(statements):
    found = []
    assert {*NOT_ON_A_CLUSTER, *NOT_ON_A_CLUSTER.values()} <= {statement["name"] for statement in statements["statements"]}
    for statement in statements["statements"]:
        if statement["name"] in NOT_ON_A_CLUSTER:
            continue
        for rule in statement_rules.violations(statement["sql"], statements["placements"]):
            found.append(f"{statement['name']}: {rule}: {RULES[rule]}")
    print(f"{len(statements['statements'])} statements, {len(RULES)} rules, {len(found)} findings")
    assert not found, "\n".join(found)
