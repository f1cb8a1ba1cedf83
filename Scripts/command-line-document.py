#!/usr/bin/env python3
"""Writes Documentation/command-line.md from the help of the program.

    Scripts/command-line-document.py .build/debug/ringfence

A test compares the document with the program; run this script after you have changed a subcommand or an option.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parent.parent / "Documentation/command-line.md"
HEAD = """# Command line

`Scripts/command-line-document.py` writes this page from the help of the program; a test compares them.
`ringfence help SUBCOMMAND` prints the same.

After `make run`, the program is `.build/release/ringfence`. Commands that need data take `--data FOLDER`, `.ringfence`
by default, and work while a server runs. Only `serve`, `import` and `restore` create a database where there is none.
With `DATABASE_URL` set, they use that PostgreSQL. [configuration.md](configuration.md) has the settings, which also come
from the environment and from the file that `--config` names.

| exit code | meaning |
| ---: | --- |
| 0 | success |
| 1 | the data is invalid, or the work failed |
| 2 | wrong usage |
| 3 | a file cannot be read or written |
| 4 | a gate holds the publication back |

`ringfence fetch` has [more exit codes](pipeline.md#exit-codes).
"""
# Every command has these.
COMMON = {"help", "data", "config", "version"}


def dump(program):
    done = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["command"]


def cell(text):
    """Text for a table: angle brackets and bars are no markup, and code stays code."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(part if part.startswith("`") else part.replace("|", "\\|").replace("<", "&lt;") for part in parts)


def names(argument):
    if argument["kind"] == "positional":
        return f"`{argument['valueName'].upper()}`"
    marks = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    value = "" if argument["kind"] == "flag" else f" {argument['valueName'].upper()}"
    return ", ".join(f"`{mark}{value}`" for mark in marks)


def shown(command):
    """Arguments without the common ones; `--x` and `--no-x` are one."""
    found = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)
             and argument.get("preferredName", {}).get("name") not in COMMON]
    for argument in found:
        opposite = "no-" + argument.get("preferredName", {}).get("name", "")
        argument["names"] = argument.get("names", []) + [
            other["preferredName"] for other in found if other.get("preferredName", {}).get("name") == opposite]
    known = {argument.get("preferredName", {}).get("name") for argument in found}
    return [argument for argument in found
            if argument.get("preferredName", {}).get("name", "").removeprefix("no-") not in known
            or not argument.get("preferredName", {}).get("name", "").startswith("no-")]


def usage(path, command, arguments):
    words = [path]
    takes_data = any(argument.get("preferredName", {}).get("name") == "data" for argument in command.get("arguments", []))
    for argument in arguments:
        if argument["kind"] == "positional":
            word = argument["valueName"].upper() + ("…" if argument.get("isRepeating") else "")
        elif argument.get("isOptional", True):
            continue
        else:
            word = f"--{argument['preferredName']['name']} {argument['valueName'].upper()}"
        words.append(f"[{word}]" if argument.get("isOptional") else word)
    optional = any(argument["kind"] != "positional" and argument.get("isOptional", True) for argument in arguments)
    return " ".join(words + ["[OPTIONS]"] * optional + ["[--data FOLDER]"] * takes_data)


def sections(command, path, level):
    children = [child for child in command.get("subcommands", []) if child["commandName"] != "help"]
    arguments = shown(command)
    text = f"\n{'#' * level} {path}\n\n{cell(command.get('abstract', ''))}\n"
    if command.get("discussion"):
        text += "\n" + "\n\n".join(paragraphs(command["discussion"])) + "\n"
    if not children:
        text += f"\n```\n{usage(path, command, arguments)}\n```\n"
        if arguments:
            text += "\n| argument or option | meaning |\n| --- | --- |\n"
            text += "".join(f"| {names(argument)} | {cell(meaning(argument))} |\n" for argument in arguments)
    for child in children:
        text += sections(child, f"{path} {child['commandName']}", level + 1)
    return text


def meaning(argument):
    text = argument.get("abstract", "")
    if argument.get("defaultValue") and "default:" not in text and argument["kind"] != "flag":
        text += f" (default: {argument['defaultValue']})"
    return text


def paragraphs(text):
    """Prose, and examples as code."""
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        if paragraph.startswith("  "):
            yield "```\n" + "\n".join(line[2:] for line in paragraph.splitlines()) + "\n```"
        else:
            yield cell(paragraph)


def document(program):
    command = dump(program)
    children = [child for child in command["subcommands"] if child["commandName"] != "help"]
    text = HEAD + "\n| subcommand | meaning |\n| --- | --- |\n"
    text += "".join(
        f"| [`{child['commandName']}`](#ringfence-{child['commandName']}) | {cell(child.get('abstract', ''))} |\n"
        for child in children)
    return text + "".join(sections(child, f"ringfence {child['commandName']}", 2) for child in children)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    DOCUMENT.write_text(document(sys.argv[1]))
