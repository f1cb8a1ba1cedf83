"""Comments of the kit: every public declaration has one. Swift files start with the license."""

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
KIT = [f"Sources/{name}" for name in ["CallerPack", "CallerPackBuilder", "CallDirectory", "RingfenceClient", "PhoneNumbers"]]
# Folders whose Swift files start with the license.
LICENSED = ["Sources", "Tests", "Examples"]
LICENSE = "// SPDX-License-Identifier: Apache-2.0\n"

PUBLIC = re.compile(r"^(?:public|open) (?!import\b|extension\b)[a-z]")
MEMBER = re.compile(r"^(?:case|func|var|let|init|subscript|static|mutating|associatedtype|typealias)\b")
# A summary is text of its own.
NO_SUMMARY = re.compile(r"(?:See|- )")


def swift_files(folders):
    return [file for folder in folders for file in sorted((CHECKOUT / folder).rglob("*.swift"))]


def place(file, number):
    return f"{file.relative_to(CHECKOUT)}:{number}"


def documentation(lines, index):
    """The doc comment before a declaration, without the attributes between the two."""
    index -= 1
    while index >= 0 and lines[index].lstrip().startswith("@"):
        index -= 1
    comment = []
    while index >= 0 and lines[index].lstrip().startswith("///"):
        comment.insert(0, lines[index].lstrip()[3:].strip())
        index -= 1
    return comment


def public_declarations(file):
    """Lines of public declarations, of cases of public enums and of requirements of public protocols."""
    lines = file.read_text().splitlines()
    # Indentation of the innermost public enum or protocol, and which of the two it is.
    scopes = []
    for index, line in enumerate(lines):
        text = line.lstrip()
        if not text or text.startswith("//"):
            continue
        indent = len(line) - len(text)
        while scopes and indent <= scopes[-1][0]:
            scopes.pop()
        if PUBLIC.match(text):
            yield lines, index
            kind = re.match(r"(?:public|open) (?:indirect )?(enum|protocol)\b", text)
            if kind and not text.rstrip().endswith("}"):
                scopes.append((indent, kind[1]))
        elif scopes and indent == scopes[-1][0] + 2:
            if text.startswith("case ") if scopes[-1][1] == "enum" else MEMBER.match(text):
                yield lines, index


def test_every_public_declaration_has_a_summary():
    wrong, count = [], 0
    for file in swift_files(KIT):
        for lines, index in public_declarations(file):
            count += 1
            comment = documentation(lines, index)
            if not comment or not comment[0] or NO_SUMMARY.match(comment[0]):
                wrong.append(f"{place(file, index + 1)}: {lines[index].strip()}")
    assert count > 400
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("folder", LICENSED)
def test_files_start_with_the_license(folder):
    wrong = [
        place(file, 1) for file in swift_files([folder])
        if file.name != "Package.swift" and ".build" not in file.parts and not file.read_text().startswith(LICENSE)
    ]
    assert not wrong, wrong


def test_the_kit_needs_no_newer_system_than_it_says():
    """No machine here compiles for iOS. Regular expressions of the standard library need iOS 16, locks of Synchronization 18."""
    newer = re.compile(r"\bof: /|\(/[^/ ]|#/|\bRegex\b|\.(?:firstMatch|wholeMatch|prefixMatch|ignoresCase|replacing|trimmingPrefix|firstRange)\(")
    used = [
        f"{place(file, number)}: {line.strip()}" for file in swift_files([*KIT, "Sources/Support"])
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if not line.lstrip().startswith("//") and "TextScanner.replacing" not in line and newer.search(line)]
    assert not used
    bare = [
        place(file, number) for file in swift_files(KIT) if "#if canImport(Darwin)" not in (text := file.read_text()) and "#if os(Linux)" not in text
        for number, line in enumerate(text.splitlines(), 1) if line.strip().endswith("import Synchronization")]
    assert not bare
