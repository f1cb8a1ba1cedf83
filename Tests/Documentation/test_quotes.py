"""Facts that documents, messages and samples repeat agree with the one place that defines them."""

import json
import re
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
# Numbers that regulators keep free for fiction, by calling code; and one that Apple's check of a service asks for.
FICTION = re.compile(
    r"1[2-9]\d\d55501\d\d|442079460\d{3}|33(?:19900|26191|35301|46571|53649)\d{4}|4917139200\d\d"
    r"|49(?:3023125|6990009|4066969|2214710|8999998)\d{3}|61[2378](?:5550|7010)\d{4}|14085551212")
NUMBER = re.compile(r"(?<![\w.:+-])(?:\+|%2B)[1-9](?:[ ()\u00a0-]?\d){8,14}(?![\dx*])")
READ = ["README.md", "Clients", "Docker", "Documentation", "Examples", "Packaging", "Resources", "Sources"]
# The description of the API is compared with its own examples by test_api.py.
UNREAD = {"benchmarks", "decisions"}


# The beginning of 100 numbers of a fictional range, in PhoneBlock's answers.
BEGINNINGS = {"+120155501"}


def documents():
    for name in READ:
        path = CHECKOUT / name
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.suffix in {".md", ".swift", ".json", ".yaml", ".java", ".mustache", ".py"} and not UNREAD & set(file.parts):
                yield file


def test_numbers_of_examples_belong_to_nobody():
    found = [
        f"{file.relative_to(CHECKOUT)}: {number}" for file in documents() for number in NUMBER.findall(file.read_text())
        if not FICTION.fullmatch(re.sub(r"\D", "", number.replace("%2B", ""))) and number not in BEGINNINGS]
    assert found == []


def blocks(name, language):
    found = re.findall(r"^```(\w*)\n(.*?)^```", (CHECKOUT / name).read_text(), re.MULTILINE | re.DOTALL)
    return [block for kind, block in found if kind == language]


def test_the_pages_of_a_new_user_report_different_numbers():
    """A reader who follows both pages sees the figures that the second one shows."""
    reported = [set(re.findall(r"\((\d{3})\) 555-(\d{4})", (CHECKOUT / name).read_text()))
                for name in ("README.md", "Documentation/getting-started.md")]
    assert all(len(numbers) == 1 for numbers in reported) and reported[0] != reported[1]


def test_examples_have_other_area_codes_than_the_demo_data():
    """Otherwise the demo data would have reports about the number of an example, and its figures would differ."""
    source = (CHECKOUT / "Sources/Importing/Reports/SimulatedNumber.swift").read_text()
    codes = set(re.search(r'static let fiction = .*?"""\n(.*?)"""', source, re.DOTALL)[1].replace("\\", "").split())
    used = {code for file in documents() if file.suffix == ".md"
            for code in re.findall(r"(?:\b1|\(|\+1 ?)(\d{3})\)? ?555-?01\d\d\b", file.read_text())}
    assert len(codes) > 90 and used >= {"201"} and not codes & used


def test_the_readme_shows_every_line_of_the_banner():
    source = (CHECKOUT / "Sources/RingfenceCommand/Serve/DemoData.swift").read_text()
    text = re.search(r"func text\(address: String\).*?return \"\"\"\n(.*?)\"\"\"", source, re.DOTALL)[1]
    headings = [line.strip() for line in text.splitlines() if re.match(r" {6}\S", line)]
    [shown] = [block for block in blocks("README.md", "") if "Ringfence is running" in block]
    shown = [line for line in shown.splitlines() if line and not line.startswith(" ")]
    assert shown == [line for line in headings if not line.startswith(("-d ", '"reported_at"'))]


def test_the_pictures_of_the_readme_are_taken_by_the_script():
    shown = re.findall(r"\]\(Documentation/images/(\w+)\.png\)", (CHECKOUT / "README.md").read_text())
    taken = re.findall(r'\("(\w+)", (?:moderator|phone|owner)\)', (CHECKOUT / "Tests/Browser/screenshots.py").read_text())
    assert shown == taken and len(taken) == 3


def test_the_readme_names_the_programs_that_its_commands_need():
    text = (CHECKOUT / "README.md").read_text()
    needed = {program for block in blocks("README.md", "sh") for program in ("make", "git", "curl")
              if re.search(rf"^{program} ", block, re.MULTILINE)}
    named = re.search(r"`sudo apt install ([^`]*)`\.", text)[1].split()
    assert needed == set(named)


def test_the_example_for_android_uses_a_pack_that_blocks_and_the_page_has_its_code():
    recipes = {recipe["name"]: recipe for recipe in yaml.safe_load((CHECKOUT / "Resources/recipes.yaml").read_text())["recipes"]}
    example, page = CHECKOUT / "Clients/android/example", (CHECKOUT / "Documentation/android.md").read_text()
    sources = example / "app/src/main/java/com/example/calls"
    packs = re.search(r'root\(\), (.*?)\);', (sources / "CallsApp.java").read_text())[1]
    assert [recipes[name]["kind"] for name in re.findall(r'"([\w-]+)"', packs)] == ["blocking", "identification"]
    for name in ("CallsApp", "Screening"):
        code = (sources / f"{name}.java").read_text().split("package com.example.calls;\n\n")[1]
        assert f"```java\n{code}```" in page, name
    assert f"```groovy\n{(example / 'settings.gradle').read_text()}```" in page
    manifest = (example / "app/src/main/AndroidManifest.xml").read_text()
    for line in re.search(r"^```xml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1].splitlines():
        assert line.strip() in manifest


@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_page_of_recipes_does_not_ask_for_a_restart(language):
    """A server reads the file again for each publication: CurrentRecipes."""
    texts = json.loads((CHECKOUT / "Resources/Localization" / language / "recipes.json").read_text())
    assert not re.search("restart|перезапус", " ".join(texts.values()))


def test_sources_that_the_comparison_names_are_in_the_catalog():
    text = (CHECKOUT / "Documentation/comparison.md").read_text()
    catalog = {source["name"] for source in yaml.safe_load((CHECKOUT / "Resources/sources.yaml").read_text())["sources"]}
    named = set(re.findall(r"ringfence sources\s+add (\w+)", text))
    assert named and named <= catalog
    assert "(../Clients/android/README.md)" in text and "does not import" not in text


def test_methods_are_not_listed_where_they_would_become_incomplete():
    source = (CHECKOUT / "Sources/HTTPServer/Problems/ProblemKind.swift").read_text()
    assert not re.search(r"case \.unknownMethod:.*?(?:POST|DELETE)", source.partition("case .unavailable")[0], re.DOTALL)


def test_nothing_is_published_every_night_by_itself():
    """publish-at has no default."""
    table = (CHECKOUT / "Documentation/configuration.md").read_text()
    [row] = re.findall(r"^\| `publish-at` .*$", table, re.MULTILINE)
    assert "never" in row
    assert "every night" not in (CHECKOUT / "README.md").read_text().lower()


def test_figures_come_from_the_benchmarks():
    def read(name):
        return (CHECKOUT / "Documentation" / name).read_text()

    [times] = re.findall(r"^\| first list of a database, three runs \|.*\| (\d+, \d+, \d+) \|", read("benchmarks/import.md"), re.MULTILINE)
    median = sorted(int(one) for one in times.split(", "))[1]
    assert f"takes {median} times the seconds of the processor of `\\copy`" in read("limitations.md")
    [size] = re.findall(r"^\| pack, standard \| ([\d.]+) \|", read("benchmarks/pack.md"), re.MULTILINE)
    assert f"Packs need {float(size):.1f} bytes per blocked number" in (CHECKOUT / "README.md").read_text()


def test_limits_and_changes_stay_short():
    assert len((CHECKOUT / "Documentation/limitations.md").read_text().splitlines()) <= 40
    changes = (CHECKOUT / "CHANGELOG.md").read_text().partition("\n## [")[2].partition("\n## [")[0]
    assert changes.count("\n- ") <= 20


def test_no_cell_of_the_clients_page_is_a_paragraph():
    cells = [cell for line in (CHECKOUT / "Documentation/clients.md").read_text().splitlines() if line.startswith("|")
             for cell in line.split("|")]
    assert cells and [cell for cell in cells if len(cell) > 200] == []


def test_the_address_of_the_repository_comes_from_the_makefile():
    address = re.search(r"^REPOSITORY \?= (\S+)$", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)[1]
    named = [
        found for file in [*CHECKOUT.glob("*.md"), *(CHECKOUT / "Documentation").glob("*.md"),
                           *(CHECKOUT / "Sources").glob("*/*.docc/*.md")]
        for found in re.findall(r"git clone (\S+)|package\(url: \"([^\"]*ringfence)\"", file.read_text())]
    assert len(named) >= 3 and {one or other for one, other in named} == {address}
