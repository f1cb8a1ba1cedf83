"""Thresholds and lists on the command line: shown, previewed, changed, and refused with a message."""

import json
from datetime import datetime, timedelta, timezone

import pytest

from test_commands import run

NOW = datetime(2026, 11, 21, tzinfo=timezone.utc)


def line(number, days_ago, **more):
    time = (NOW - timedelta(days=days_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json.dumps({"number": f"+{number}", "category": "fraud", "reported_at": time, **more})


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Ten numbers of a list, each with one complaint more than the previous one, on as many days."""
    folder = tmp_path_factory.mktemp("thresholds")
    lines = [line(12015550100 + n, day) for n in range(1, 11) for day in range(n)]
    run("import", "complaints", "-", "--format", "jsonl", "--source", "hotline", "--data", folder,
        text="\n".join(lines))
    return folder


def preview(data, *change):
    return json.loads(run(*change, "--at", "2026-11-21T00:00:00Z", "--format", "json", "--data", data).stdout)


def test_what_is_in_force_is_shown(data):
    shown = json.loads(run("thresholds", "show", "--format", "json", "--data", data).stdout)
    fraud = next(t for t in shown["thresholds"] if t["category"] == "fraud")
    assert shown["version"]["version"] == 1
    assert fraud["enter_heat"] >= fraud["leave_heat"] > 0
    table = run("thresholds", "show", "--format", "tsv", "--data", data).stdout.splitlines()
    assert table[0].startswith("category\tcountry\treview_heat\tenter_heat")
    assert len(table) == 13
    text = run("thresholds", "show", "--data", data).stdout
    assert text.startswith("Version 1, saved ") and "Imported lists" in text
    assert shown["attestation"] == [{"app": "default", "hardware": 0.8, "software": 0.5, "unattested": 0.5}]
    weights = text.split("Weights of new reporters by attestation\n\n")[1].splitlines()
    assert [line.split() for line in weights] == [
        ["app", "hardware", "software", "unattested"], ["default", "0.8", "0.5", "0.5"]]
    lists = run("sources", "list", "--format", "tsv", "--data", data).stdout
    assert [row.split("\t")[0] for row in lists.splitlines()] == ["list", "default", "hotline"]


def test_a_preview_tells_what_setting_it_then_does(data):
    looser = ["--category", "fraud", "--enter-heat", "1", "--leave-heat", "1", "--enter-evidence", "1",
              "--leave-evidence", "1", "--enter-confidence", "0.1", "--leave-confidence", "0.1", "--review-heat", "0.5"]
    said = preview(data, "thresholds", "preview", *looser)
    both = preview(data, "sources", "preview", "hotline", "--complaints", "9")
    assert said["added"] >= 0 and said["taken"] == 0
    assert both["taken"] == both["listed_now"] - 2 > 0
    assert {c["country"] for c in both["changes"]} == {"US"}
    assert [e["number"] for e in both["examples_taken"]][0] == "+12015550108"
    text = run("sources", "preview", "hotline", "--complaints", "9", "--at", "2026-11-21T00:00:00Z",
               "--data", data).stdout
    assert "Nothing was saved." in text and "Removed, highest heat first:" in text
    assert json.loads(run("thresholds", "show", "--format", "json", "--data", data).stdout)["version"]["version"] == 1

    saved = run("sources", "set", "hotline", "--complaints", "9", "--by-program", "Ada", "--reason", "Noisy.",
                "--data", data).stdout
    assert "Saved as version 2" in saved
    now = preview(data, "sources", "preview", "hotline", "--days", "1")
    assert (now["listed_now"], now["against"]) == (2, 2)
    history = run("thresholds", "history", "--format", "tsv", "--data", data).stdout.splitlines()
    assert [row.split("\t")[::3] for row in history[1:]] == [["2", "Noisy."], ["1", ""]]
    same = run("sources", "set", "hotline", "--complaints", "9", "--reason", "Again.", "--data", data).stdout
    assert "Nothing to change" in same


def test_a_country_has_its_own_until_it_is_removed(data):
    run("thresholds", "set", "--category", "survey", "--country", "DE", "--enter-reporters", "7", "--reason", "Test",
        "--data", data)
    def countries():
        shown = json.loads(run("thresholds", "show", "--format", "json", "--data", data).stdout)
        return {t["country"] for t in shown["thresholds"] if "country" in t}
    assert countries() == {"DE"}
    run("thresholds", "set", "--category", "survey", "--country", "DE", "--remove", "--reason", "Test", "--data", data)
    assert countries() == set()


@pytest.mark.parametrize("change, words", [
    (["--category", "spam", "--enter-heat", "3"], "There is no nuisance category spam. Use one of: fraud"),
    (["--category", "legitimate", "--enter-heat", "3"], "There is no nuisance category legitimate"),
    (["--category", "fraud", "--country", "ZZ", "--enter-heat", "3"], "--country ZZ is not a country"),
    (["--category", "fraud"], "No change given"),
    (["--category", "fraud", "--remove"], "--remove needs --country"),
])
def test_wrong_usage_is_refused_before_anything_is_opened(tmp_path, change, words):
    assert words in run("thresholds", "set", *change, "--reason", "x", "--data", tmp_path / "none", code=2).stderr
    assert not (tmp_path / "none").exists()


def test_a_threshold_that_cannot_be_names_field_and_rule(data):
    refused = run("thresholds", "set", "--category", "fraud", "--leave-heat", "9", "--reason", "x", "--data", data,
                  code=1).stderr
    assert "fraud: leave.heat must not be above the limit to enter. Nothing was saved." in refused
    assert "There is no imported list nowhere. Use one of: default, hotline." in run(
        "sources", "set", "nowhere", "--days", "2", "--reason", "x", "--data", data, code=1).stderr
    assert "There is no version 99" in run("thresholds", "show", "--version", "99", "--data", data, code=1).stderr
