"""The grammars of the documents of packs and publications describe the vectors."""

import base64
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent
subprocess.run([sys.executable, CHECKOUT / "Scripts/make-vectors.py", FOLDER, "--missing"], check=True, capture_output=True, timeout=300)
VECTORS = json.loads((FOLDER / "vectors.json").read_text())
PAGES = CHECKOUT / "Sources/CallerPack/CallerPack.docc"

# RFC 5234, appendix B.1, and RFC 3629, section 4, with a range for each of its rows.
CORE = """
ALPHA = %x41-5A / %x61-7A
DIGIT = %x30-39
DQUOTE = %x22
HTAB = %x09
LF = %x0A
UTF8-2 = %xC2-DF tail
UTF8-3 = %xE0 %xA0-BF tail / %xE1-EC 2tail / %xED %x80-9F tail / %xEE-EF 2tail
UTF8-4 = %xF0 %x90-BF 2tail / %xF1-F3 3tail / %xF4 %x80-8F 2tail
tail = %x80-BF
"""
# Rules of one byte, which are asked most.
SINGLE = {"ALPHA", "DIGIT", "b64", "b64-end", "hex", "low"}
TOKEN = re.compile(r'(?:%s)?"([^"]*)"|%x([0-9A-F]+)(?:-([0-9A-F]+))?|(\d*)\*(\d*)|(\d+)|([A-Za-z][A-Za-z0-9-]*)|([()/\[\]])')


class Grammar:
    """ABNF as far as the pages use it. An element maps positions in the data to the positions where it may end."""

    def __init__(self, text):
        self.rules = {}
        lines = [re.sub(r"(?<= );[^\"]*$", "", line) for line in (CORE + text).splitlines()]
        for rule in re.split(r"\n(?=\S)", "\n".join(lines).strip()):
            name, body = rule.split("=", 1)
            self.tokens = [match.groups() for match in TOKEN.finditer(body)]
            left = TOKEN.sub("", body).strip()
            assert not left and name.strip() not in self.rules, (name, left)
            self.rules[name.strip()] = self.choice()
            assert not self.tokens

    def has(self, symbols):
        return bool(self.tokens) and self.tokens[0][7] is not None and self.tokens[0][7] in symbols

    def choice(self):
        options = [self.sequence()]
        while self.has("/"):
            self.tokens.pop(0)
            options.append(self.sequence())
        return options[0] if len(options) == 1 else lambda data, at: set().union(*(option(data, at) for option in options))

    def sequence(self):
        parts = []
        while self.tokens and not self.has("/)]"):
            parts.append(self.repetition())

        def run(data, at):
            ends = {at}
            for part in parts:
                ends = set().union(*(part(data, end) for end in ends)) if len(ends) != 1 else part(data, *ends)
                if not ends:
                    break
            return ends
        return parts[0] if len(parts) == 1 else run

    def repetition(self):
        _, _, _, least, most, count, _, _ = self.tokens[0]
        if least is None and count is None:
            return self.element()
        self.tokens.pop(0)
        least, most = (int(count), int(count)) if count else (int(least or 0), int(most or 1 << 30))
        part = self.element()

        def run(data, at):
            ends, new, done = {at} if least == 0 else set(), {at}, 0
            while new and done < most:
                done += 1
                new = set().union(*(part(data, end) for end in new)) - (ends if done > least else set())
                ends |= new if done >= least else set()
            return ends
        return run

    def element(self):
        text, low, high, _, _, _, name, symbol = self.tokens.pop(0)
        if symbol in ("(", "["):
            inside = self.choice()
            assert self.tokens.pop(0)[7] == {"(": ")", "[": "]"}[symbol]
            return inside if symbol == "(" else lambda data, at: {at} | inside(data, at)
        if name:
            if name not in SINGLE:
                return lambda data, at: self.rules[name](data, at)
            fits = cache(lambda byte: bool(self.rules[name](byte, 0)))
            return lambda data, at: {at + 1} if fits(data[at:at + 1]) else set()
        if low:
            span = range(int(low, 16), int(high or low, 16) + 1)
            return lambda data, at: {at + 1} if at < len(data) and data[at] in span else set()
        literal = text.encode()
        return lambda data, at: {at + len(literal)} if data.startswith(literal, at) else set()

    def matches(self, rule, data):
        return len(data) in self.rules[rule](data, 0)


@cache
def grammar(page, heading):
    section = (PAGES / page).read_text().split(f"{heading}\n")[1]
    return Grammar(section.split("```\n")[1])


def read(name):
    return (FOLDER / name).read_bytes()


def payload(vector):
    return base64.b64decode(json.loads(read(vector["file"]))["payload"])


def documents(name):
    return [vector for vector in VECTORS[name] if (FOLDER / vector["file"]).stat().st_size < 20_000]


def forms(vector):
    """Whether the vector has the form of an envelope, where it is one, and of a document."""
    publication = grammar("Publication.md", "### 3.5 Grammar")
    if vector["as"] not in ("manifest", "root"):
        return publication.matches("document", read(vector["file"]))
    return publication.matches("envelope", read(vector["file"])) and publication.matches("document", payload(vector))


# Form that the page excludes from the grammar, or that needs the context: the expected type, and the number of a key's signatures.
BEYOND = {
    "3.1": {"keys in another order", "a key twice", "the version twice", "nine levels"},
    "4.1": {"the payload type of a root", "a root", "a manifest"},
    "4.2": {"two signatures of one key"}}


def test_accepted_documents_have_the_grammar():
    found = documents("accepted_documents")
    assert len(found) >= 20
    assert not [vector["file"] for vector in found if not forms(vector)]


def test_the_grammar_tells_broken_forms_from_broken_rules():
    found = documents("refused_documents")
    assert len(found) >= 200
    for vector in found:
        rule = vector["rule"].split()[1]
        breaks_form = rule in BEYOND and vector["reason"] not in BEYOND[rule]
        assert forms(vector) != breaks_form, (vector["file"], vector["reason"])


def test_times_have_the_grammar():
    publication = grammar("Publication.md", "### 3.5 Grammar")
    for vector in VECTORS["accepted_documents"]:
        if vector["as"] == "manifest":
            head = json.loads(payload(vector))
            assert all(publication.matches("time", head[name].encode()) for name in ("issued", "as_of", "expires"))
            assert all(publication.matches("digest", name.encode()) for name in head["bins"])
    assert not any(publication.matches("time", text) for text in (b"2026-11-22T01:10:00z", b"12026-11-22T01:10:00Z", b"2026-11-22T01:10:00.5Z"))


@pytest.mark.parametrize("vector", [vector for vector in VECTORS["packs"] if vector["file"] != "packs/largest-block.rfpack"],
                         ids=lambda vector: vector["file"])
def test_dumps_have_the_grammar(vector):
    dump = read(vector["dump"])
    if len(dump) < 20_000:
        assert grammar("PackFormat.md", "## 16 The dump of the vectors").matches("dump", dump)


@pytest.mark.parametrize("text", [b"1", b"0\n", b"1\t\n", b"1\ta\tBlock\n", b"1\t\\x\n", b"1\t\\u001B\n", b"1\ta\x01\n", b"+1\n", b"1\r\n"])
def test_other_dumps_do_not_have_the_grammar(text):
    assert not grammar("PackFormat.md", "## 16 The dump of the vectors").matches("dump", text)
