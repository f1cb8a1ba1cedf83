"""The areas that follow the rules for language have no finding of the lint."""

import language_lint
import pytest


@pytest.mark.parametrize("area", language_lint.CLEAN)
def test_area_follows_the_language_rules(area):
    assert list(language_lint.lint([language_lint.CHECKOUT / area])) == []


@pytest.mark.parametrize("name, text, expected", [
    ("a.md", "What is narrow is judged.\n", ["a.md:1: What"]),
    ("a.md", "What is it?\n", []),
    ("a.md", "Text `with whoever` in code.\n\n```\nWhoever\n```\n", []),
    ("a.md", "| who | term |\n| --- | --- |\n| what a number needs here | x |\n", ["a.md:3: what a number needs here"]),
    ("a.swift", "/// What it is.\nlet a = 1  // Servers believe it.\n", ["a.swift:1: What", "a.swift:2: believe"]),
    ("a.swift", "/// Returns a list\n/// of what was sent.\n", []),
    ("a.sql", "-- Who did it.\n", ["a.sql:1: Who"]),
    ("a.md", "A commit beside a running server takes 3 a second.\n", ["a.md:1: 3 a second", "a.md:1: beside a running server"]),
    ("a.md", "The case opens beside the list. A file that has a header is read.\n", []),
    ("a.swift", "/// The serial, not that of the root, also for ``hottest(limit:)``.\n", ["a.swift:1: , also for", "a.swift:1: that of"]),
    ("a.md", "It is a grey colour, labelled and dialled.\n",
     ["a.md:1: colour", "a.md:1: dialled", "a.md:1: grey", "a.md:1: labelled"]),
    ("Localization/a.json", '{\n  "a.b": "It does not list it because of reports."\n}\n', ["a.json:2: does not list it because of"]),
    ("Localization/a.json", '{\n  "a.b": "Nobody waits."\n}\n', ["a.json:2: Nobody"]),
])
def test_lint_finds_openings_and_words(tmp_path, name, text, expected):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    found = list(language_lint.lint([file]))
    assert [line.removeprefix(f"{file.parent}/").rpartition(" (")[0] for line in found] == expected
