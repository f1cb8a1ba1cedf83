"""Recounts the aggregates from the reports without the server's statements, and compares."""

import math
from collections import defaultdict
from dataclasses import dataclass

ORIGIN = 1_893_456_000  # 2030-01-01T00:00:00Z
HEAT = 14 * 86_400 / math.log(2)
EVIDENCE = 125 * 86_400 / math.log(2)


@dataclass(frozen=True)
class Stored:
    """A row of `reports`; times in seconds since 1970, as PostgreSQL writes them."""

    app: str
    number: int
    report_id: str
    reported_at: str
    category: int
    reporter: str
    weight: float

    def stored_sum(self, time_constant):
        return self.weight * math.exp((float(self.reported_at) - ORIGIN) / time_constant)


def stored_reports(server):
    rows = server.query(
        "SELECT name, number, report_id, extract(epoch FROM reported_at), category_id, encode(reporter, 'hex'), weight "
        "FROM reports JOIN apps USING (app_id)")
    return [Stored(a, int(n), i, t, int(c), r, float(w)) for a, n, i, t, c, r, w in rows]


def check(shared, load, all_acknowledged=True):
    """Fails if an acknowledged report is missing, duplicated or unknown, or if an aggregate differs."""
    reports = stored_reports(shared.server)
    there = [report.report_id for report in reports]
    missing = (shared.settled | load.acknowledged.keys()) - set(there)
    assert not missing, f"{len(missing)} acknowledged reports are missing: {sorted(missing)[:5]}"
    assert len(there) == len(set(there)), "A report is stored twice."
    own = {report.report_id for report in reports if report.app == load.app}
    strangers = own - (load.acknowledged if all_acknowledged else load.sent).keys()
    assert not strangers, f"{len(strangers)} reports are stored that nobody sent: {sorted(strangers)[:5]}"
    check_aggregates(shared.server, reports)
    shared.settled |= own
    shared.is_sound = True
    print(
        f"\n  {len(load.acknowledged)} acknowledged, {len(own)} stored ({len(there)} in all), answers {dict(load.answers)}, "
        f"{load.lost_connections} tries without an answer")


def check_aggregates(server, reports):
    toxic = {int(c) for (c,) in server.query("SELECT category_id FROM categories WHERE toxic")}
    words = {}
    for report in sorted(reports, key=lambda report: float(report.reported_at)):
        if report.reporter:
            words[report.number, report.reporter] = report
    counted = [report for report in reports if not report.reporter] + list(words.values())

    assert {(k, w.category, w.reported_at, w.weight) for k, w in words.items()} == {
        ((int(n), r), int(c), t, float(w)) for n, r, c, t, w in server.query(
            "SELECT number, encode(reporter, 'hex'), category_id, extract(epoch FROM reported_at), weight "
            "FROM number_reporters")}

    by_category = _sums(reports, counted, words.values(), lambda r: (r.number, r.category))
    stored = {
        (int(n), int(c)): (float(h), float(e), int(s), int(p)) for n, c, h, e, s, p in server.query(
            "SELECT number, category_id, heat, evidence, reports, reporters FROM number_categories")}
    assert stored.keys() == by_category.keys()
    for key, (heat, evidence, count, reporters) in stored.items():
        expected = by_category[key]
        assert (count, reporters) == (expected.reports, expected.reporters), key
        assert expected.agrees(heat, evidence), (key, heat, evidence, expected)

    by_number = _sums(reports, counted, words.values(), lambda r: r.number)
    kind = _sums(reports, counted, words.values(), lambda r: (r.number, r.category in toxic))
    rows = server.query(
        "SELECT number, heat, evidence, legitimate, reports, reporters, extract(epoch FROM first_reported_at), "
        "extract(epoch FROM last_reported_at) FROM numbers")
    assert {int(row[0]) for row in rows} == by_number.keys()
    for n, heat, evidence, legitimate, count, reporters, first, last in rows:
        expected = by_number[int(n)]
        times = sorted((r.reported_at for r in reports if r.number == int(n)), key=float)
        assert (int(count), int(reporters)) == (expected.reports, expected.reporters), n
        assert (first, last) == (times[0], times[-1]), n
        assert kind[int(n), True].agrees(float(heat), float(evidence)), (n, heat, evidence)
        assert kind[int(n), False].agrees(None, float(legitimate)), (n, legitimate)


@dataclass
class _Sum:
    heat: float = 0
    evidence: float = 0
    # The heat of all reports, also withdrawn ones: the scale for rounding errors.
    gross_heat: float = 0
    gross_evidence: float = 0
    reports: int = 0
    reporters: int = 0

    def agrees(self, heat, evidence):
        return (heat is None or abs(heat - self.heat) <= 1e-9 * self.gross_heat) and (
            abs(evidence - self.evidence) <= 1e-9 * self.gross_evidence)


def _sums(reports, counted, words, key):
    sums = defaultdict(_Sum)
    for report in reports:
        one = sums[key(report)]
        one.reports += 1
        one.gross_heat += report.stored_sum(HEAT)
        one.gross_evidence += report.stored_sum(EVIDENCE)
    for report in counted:
        one = sums[key(report)]
        one.heat += report.stored_sum(HEAT)
        one.evidence += report.stored_sum(EVIDENCE)
    for report in words:
        sums[key(report)].reporters += 1
    return sums
