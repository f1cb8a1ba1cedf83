#!/usr/bin/env python3
"""Writes the operations of Documentation/api.md from Resources/openapi.yaml.

    .venv/bin/python Scripts/api-document.py

A test compares the document with the description, and runs every command of it.
"""

import textwrap
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).resolve().parent.parent
DESCRIPTION = CHECKOUT / "Resources/openapi.yaml"
DOCUMENT = CHECKOUT / "Documentation/api.md"
START = "<!-- Written by Scripts/api-document.py from Resources/openapi.yaml. -->\n"
END = "<!-- The end of the operations. -->\n"


def prose(text):
    return "\n\n".join(textwrap.fill(" ".join(part.split()), 120, break_on_hyphens=False, break_long_words=False)
                       for part in text.split("\n\n"))


def operations(description):
    """Every operation by tag, in the order of the file."""
    text = ""
    for tag in description["tags"]:
        text += f"\n## {tag['name']}\n\n{prose(tag['description'])}\n"
        for path, methods in description["paths"].items():
            for method, operation in methods.items():
                if tag["name"] in operation["tags"]:
                    text += section(method, path, operation)
    return text + "\n"


def section(method, path, operation):
    scope = operation.get("x-scope")
    optional = {} in operation.get("security", [])
    needs = f" Scope `{scope}`{', where the operator requires a key' if optional else ''}." if scope else ""
    command = operation["x-codeSamples"][0]["source"]
    if optional:
        command = command.replace(' -H "Authorization: Bearer $KEY"', "")
    return (f"\n### {operation['summary']}\n\n`{method.upper()} {path}`.{needs}\n\n{prose(operation['description'])}\n\n"
            f"```sh\n{command.strip()}\n```\n")


def document():
    text = DOCUMENT.read_text()
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return before + START + operations(yaml.safe_load(DESCRIPTION.read_text())) + END + after


if __name__ == "__main__":
    DOCUMENT.write_text(document())
