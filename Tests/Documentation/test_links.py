"""Links of the documents lead to files and headings that exist."""

import re
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
SKIPPED = {".build", ".venv", "artefacts", "node_modules"}
DOCUMENTS = sorted(
    file for file in CHECKOUT.rglob("*.md") if not SKIPPED & set(file.relative_to(CHECKOUT).parts))
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)")


def prose(text):
    """The text without code."""
    return re.sub(r"`[^`\n]*`", "`x`", re.sub(r"^( *)(```+|~~~+).*?^\1\2", "", text, flags=re.MULTILINE | re.DOTALL))


@cache
def anchors(file):
    """The anchors that GitHub gives the headings of a document."""
    found, text = {}, re.sub(r"^( *)(```+|~~~+).*?^\1\2", "", file.read_text(), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    return {name if count == 0 else f"{name}-{count}" for name, last in found.items() for count in range(last + 1)}


def links():
    for file in DOCUMENTS:
        for target in LINK.findall(prose(file.read_text())):
            if not re.match(r"[a-z][a-z+.-]*:", target):
                yield pytest.param(file, target, id=f"{file.relative_to(CHECKOUT)}: {target}")


@pytest.mark.parametrize("file, target", links())
def test_link_leads_somewhere(file, target):
    path, _, anchor = target.partition("#")
    found = (file.parent / path).resolve() if path else file
    assert found.exists(), f"There is no {path}."
    if anchor and found.suffix == ".md":
        assert anchor in anchors(found), f"{found.name} has no heading #{anchor}."


def test_every_document_is_in_the_index():
    index = CHECKOUT / "Documentation/README.md"
    listed = {(index.parent / target.partition("#")[0]).resolve() for target in LINK.findall(index.read_text())}
    missing = [file.name for file in sorted((CHECKOUT / "Documentation").glob("*.md")) if file not in listed | {index}]
    assert not missing


def test_every_decision_is_in_the_list():
    folder = CHECKOUT / "Documentation/decisions"
    listed = set(re.findall(r"\]\(([\w-]+\.md)\) \|", (folder / "README.md").read_text()))
    assert listed == {file.name for file in folder.glob("[0-9]*.md")}


def test_every_benchmark_names_its_question_command_and_date():
    for file in sorted((CHECKOUT / "Documentation/benchmarks").glob("*.md")):
        if file.name != "README.md":
            missing = [word for word in ("Question", "Command", "Measured") if f"**{word}" not in file.read_text()]
            assert not missing, f"{file.name} lacks {missing}"
