#!/usr/bin/env python3
"""Checks texts for words and sentence openings that CONTRIBUTING.md excludes.

    python Tests/Documentation/language_lint.py [PATH…]

Prints FILE:LINE: MATCH for each finding. Without a path it checks the areas of CLEAN. The exit code is 1 with findings.
"""

import json
import re
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

# The areas that test_language.py holds without findings.
CLEAN = [
    "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md",
    "Makefile", "Docker", "Documentation",
    "Examples", "Migrations", "Public", "Resources/openapi.yaml", "Resources/Localization/en", "Scripts", "Sources", "Tests", "Clients"]

# Lines with a match that is right: part of the path, and part of the line.
ALLOWED = [
    ("Tests/Documentation/language_lint.py", ""),  # This file names the words.
    ("Sources/ModerationSite/Statistics/HomePages.swift", "A bar chart"),
    ("Sources/RingfenceCommand/Progress/ProgressMeter.swift", " a bar"),
    ("Tests/Browser/layout_checks.py", "a bar"),
    ("CONTRIBUTING.md", "Do not start a sentence with"),
]

OPENING = re.compile(r"^(?:What|Whoever|Whose|Whom|Who|Nobody|That which)\b")
# A heading of a column in lower case is a noun ("who", "what for"); a longer cell is a sentence.
CELL_OPENING = re.compile(r"^(?:what|whoever|whose|whom|who|nobody|that which)(?: [^ ]+){3,}")
WORDS = {
    r"mend(?:s|ed|ing)?": "fix, correct",
    r"whoever|whomever": "name the person",
    r"bears?|bore|borne|bearing": "carry, include",
    r"(?:tells?|told|telling) of": "report, describe",
    r"stands?|stood|standing": "be",
    r"believe[sd]?|believing": "accept",
    r"look(?:s|ed|ing)? at": "check, see",
    r"g[ai]ve[sn]? back|giving back": "return",
    r"the whole": "total, complete",
    r"that which": "what, the X that",
    r"rulings?": "decision",
    r"(?:audit )?trail": "audit log",
    r"crowd": "reporters",
    r"changed? (?:his |her |their )?minds?": "a newer report replaces the vote",
    r"(?:one|new|older|earlier|last) words? (?:a|from|of|about)|reporters'? words?": "report, vote",
    r"hand(?:s|ed)? (?:it |them )?up": "escalate",
    r"(?:the|its|their|a) bar": "threshold",
    r"night (?:diff|job)s?|(?:first|next|two|last|past|of a|by|that) nights?(?! of)": "publication",
    r"desk (?:job|line)s?": "background job",
    r"who (?:rang|spoke)": "identification, reporter",
    r"sights": "fixture",
    # Constructions that read as the opposite, or as another language.
    r"(?:does|do|did) not list (?:it|them|the number|a number) because of": "reports do not list it",
    r"most treatment": "strongest action",
    r"counts? for nothing": "is ignored",
    r"for own \w+": "for your own, for calls of your own",
    r"hottest": "with the highest heat",
    r"another one": "a different one; a second, a new",
    r"(?:is|are) whole": "complete",
    r"(?:that|those) of": "repeat the noun",
    r"beside (?:an? |the |this )?(?:(?:running|older|newer|old|new|earlier|genuine) )+(?:ones?|programs?|publishers?|servers?|waves?)": "while ... runs",
    r"beside (?:an? |the |this )?(?:compilers?|intake|publications?|servers?)": "while ... runs",
    r"beside (?:each other|every other|people|connections|local|all other)": "at the same time, in addition to",
}
# One spelling, the American one, in prose; names in code are not prose.
BRITISH = {
    r"analys(?:e[ds]?|ing)": "analyze", r"artefacts?": "artifact", r"behaviours?": "behavior",
    r"cancell(?:ed|ing)": "canceled", r"catalogues?": "catalog", r"centres?|centred": "center", r"colour\w*": "color",
    r"defences?|offences?": "defense", r"diall(?:ed|ing)": "dialed", r"favour\w*": "favor", r"fulfil": "fulfill",
    r"grey": "gray", r"honour\w*": "honor", r"judgement": "judgment", r"(?:re)?labell(?:ed|ing)": "labeled",
    r"labour": "labor", r"licence[sd]?": "license", r"modell(?:ed|ing)": "modeled", r"neighbour\w*": "neighbor",
    r"practise[ds]?": "practice", r"programmes?": "program", r"signall(?:ed|ing)": "signaled", r"spelt": "spelled",
    r"towards": "toward", r"travell\w+": "traveled", r"whilst": "while",
    r"(?:author|character|emphas|final|general|harmon|initial|maxim|minim|normal|optim|organ|real|recogn|serial|summar"
    r"|synchron|util|visual)is(?:e[ds]?|ing|ations?)": "-ize",
}
WORDS |= BRITISH
BANNED = {re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE): advice for pattern, advice in WORDS.items()}
# These hold punctuation, or the words beside them.
UNITS = (r"second|minute|hour|day|week|month|year|answer|batch|connection|domain|entry|file|key|line|network|number|page|reporter"
         r"|report|request|row|server|vote")
COUNTED = r"[Bb]ytes|[Nn]umbers|reports|[Rr]equests"
BANNED[re.compile(rf"\b(?:\d[\d,.]*(?<![.,])|\d[\d,.]* (?:{COUNTED}|rows|seconds|times|[KMG]i?B|ns|ms)|(?:{COUNTED})) an? (?:{UNITS})\b"
                  r"(?! (?:can|cost|does|has|is|list|may|number|of 20)\b)")] = "per"
BANNED[re.compile(r", also (?:after|as|at|by|for|from|if|in|of|on|through|to|when|where|while|with|without)\b")] = (
    "even if, including")
ANY = re.compile("|".join(pattern.pattern for pattern in BANNED), re.IGNORECASE)
CODE = re.compile(r"``[^`]+``|`[^`]*`")
SUFFIXES = {".md", ".swift", ".py", ".sh", ".sql", ".json", ".yaml", ".yml", ".h", ".c", ".cpp", ".js", ".css", ".java", ""}
SKIPPED = {"__pycache__", ".venv", ".build"}


def files(path):
    if path.is_file():
        return [path]
    return sorted(
        file for file in path.rglob("*")
        if file.is_file() and file.suffix in SUFFIXES and not SKIPPED & set(file.parts) and not file.name.startswith("."))


def markdown(text):
    """Prose outside code; a table's cells are lines of their own. Code in a line becomes `x`."""
    fence, previous = None, ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark:
            fence = None if fence else mark[1]
            yield number, ""
            continue
        if fence or re.match(r"(?: {4}|\t)(?! *[-*\d])", line) and not previous.strip():
            yield number, ""
            continue
        previous = line
        plain = re.sub(r"\]\([^)]*\)", "]", CODE.sub("`x`", line))
        if plain.lstrip().startswith("|"):
            for cell in plain.strip().strip("|").split("|"):
                yield number, ""
                yield number, "| " + cell.strip()
            yield number, ""
        elif re.match(r"\s*(?:[-*+]|\d+\.|#+) ", plain):
            yield number, ""
            yield number, re.sub(r"^\s*(?:[-*+]|\d+\.|#+) +", "", plain).lstrip("*_[ ")
            if plain.startswith("#"):
                yield number, ""
        else:
            yield number, plain.strip()


def comments(text, mark):
    """The comments that take a line or end one, and text without code."""
    pattern = re.compile(rf"(?:^|\s){mark}+ ?(.*)$")
    for number, line in enumerate(text.splitlines(), 1):
        found = pattern.search(line)
        body = found[1] if found else ""
        # A parameter's text starts after its name.
        body = re.sub(r"^- (?:Parameters?|Returns|Throws|Note)?\b[^:]*: *", "", body)
        if found and re.match(r"\s*(?:- |\| )", found[1]):
            yield number, ""
        yield number, CODE.sub("`x`", body)


def docstrings(text):
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        marks = line.count('"""')
        if inside or marks:
            yield number, line.replace('"""', "").strip()
        else:
            yield number, ""
        if marks % 2:
            inside = not inside


def swift_literals(text):
    """Sentences in literals, such as the help of commands. A literal of several lines is a text of its own."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        marks = line.count('"""')
        if inside or marks:
            # A backslash at the end joins the line with the next one.
            prose = line.replace('"""', "") if inside and not marks else ""
            yield number, prose.strip().rstrip("\\").strip()
            inside = inside != (marks % 2 == 1)
            continue
        yield number, ""
        code = re.sub(r"(?:^|\s)///?.*$", "", line)
        for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', code):
            if literal.count(" ") >= 2:
                yield number, literal
                yield number, ""


def catalog(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(r'": "(.*)"', line) or re.match(r'\s*"(.*)",?$', line)
        yield number, ""
        if found:
            yield number, json.loads(f'"{found[1]}"')
            yield number, ""


def described(text):
    """YAML: comments and texts, without the keys."""
    for number, line in enumerate(text.splitlines(), 1):
        plain = re.sub(r"^\s*(?:- )?(?:[\w$/{}.'-]+: ?(?:[>|]-?)?)?|^\s*#+ ?", "", line)
        plain = re.sub(r"^\{?(?:\w+: )?(?:description: )?", "", plain)
        starts = re.match(r"\s*(?:- )?[\w$/{}.'-]+:", line)
        if starts:
            yield number, ""
        yield number, plain.strip()


def streams(file, text):
    """The texts of a file, each as pairs of a line's number and its prose."""
    if file.suffix == ".md":
        yield markdown(text)
    elif file.suffix in (".swift", ".h", ".c", ".cpp", ".js", ".css"):
        yield comments(text, "//")
        if file.suffix == ".swift" and {"RingfenceCommand", "BenchmarkCommand"} & set(file.parts):
            yield swift_literals(text)
    elif file.suffix == ".java":
        yield comments(re.sub(r"(?m)^(\s*)(?:/\*\*|\*/?) ?", r"\1// ", text), "//")
    elif file.suffix == ".py":
        yield comments(text, "#")
        yield docstrings(text)
    elif file.suffix == ".sql":
        yield comments(text, "--")
        yield [(number, (re.findall(r"'([^']* [^']*)'", line) or [""])[0]) for number, line in enumerate(text.splitlines(), 1)]
    elif file.suffix == ".json" and "Localization" in file.parts:
        yield catalog(text)
    elif file.suffix in (".yaml", ".yml"):
        yield described(text)
    elif file.suffix in (".sh", "") :
        yield comments(text, "#")


def sentences(lines):
    """Sentences with the number of the line that each starts on; an empty line ends a paragraph."""
    started, words = 0, ""
    for number, line in [*lines, (0, "")]:
        if line.startswith("| "):
            yield number, line[2:], True
            continue
        for piece in re.split(r"(?<=[.!?:])(?: +|$)", line) if line else []:
            if not words:
                started = number
            words = f"{words} {piece}".strip()
            if re.search(r"[.!?:]$", piece):
                yield started, words, False
                words = ""
        if not line and words:
            yield started, words, False
            words = ""


def findings(file):
    """The number of the line, the match and the advice, for each finding of a file."""
    text = file.read_text(errors="replace")
    shown = str(file.relative_to(CHECKOUT)) if file.is_relative_to(CHECKOUT) else str(file)
    lines = text.splitlines()
    for stream in streams(file, text):
        stream = list(stream)
        found = []
        for number, sentence, is_cell in sentences(stream):
            opening = OPENING.match(sentence.lstrip("*_([\"“")) or (is_cell and CELL_OPENING.match(sentence))
            if opening and not sentence.rstrip("*_)\"”").endswith("?"):
                found.append((number, opening[0], "start with the subject"))
        for number, prose in stream:
            if not ANY.search(prose):
                continue
            found += [(number, match[0], advice) for pattern, advice in BANNED.items() for match in pattern.finditer(prose)]
        for number, match, advice in found:
            if not any(part in shown and fragment in lines[number - 1] for part, fragment in ALLOWED):
                yield number, match, advice


def lint(paths):
    for path in paths:
        for file in files(path):
            shown = file.relative_to(CHECKOUT) if file.is_relative_to(CHECKOUT) else file
            for number, match, advice in sorted(set(findings(file))):
                yield f"{shown}:{number}: {match} ({advice})"


def main():
    paths = [Path(name).resolve() for name in sys.argv[1:]] or [CHECKOUT / name for name in CLEAN]
    missing = [path for path in paths if not path.exists()]
    if missing:
        sys.exit(f"There is no {missing[0]}.")
    found = list(lint(paths))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
