"""Compares ARCHITECTURE.md's table of layers and list of domains with the imports and folders of the sources."""

import json
import re
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = CHECKOUT / "Sources"
ARCHITECTURE = (CHECKOUT / "ARCHITECTURE.md").read_text()
IMPORT = re.compile(r"^(?:@\w+ )?(?:public |package )?import (?:struct |class |enum |func )?(\w+)", re.MULTILINE)
# Modules of the toolchain and of operating systems.
SYSTEM = set("Foundation FoundationEssentials Testing Synchronization Dispatch Glibc Darwin CryptoKit CallKit".split())
# Targets whose folders are domains.
BY_DOMAIN = ["Curation", "Storage", "Moderation", "API", "ModerationSite", "RingfenceCommand"]
STANDARD = set("Middleware Connections Limits Files Metrics Problems Layout Forms Operations Settings Documentation Requests Templates".split())
# Further folders of the command line: packs as files, the server's own command, and progress on the terminal.
COMMANDS = {"Packs", "Serve", "Progress"}


def rows(heading):
    """The cells of the first two columns of the first table under a heading."""
    section = ARCHITECTURE.split(f"\n## {heading}\n", 1)[1]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")][:2] for line in table]


def layers():
    """Targets by layer from the top, each with the C libraries that it may import."""
    return [re.findall(r"([\w-]+)(?: \(with (\w+)\))?", cell) for _, cell in rows("Layers")]


def places():
    """The position of each target: its row and its place in the row."""
    found = {}
    for row, targets in enumerate(layers()):
        for column, (target, library) in enumerate(targets):
            found[target] = (row, column)
            if library:
                found[library] = (row, column)
    return found


def imports(target):
    files = list((SOURCES / target).rglob("*.swift"))
    return {name for file in files for name in IMPORT.findall(file.read_text())}


def test_every_target_is_in_the_table_once():
    named = [name for row in layers() for target in row for name in target if name]
    assert sorted(named) == sorted(folder.name for folder in SOURCES.iterdir())


def test_targets_import_lower_layers_and_their_left_only():
    where, wrong = places(), []
    for target, (row, column) in where.items():
        for name in imports(target) & where.keys() - {target}:
            other_row, other_column = where[name]
            if other_row < row or (other_row == row and other_column > column):
                wrong.append(f"{target} imports {name}")
    assert not wrong, wrong


def test_targets_import_declared_dependencies_only():
    """SwiftPM accepts an undeclared module that is already built: only a clean build fails."""
    dump = subprocess.run(["swift", "package", "dump-package"], cwd=CHECKOUT, capture_output=True, check=True).stdout
    wrong = []
    for target in json.loads(dump)["targets"]:
        declared = {next(iter(dependency.values()))[0] for dependency in target["dependencies"]} | SYSTEM
        folder = CHECKOUT / (target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{target['name']}")
        for file in folder.rglob("*.swift"):
            if ".docc" not in str(file):
                wrong += [f"{target['name']} imports {name}" for name in set(IMPORT.findall(file.read_text())) - declared]
    assert not wrong, wrong


def test_the_api_and_the_pages_do_not_know_each_other():
    assert "ModerationSite" not in imports("API") and "API" not in imports("ModerationSite")


def test_folders_are_domains_or_standard_ones():
    domains = {name for name, _ in rows("Domains")}
    assert len(domains) > 20
    wrong = [
        f"{target}/{folder.name}"
        for target in BY_DOMAIN
        for folder in (SOURCES / target).iterdir()
        if folder.is_dir()
        and folder.name not in domains | STANDARD | (COMMANDS if target == "RingfenceCommand" else set())
    ]
    assert not wrong, wrong


def test_sql_is_in_storage_alone():
    allowed = {"Storage", "PostgreSQL"}
    statement = re.compile(r"-> Statement<")
    wrong = [
        str(file.relative_to(CHECKOUT))
        for file in SOURCES.rglob("*.swift")
        if file.relative_to(SOURCES).parts[0] not in allowed and statement.search(file.read_text())
    ]
    assert not wrong, wrong
