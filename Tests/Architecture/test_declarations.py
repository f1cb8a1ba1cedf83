"""Each declaration has a user, and is visible no further than its users need.

The check compares words, not symbols: a name counts as used where it occurs anywhere else as a word. So it finds no
wrong ones, and misses those that share their name with another declaration.
"""

import re
from collections import defaultdict
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = CHECKOUT / "Sources"

# Interfaces for programs outside this repository: their declarations may have no user in it.
KIT = {"CallerPack", "CallerPackBuilder", "CallDirectory", "RingfenceClient", "PhoneNumbers"}

# Names that a protocol of the language or of a library requires.
REQUIRED = {
    "init", "subscript", "description", "debugDescription", "hash", "encode", "next", "makeIterator", "makeAsyncIterator",
    "rawValue", "allCases", "errorDescription", "response", "run", "configuration", "unownedExecutor", "enqueue",
    "callAsFunction", "underestimatedCount", "codingPath", "userInfo", "stringValue", "intValue", "body", "status",
    "appendLiteral", "appendInterpolation", "channelWritabilityChanged", "makeCounter", "makeFloatingPointCounter", "makeMeter", "makeRecorder",
    "makeTimer", "destroyCounter", "destroyFloatingPointCounter", "destroyMeter", "destroyRecorder", "destroyTimer",
    "recordNanoseconds", "triggerUserOutboundEvent", "channelActive", "channelInactive", "setup", "coreContext",
    "connectionOpened", "connectionClosed", "isAcceptingNewConnections", "allValueStrings", "defaultValueDescription", "allValueDescriptions",
}

# Named by tests alone, with the reason.
TEST_ONLY = {
    "isValidByLibrary",  # The reference for the table of valid numbers.
    "countryCode",  # Checked while it is decoded.
    "processID",  # Tests end the process of a connection.
}

DECLARATION = re.compile(
    r"^(?P<indent> *)(?:@[\w.]+(?:\([^)]*\))? )*(?P<access>public |package )"
    r"(?:private\(set\) |final |static |class |nonisolated |mutating |indirect |override |convenience |lazy |borrowing "
    r"|consuming )*(?:struct|class|enum|actor|protocol|typealias|func|var|let) `?(?P<name>[A-Za-z_]\w*)`?", re.MULTILINE)
ANY_DECLARATION = re.compile(
    r"^ *(?:@[\w.]+(?:\([^)]*\))? )*(?:(?:public|package|private|fileprivate|final|static|class|nonisolated|mutating|indirect"
    r"|override|private\(set\)|lazy) )*(?:struct|class|enum|actor|protocol|typealias|func|var|let) `?([A-Za-z_]\w*)`?",
    re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")


def without_comments(text: str) -> str:
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


def texts(folder: Path) -> dict[Path, str]:
    return {file: without_comments(file.read_text()) for file in sorted(folder.rglob("*.swift"))}


def words_by_target() -> dict[str, dict[str, int]]:
    """How often each word occurs, by target of Sources, and by `Tests`, `Benchmarks` and `Examples`."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for folder in ("Sources", "Tests", "Benchmarks", "Examples", "Resources"):
        for file in sorted((CHECKOUT / folder).rglob("*")):
            if file.suffix not in {".swift", ".html", ".mustache"} or "Kit" in file.parts or ".build" in file.parts:
                continue
            target = file.relative_to(SOURCES).parts[0] if folder == "Sources" else folder
            for word in WORD.findall(without_comments(file.read_text())):
                counts[target][word] += 1
    return counts


# From the access to the body: other declarations that it names must be as visible.
SIGNATURE = re.compile(r"^ *(?:@[\w.]+(?:\([^)]*\))? )*(?:public|package) (?:[^{]|\{ [^{}]* in [^{}]*\}){0,900}?(?=\{(?! [^{}]* in [^{}]*\})|\n *\n|\n *///|\n *(?:public|package) |\n *\}|\Z)", re.MULTILINE)


def named_by_signatures() -> dict[str, set[str]]:
    """The types that exposed declarations name, by target; the name that a declaration introduces is not among them."""
    names: dict[str, set[str]] = defaultdict(set)
    for file, text in texts(SOURCES).items():
        target = file.relative_to(SOURCES).parts[0]
        for match in SIGNATURE.finditer(text):
            own = DECLARATION.match(match[0])
            names[target] |= set(WORD.findall(match[0])) - ({own["name"]} if own else set())
        # Members that a protocol requires are as visible as the protocol.
        for body in re.findall(r"^(?:public|package) protocol [^{]*\{(.*?)^\}", text, re.MULTILINE | re.DOTALL):
            names[target] |= set(re.findall(r"(?:func|var|typealias|associatedtype) `?(\w+)", body))
        for values in re.findall(r"^ *case \w+\((.*)", text, re.MULTILINE):
            names[target] |= set(WORD.findall(values))
    return names


def declarations():
    for file, text in texts(SOURCES).items():
        target = file.relative_to(SOURCES).parts[0]
        for match in DECLARATION.finditer(text):
            if match["name"] not in REQUIRED:
                yield target, file.relative_to(CHECKOUT), match["access"].strip(), match["name"]


def test_each_package_or_public_declaration_is_used_by_another_target():
    counts = words_by_target()
    named = named_by_signatures()
    wrong = [
        f"{file}: {access} {name}: only {target} uses it: remove {access}"
        for target, file, access, name in declarations()
        if target not in KIT and name not in named[target] and not any(words[name] for other, words in counts.items() if other != target)
    ]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong)


def test_each_declaration_is_used_outside_tests():
    counts = words_by_target()
    total = defaultdict(int)
    for target, words in counts.items():
        if target != "Tests":
            for word, count in words.items():
                total[word] += count
    wrong = []
    for file, text in texts(SOURCES).items():
        if file.relative_to(SOURCES).parts[0] in KIT:
            continue
        for match in ANY_DECLARATION.finditer(text):
            name = match[1]
            if name != "_" and name not in REQUIRED | TEST_ONLY and total[name] == 1:
                users = "only tests use it" if counts["Tests"][name] else "nothing uses it"
                wrong.append(f"{file.relative_to(CHECKOUT)}: {name}: {users}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong)
