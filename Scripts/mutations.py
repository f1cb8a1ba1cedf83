#!/usr/bin/env python3
"""Counts the mutations of the sources that their tests catch: Scripts/mutations.py [--seed 1] [--count 60]

A mutation is one small error: a comparison turned or moved by one, a limit moved by one, a condition left out or negated,
a sign turned, in Swift and in the text of statements. The seed chooses as many in each module. A copy of the sources in a
scratch folder gets all of them, each behind the number in RINGFENCE_MUTATION, so that one build serves all. Then the tests
of the mutated module run for each, until the first failure; slow suites run last. Tests that do not end catch nothing. A
statement has the tests of Storage, and the tests of its domain in other targets. The table names the test that caught each
mutation, and the ones that survived.

The first run builds the copy, which takes as long as a clean `make test-swift`; later ones build what differs.
"""
import argparse
import concurrent.futures
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = ["Curation", "Storage", "Publishing", "Intake", "Moderation", "CallerPack"]
# They take longer than the others of their module together.
SLOW = [f"^{suite}/" for suite in [
    r"CurationTests\.AgreementTests", r"CurationTests\.BrigadeSimulationTests", r"CurationTests\.FilingPlacesTests",
    r"CallerPackTests\.RoundTripTests", r"CallerPackTests\.RangeTests", r"PublishingTests\.SimulationTests",
    r"PublishingTests\.SelectionCutTests", r"PublishingTests\.AssemblerPropertyTests",
]]
BUILD = ["swift", "build", "--build-tests", "-debug-info-format", "none", "-Xswiftc", "-index-ignore-system-modules"]

MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+"}
TURNED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
PRECEDENCE = {"&&": "LogicalConjunctionPrecedence", "||": "LogicalDisjunctionPrecedence", "+": "AdditionPrecedence",
              "-": "AdditionPrecedence"}
# Of SQL.
MOVED_SQL = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "<>": "=", "=": "<>", "IS NULL": "IS NOT NULL",
             "IS NOT NULL": "IS NULL", "+": "-", "-": "+", " DESC": "", "AND": "OR", "OR": "AND", "least(": "greatest(",
             "greatest(": "least("}

OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|<|>|&&|\|\||\+|-)(?= )")
# Numbers of columns, of bits and of bytes are no limits.
LIMIT = re.compile(r"(?<![\w.$\[)\"])([1-9][0-9]{0,2}|1_000)(?![\w.])(?! *(?:<<|>>))")
NEGATION = re.compile(r"(?<=[ (\[])!(?=[\w(])")
CONDITION = re.compile(r"^(\s*(?:\} else )?(?:if|guard) |.* where )((?!let |var |case )[^,{}]+?)( else \{.*| \{.*| else)$")
EXTREME = re.compile(r"(?<![\w.])(min|max)(?=\()")
SKIPPED = re.compile(
    r"^\s*(//|import |public import |package import |@|case |precondition|assert|fatalError|logger)|fatalError|\bprecondition"
    r"|\bassert|operator|func [<>=]|@inlinable|default: \"|#if|logger\.|decode\(")
SQL_OPERATOR = re.compile(
    r"(?<= )(<=|>=|<>|<|>|IS NULL|IS NOT NULL|\+|-)(?=[ \n),;])|(?<=[a-z_0-9)]) (=) (?=[$(a-z0-9'])"
    r"|( DESC)\b|\b(least\(|greatest\()")
SQL_CONDITION = re.compile(
    r"(?<= )AND (?:NOT )?[\w.$:]+ (?:(?:<=|>=|<>|<|>|=) [\w.$:']+|IS (?:NOT )?NULL)(?= AND |\)|\n|$)")
SQL_LIMIT = re.compile(r"\bLIMIT (\$\d+(?:::\w+)?|\d+)")
SQL_NUMBER = re.compile(r"(?<=[ (])([1-9][0-9]{0,2})(?=[ ),\n]|$)")


@dataclass
class Site:
    """A place and its change: `text` between `start` and `end` of a line becomes `changed`."""
    module: str
    path: str
    line: int
    start: int
    end: int
    changed: str
    said: str
    operator: tuple[str, str] | None = None
    number: int = 0

    @property
    def place(self):
        return f"{self.path.removeprefix('Sources/')}:{self.line}"


def sites_of_swift(module, path, number, line, chance):
    code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda text: "\0" * len(text[0]), line).split(" // ")[0]
    for match in OPERATOR.finditer(code):
        old = match[1]
        new = chance.choice([MOVED[old], TURNED.get(old, MOVED[old])])
        # Not of generic parameters, and not of declarations.
        yield Site(module, path, number, match.start(1), match.end(1), "", f"`{old}` → `{new}`", (old, new))
    for match in LIMIT.finditer(code):
        new = int(match[1].replace("_", "")) + chance.choice([1, -1])
        yield Site(module, path, number, match.start(1), match.end(1), f"(mutated(#) ? {new} : {match[1]})",
                   f"{match[1]} → {new}")
    for match in NEGATION.finditer(code):
        yield Site(module, path, number, match.start(), match.end(), "", "`!` left out", ("!", ""))
    for match in EXTREME.finditer(code):
        new = {"min": "max", "max": "min"}[match[1]]
        yield Site(module, path, number, match.start(1), match.end(1), f"(mutated(#) ? {new} : {match[1]})",
                   f"{match[1]} → {new}")
    match = CONDITION.match(code)
    if match and match[2].count("(") == match[2].count(")") and "try" not in match[2]:
        condition = line[match.start(2):match.end(2)]
        change, said = chance.choice([
            ("mutated(#) != ({})", "condition negated"),
            ("mutated(#) || ({})", "condition taken as true"), ("!mutated(#) && ({})", "condition taken as false")])
        if "guard" in match[1] and "false" in said or match[1].endswith("where ") and "false" in said:
            change, said = "mutated(#) || ({})", "condition left out"
        yield Site(module, path, number, match.start(2), match.end(2), change.format(condition), said)


def sites_of_sql(module, path, number, line, chance):
    def site(start, end, old, new, said=None):
        old, new = (text.replace("\\", "\\\\").replace('"', '\\"') for text in (old, new))
        return Site(module, path, number, start, end, f'\\(mutated(#) ? "{new}" : "{old}")', said or f"`{old.strip()}` → `{new.strip()}`")
    plain = re.sub(r"\\\([^()]*(?:\([^()]*\)[^()]*)*\)", lambda text: "\0" * len(text[0]), line)
    plain = re.sub(r"'[^']*'", lambda text: "\0" * len(text[0]), plain)
    for match in SQL_OPERATOR.finditer(plain):
        index = next(index for index in range(1, 5) if match[index])
        old = match[index]
        if old == "=" and re.search(r"\bSET\b[^()]*$|^\s*[\w, =$]*,\s*$", plain[:match.start()]):
            continue
        new = chance.choice([MOVED_SQL[old], TURNED.get(old, MOVED_SQL[old])])
        yield site(match.start(index), match.end(index), old, new, "`DESC` left out" if old == " DESC" else None)
    for match in SQL_CONDITION.finditer(plain):
        yield site(match.start(), match.end(), match[0], "", f"`{match[0]}` left out")
    for match in SQL_LIMIT.finditer(plain):
        sign = chance.choice(["+", "-"])
        yield site(match.start(1), match.end(1), match[1], f"({match[1]} {sign} 1)")
    for match in SQL_NUMBER.finditer(plain):
        if plain[:match.start()].endswith("LIMIT ") or re.search(r"(ORDER|GROUP) BY [\w, ]*$", plain[:match.start()]):
            continue
        yield site(match.start(1), match.end(1), match[1], str(int(match[1]) + chance.choice([1, -1])))


def sites(module, chance):
    files = subprocess.run(["git", "ls-files", f"Sources/{module}"], cwd=ROOT, check=True, capture_output=True, text=True)
    for path in sorted(files.stdout.split()):
        if not path.endswith(".swift"):
            continue
        in_text, in_comment = False, False
        for number, line in enumerate((ROOT / path).read_text().split("\n"), 1):
            if '"""' in line:
                in_text = not in_text
                continue
            in_comment = (in_comment or "/*" in line) and "*/" not in line
            if in_text:
                if module == "Storage" and not line.strip().startswith("--"):
                    yield from sites_of_sql(module, path, number, line, chance)
            elif not in_comment and not SKIPPED.search(line):
                yield from sites_of_swift(module, path, number, line, chance)


def symbol(number):
    """The characters of an operator that mean a number."""
    text = ""
    for _ in range(4):
        text, number = text + "^~|%"[number % 4], number // 4
    return text


class Choice:
    """Chooses mutations by a seed, as many of each module, no two of them on one line."""

    def __init__(self, seed, modules):
        self.chance = random.Random(seed)
        self.candidates = {module: list(sites(module, self.chance)) for module in modules}
        for candidates in self.candidates.values():
            self.chance.shuffle(candidates)
        self.taken, self.count = {}, 0

    def next(self, module):
        while self.candidates[module]:
            site = self.candidates[module].pop()
            if (site.path, site.line) not in self.taken:
                self.taken[site.path, site.line] = site
                self.count += 1
                site.number = self.count
                return site
        sys.exit(f"{module} has no more places.")


def support(sites):
    """The file of a mutated module: the switch, and an operator for each mutated one."""
    lines = ["import Foundation", "let mutation = ProcessInfo.processInfo.environment[\"RINGFENCE_MUTATION\"].flatMap { Int($0) }",
             "func mutated(_ number: Int) -> Bool { mutation == number }"]
    for site in sites:
        if not site.operator:
            continue
        old, new = site.operator
        name = old + symbol(site.number)
        if old == "!":
            lines += [f"prefix operator {name}",
                      f"prefix func {name} (value: Bool) -> Bool {{ mutated({site.number}) ? value : !value }}"]
            continue
        lines.append(f"infix operator {name}: {PRECEDENCE.get(old, 'ComparisonPrecedence')}")
        choice = f"mutated({site.number}) ? left {new} right : left {old} right"
        if old in ("&&", "||"):
            lazy = f"mutated({site.number}) ? try left {new} right() : try left {old} right()"
            lines.append(f"func {name} (left: Bool, right: @autoclosure () throws -> Bool) rethrows -> Bool {{ {lazy} }}")
        elif old in ("+", "-"):
            lines += [f"func {name} <T: AdditiveArithmetic>(left: T, right: T) -> T {{ {choice} }}",
                      f"func {name} (left: Date, right: TimeInterval) -> Date {{ {choice} }}"]
        else:
            bound = "Equatable" if old in ("==", "!=") else "Comparable"
            lines.append(f"func {name} <T: {bound}>(left: T, right: T) -> Bool {{ {choice} }}")
    return "\n".join(lines) + "\n"


def write(path, data):
    """Writes a file that differs; an equal one keeps its time, which the build compares."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def prepare(folder, chosen):
    """Copies the tracked files, with the mutations."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    by_path = {}
    for site in chosen:
        by_path.setdefault(site.path, []).append(site)
    present = set()
    for path in filter(None, files.stdout.split("\0")):
        if not (ROOT / path).is_file():
            continue
        present.add(path)
        data = (ROOT / path).read_bytes()
        if path in by_path:
            lines = data.decode().split("\n")
            for site in by_path[path]:
                line = lines[site.line - 1]
                changed = site.changed.replace("#", str(site.number))
                if site.operator:
                    changed = site.operator[0] + symbol(site.number)
                lines[site.line - 1] = line[:site.start] + changed + line[site.end:]
            data = "\n".join(lines).encode()
        write(folder / path, data)
        if os.access(ROOT / path, os.X_OK):
            (folder / path).chmod(0o755)
    for module in MODULES:
        path = f"Sources/{module}/Mutated.swift"
        present.add(path)
        write(folder / path, support([site for site in chosen if site.module == module]).encode())
    # Files that were deleted since the last run.
    for top in ["Sources", "Tests", "Migrations", "Resources"]:
        for file in (folder / top).rglob("*"):
            if file.is_file() and str(file.relative_to(folder)) not in present:
                file.unlink()


def build(folder, choice, chosen):
    """Builds the copy. A mutation that does not compile is replaced by the next of its module."""
    while True:
        prepare(folder, chosen)
        done = subprocess.run([*BUILD, "--scratch-path", ".build"], cwd=folder, capture_output=True, text=True)
        if done.returncode == 0:
            return
        places = {(path, int(line)) for path, line in re.findall(
            r"(Sources/\S+?\.swift):(\d+):\d+: error", done.stdout + done.stderr)}
        wrong = [site for site in chosen if any(
            path.endswith(site.path) and abs(line - site.line) <= 12 for path, line in places)]
        wrong = wrong or [site for site in chosen if any(path == site.path for path, _ in places)]
        if not wrong:
            sys.exit(done.stdout[-8000:] + done.stderr[-2000:])
        for site in wrong:
            print(f"left out, does not compile: {site.place} {site.said}", flush=True)
            chosen[chosen.index(site)] = choice.next(site.module)


def suites(site):
    """The filters of the tests of a mutated file."""
    filters = [f"^{site.module}Tests\\."]
    domain = Path(site.path).parts[2]
    if site.module == "Storage":
        suite = {"Sources": "Importing"}.get(domain, domain) + "Tests"
        if (ROOT / "Tests" / suite).is_dir():
            filters.append(f"^{suite}\\.")
        for file in sorted(ROOT.glob(f"Tests/*Tests/{domain}/*.swift")):
            target = file.relative_to(ROOT).parts[1]
            if target != "StorageTests":
                for name in re.findall(r"@Suite[^\n]*?struct (\w+)", file.read_text().replace("\n", " ").replace("@Suite", "\n@Suite")):
                    filters.append(f"^{target}\\.{name}/")
    return filters


FAILED = re.compile(r"^\S+ Test (\S.*?) recorded an issue|^\S+ Test (\S.*?)(?: with \d+ test cases?)? failed after", re.MULTILINE)


class NoTest(Exception):
    """No test has a name that a filter has."""


class NoEnd(Exception):
    """Tests that had not ended within the limit: neither caught nor survived, because a busy machine does the same."""


def run(folder, number, filters, skipped, limit):
    """Runs tests until the first failure. Returns the name of the failure; None without one."""
    program = folder / ".build/debug/ringfencePackageTests.xctest"
    command = [str(program), "--testing-library", "swift-testing"]
    for filter in filters:
        command += ["--filter", filter]
    for name in skipped:
        command += ["--skip", name]
    environment = dict(os.environ, RINGFENCE_MUTATION=str(number), SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="8")
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True) as process:
        late = threading.Event()

        def end():
            late.set()
            os.killpg(process.pid, signal.SIGKILL)
        timer = threading.Timer(limit, end)
        timer.start()
        try:
            found, said = None, []
            for line in process.stdout:
                said.append(line)
                match = FAILED.match(line)
                if match and "known issue" not in line:
                    found = match[1] or match[2]
                    os.killpg(process.pid, signal.SIGKILL)
                    break
            process.wait()
        finally:
            timer.cancel()
    if found:
        return found
    if late.is_set():
        raise NoEnd
    # Swift Testing ends with it where no test has one of the names.
    if process.returncode == os.EX_UNAVAILABLE:
        raise NoTest(" ".join(filters))
    if process.returncode:
        return f"the process ended with {process.returncode}"
    return None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=60)
    options.add_argument("--module", action="append", choices=MODULES, help="only this module; more than one is possible")
    options.add_argument("--folder", type=Path, default=ROOT / ".build/mutations", help="the scratch folder")
    options.add_argument("--parallel", type=int, default=2)
    options.add_argument("--seconds", type=int, default=300, help="the limit of the tests of one mutation")
    options.add_argument("--list", action="store_true", help="only print the mutations")
    options = options.parse_args()
    modules = options.module or MODULES
    choice = Choice(options.seed, modules)
    print(", ".join(f"{module} {len(places)} places" for module, places in choice.candidates.items()), flush=True)
    chosen = [choice.next(modules[index % len(modules)]) for index in range(options.count)]
    if options.list:
        for site in chosen:
            print(f"{site.place}: {site.said}")
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    build(options.folder, choice, chosen)

    print(f"\n| no. | file and line | mutation | caught by |\n| ---: | --- | --- | --- |", flush=True)

    def test(site):
        began = time.monotonic()
        slow = [suite for suite in SLOW if suite.startswith(f"^{site.module}Tests")]
        try:
            caught = run(options.folder, site.number, suites(site), slow, options.seconds)
            if not caught and slow:
                caught = run(options.folder, site.number, slow, [], options.seconds)
            result = caught or "**survived**"
        except NoEnd:
            caught, result = None, f"**no end within {options.seconds} s**"
        print(f"| {site.number} | {site.place} | {site.said.replace('|', chr(92) + '|')} | {result} |",
              f"<!-- {time.monotonic() - began:.0f} s -->", flush=True)
        return caught

    # Without a mutation every test passes; otherwise the table would say nothing.
    try:
        failed = run(options.folder, 0, [f"^{module}Tests\\." for module in modules], [], 1_800)
    except NoEnd:
        failed = "no end within 1800 s"
    if failed:
        sys.exit(f"Without a mutation: {failed}")
    with concurrent.futures.ThreadPoolExecutor(options.parallel) as threads:
        caught = sum(1 for found in threads.map(test, chosen) if found)
    print(f"\nSeed {options.seed}: {caught} of {len(chosen)} caught.")


main()
