"""Every SQL statement of the server has a shape that runs on PostgreSQL and on Citus.

Citus is in no package of Debian, so the shapes that it refused are rules (statement_rules.py). The statements are those
that the programs of `make test` have sent: each writes them to the folder RINGFENCE_STATEMENTS, as PostgreSQL receives
them. Without that folder only the rules are tested.
"""

import os
import re
from pathlib import Path

import pytest

import statement_rules
from statement_rules import RULES

CHECKOUT = Path(__file__).resolve().parents[2]
STORAGE = CHECKOUT / "Sources/Storage"

PLACEMENTS = {
    "numbers": "distributed", "reports": "distributed", "listings": "distributed", "number_decisions": "distributed",
    "apps": "reference", "regions": "reference", "publications": "local",
}

# On a cluster the first two name the tables of a shard, and PostgreSQL plans them without Citus. The others are sent to
# a database without Citus alone.
NOT_TO_CITUS = {
    "Storage/AcceptReports.swift acceptReports", "Storage/AcceptReports.swift compareReports", "Storage/BulkImport.swift fill",
    "Storage/BulkImport.swift findListReports", "Storage/ReportRehearsal.swift copyRows"}


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
    "correlated-union": [
        "SELECT EXISTS (SELECT 1 FROM reports r WHERE r.number = l.number) FROM (SELECT number FROM listings WHERE number = $1"
        " UNION ALL SELECT $1::bigint FROM apps WHERE app_id = $2) l WHERE l.number = $1",
    ],
    "correlated-reference": [
        "SELECT r.number FROM reports r WHERE r.weight <> (SELECT a.app_id FROM apps a"
        " WHERE a.app_id = (SELECT max(o.app_id) FROM apps o WHERE o.app_id <= r.app_id))",
        "SELECT r.number FROM reports r WHERE r.weight <> (SELECT a.app_id FROM apps a JOIN regions g ON true"
        " WHERE a.app_id = (SELECT max(app_id) FROM apps) AND g.region = r.comment)",
    ],
    "returning-parameter": [
        "INSERT INTO numbers (number, heat) SELECT t.number, $2 FROM unnest($1::bigint[]) AS t (number)"
        " ON CONFLICT (number) DO NOTHING RETURNING number, heat = $2",
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
    "SELECT EXISTS (SELECT 1 FROM reports r WHERE r.number = $1) FROM (SELECT number FROM listings WHERE number = $1"
    " UNION ALL SELECT $1::bigint FROM apps WHERE app_id = $2) l WHERE l.number = $1",
    "SELECT r.number FROM reports r WHERE r.weight <> (SELECT a.app_id FROM apps a LEFT JOIN apps o ON o.app_id = r.app_id"
    " ORDER BY a.app_id DESC LIMIT 1)",
    "INSERT INTO numbers (number, heat) SELECT t.number, $2 FROM unnest($1::bigint[]) AS t (number)"
    " ON CONFLICT (number) DO NOTHING RETURNING number, heat",
]


# A rule for a range is found by its digits: as a distributed table, every shard would have to answer.
RANGE = "SELECT pattern FROM ranges WHERE prefix = ANY($1::bigint[])"


# The sample of identified numbers needs a pack that leaves out many of a hundred thousand: benchmarks send it.
NOT_HERE = {"Storage/NumberRecordStatements.swift sampleIdentifications"}


def placements():
    text = (STORAGE / "Cluster/TablePlacement.swift").read_text()
    return dict(re.findall(r'"(\w+)": \.(distributed|reference|local)', text))


def makers():
    """Functions of Storage that make a statement, as the record names them."""
    found = {}
    for file in STORAGE.rglob("*.swift"):
        for body in re.split(r"\n(?=  (?:(?:package|public|fileprivate|private) )*(?:static )?func )", file.read_text()):
            match = re.match(r"  (?:(?:public|package|fileprivate|private|static) )*func (\w+)\([^{]*?\)([^{]*)", body)
            makes = r"(?<!PreparedS)(?<!-> )\bStatement\(" if match and "-> Statement<" in match[2] else r"\.run\(\s*\""
            if match and re.search(makes, body.split("\n  }\n")[0]):
                name = f"Storage/{file.name} {match[1]}"
                # The record knows no overloads.
                assert name not in found, f"{name}: give one of the functions another name"
                found[name] = file
    return found


@pytest.fixture(scope="module")
def statements():
    """The text of each statement that a module of the server has sent, by file and function."""
    folder = os.environ.get("RINGFENCE_STATEMENTS")
    files = list(Path(folder).iterdir()) if folder and Path(folder).is_dir() else []
    if not files:
        pytest.skip("There is no record of statements: make test writes one.")
    modules = {path.name for path in (CHECKOUT / "Sources").iterdir()}
    found = set()
    for file in files:
        for entry in file.read_text(errors="replace").split("\x1e"):
            maker, _, sql = entry.split("\x1f") if entry else ("", "", "")
            if maker.split("/")[0] in modules:
                found.add((maker.split("(")[0], sql))
    return sorted(found)


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
    names = set(re.findall(r"SQL\.(\w+)\(", (STORAGE / "Numbers/ExplanationQuery.swift").read_text()))
    names.add("findCaller")
    found = [(maker, sql) for maker, sql in statements if maker.split()[-1] in names]
    assert len(found) > 15 and "readRangesOfNumber" in names
    tables = placements()
    wrong = [maker for maker, sql in found if not statement_rules.is_of_one_shard(sql, tables)]
    assert not wrong, wrong


def test_every_statement_was_sent(statements):
    """PostgreSQL has accepted it, and the rules below have seen it."""
    sent = {maker for maker, _ in statements}
    missing = sorted(makers().keys() - sent - NOT_HERE)
    assert len(sent) > 300 and not missing, f"No test sends {len(missing)} statements:\n" + "\n".join(missing)


def test_no_statement_has_a_shape_that_citus_refuses(statements):
    tables, found = placements(), []
    assert NOT_TO_CITUS <= {maker for maker, _ in statements}
    for maker, sql in statements:
        if maker not in NOT_TO_CITUS and maker.startswith("Storage/"):
            found += [f"{maker}: {rule}: {RULES[rule]}" for rule in statement_rules.violations(sql, tables)]
    print(f"{len(statements)} statements, {len(RULES)} rules, {len(found)} findings")
    assert not found, "\n".join(found)


# Values of a row must be the same on every node and for every attempt.
RANDOM = re.compile(r"random\(|gen_random_uuid|transaction_timestamp|timeofday|currval|lastval", re.IGNORECASE)
CLOCK = re.compile("statement_timestamp", re.IGNORECASE)
NAMED = re.compile(r"\b(from|join|into|update|using|only)\s+([a-z_]+)", re.IGNORECASE)
CONFLICT = re.compile(r"insert into ([a-z_]+)(?:(?!insert into).)*?on conflict(?: \(([^)]*)\))?", re.IGNORECASE | re.DOTALL)


def test_statements_keep_to_the_contract_of_a_cluster(statements):
    tables, found, clocks, conflicts = placements(), [], 0, 0
    for maker, sql in statements:
        if not maker.startswith("Storage/"):
            continue
        named = {name: {word.lower() for word, other in NAMED.findall(sql) if other == name} for _, name in NAMED.findall(sql)}
        places = {tables.get(name) for name in named}
        # The coordinator collects rows that a statement only inserts into a local table.
        mixed = {tables.get(name) for name, words in named.items() if not (words == {"into"} and tables.get(name) == "local")}
        if {"local", "distributed"} <= mixed:
            found.append(f"{maker}: local and distributed tables: {sorted(named)}")
        if RANDOM.search(sql):
            found.append(f"{maker}: a random value, or the clock of a node")
        if CLOCK.search(sql):
            clocks += 1
            # Rows of other tables must be the same on every node: there times are parameters.
            if places & {"distributed", "reference"}:
                found.append(f"{maker}: the database's clock in {sorted(named)}")
        for table, target in CONFLICT.findall(sql):
            if tables.get(table) == "distributed":
                conflicts += 1
                if "number" not in target:
                    found.append(f"{maker}: a conflict of {table} without the number")
    assert not found and clocks > 10 and conflicts > 5, "\n".join(found)


def test_no_statement_changes_the_state_of_a_session():
    """Behind a pooler the next statement may use another connection."""
    state = re.compile(
        r"\"SET (?!LOCAL )[a-z_]+ ?(=|TO)|\b(UN)?LISTEN [a-z_]+|CREATE TEMP(ORARY)? TABLE [a-z]+ \((?![^;]*ON COMMIT DROP)"
        "|WITH HOLD")
    # A program for one connection, and code that prints statements.
    others = {"PostgreSQL/Embedded", "Storage/Cluster/ClusterPlan.swift"}
    for file in (CHECKOUT / "Sources").rglob("*.swift"):
        name = str(file.relative_to(CHECKOUT / "Sources"))
        if not any(name.startswith(other) for other in others):
            assert not state.search(file.read_text()), name
