#!/usr/bin/env python3
"""Writes the test vectors of Tests/Vectors: packs, deltas and a signed publication, valid ones and ones that break a rule.

usage: make-vectors.py FOLDER              replaces everything in FOLDER except README.md, *.py and SHA256SUMS, and fails
                                           if the files do not agree with SHA256SUMS
       make-vectors.py FOLDER --missing    does nothing if FOLDER already has the vectors
       make-vectors.py FOLDER --sums       also writes SHA256SUMS, after a change of the vectors

The result depends on nothing but this file, the two readers beside it, and Tests/CallerPackTests/Golden. Each vector
that breaks a rule is read here once, and must be refused for exactly that rule.
"""
import argparse
import base64
import fcntl
import hashlib
import json
import shutil
import struct
import sys
import zlib
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pack_reader as packs
import publication_reader as publications
from pack_reader import FIELDS, BitWriter, Dictionary, Refused

GOLDEN = Path(__file__).resolve().parents[1] / "Tests/CallerPackTests/Golden"
NOW = 1_795_000_000
KEYS = {name: hashlib.sha256(f"ringfence test key {name}".encode()).digest() for name in ("first", "second", "stranger")}
PUBLIC = {name: publications.Ed25519.public(seed) for name, seed in KEYS.items()}
OFFSETS = dict(
    version=(8, 2), flags=(10, 2), kind=(12, 1), profile=(13, 1), shift=(14, 1), zero=(15, 1), serial=(16, 8), base=(24, 8),
    created=(32, 8), entries=(40, 4), blocking=(44, 4), identifying=(48, 4), blocks=(52, 4), stored=(56, 4), text=(60, 4),
    tokens=(64, 4), max_block=(68, 4), max_label=(72, 4), index_crc=(76, 4), last=(80, 8), dictionary_crc=(112, 4),
    zero2=(116, 4), length=(120, 4), crc=(124, 4))


# Packs.


def varint(value, width=1):
    out = []
    while value > 127 or len(out) < width - 1:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + [value])


def group(texts):
    out, before = b"", b""
    for text in sorted(texts):
        shared = 0
        while shared < min(len(text) - 1, len(before)) and text[shared] == before[shared]:
            shared += 1
        out += bytes([shared, len(text) - shared]) + text[shared:]
        before = text
    return out


class Made:
    """A dictionary with its counts: `codes` has, by code and by bits, the tokens that go on and those that end."""

    def __init__(self, again, spell, *codes, deflated=False, longest=None, width=1, tokens=None, counts=None):
        lists = [code for code in codes] + [{}] * (2 - len(codes))
        out, texts = bytes([again, spell]), b""
        for code in lists:
            most = longest if longest is not None else max(code, default=0)
            out += bytes([most])
            for bits in range(1, most + 1):
                going, ending = code.get(bits, ((), ()))
                out += varint(len(going), width) + varint(len(ending), width)
        for code in lists:
            for bits in sorted(code):
                texts += group(code[bits][0]) + group(code[bits][1])
        every = [text for code in lists for pair in code.values() for half in pair for text in half]
        self.expanded = out + (texts if tokens is None else tokens)
        self.tokens, self.text = counts or (len(every), sum(map(len, every)))
        self.stored = self.store(deflated)
        self.loaded = Dictionary(self.stored, self.tokens, self.text) if counts is None and tokens is None else None

    def store(self, deflated=False):
        # One block without compression, so that the bytes do not depend on the release of zlib.
        body = self.expanded
        if deflated:
            body = b"\1" + struct.pack("<HH", len(body), len(body) ^ 0xFFFF) + body
        return bytes([deflated]) + struct.pack("<I", len(self.expanded)) + body


def header(kind, shift=12, dictionary=None, **fields):
    values = dict.fromkeys(FIELDS, 0)
    values |= dict(version=1, kind=kind, profile=1, shift=shift, serial=7, created=1_700_000_000, region=bytes(24))
    if dictionary:
        values |= dict(text=dictionary.text, tokens=dictionary.tokens)
    return SimpleNamespace(**values | fields)


def written(kind, entries, dictionary=None, **fields):
    stored = dictionary.stored if dictionary else b""
    return packs.write_pack(header(kind, dictionary=dictionary, **fields), stored, dictionary and dictionary.loaded, entries)


def get(data, name):
    at, width = OFFSETS[name]
    return int.from_bytes(data[at:at + width], "little")


def put(data, **fields):
    """Replaces header fields and corrects the header's CRC, unless it is among them."""
    data = bytearray(data)
    for name, value in fields.items():
        at, width = OFFSETS[name]
        data[at:at + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
    if "crc" not in fields and len(data) >= 128:
        data[124:128] = struct.pack("<I", zlib.crc32(data[:124]))
    return bytes(data)


def index_of(data):
    blocks = get(data, "blocks")
    at = len(data) - 16 * blocks
    return at, [list(struct.unpack_from("<QII", data, at + 16 * i)) for i in range(blocks)]


def with_index(data, change, **fields):
    """Replaces the index; the CRC of the index and the header's are right."""
    at, index = index_of(data)
    change(index)
    index = b"".join(struct.pack("<QII", *row) for row in index)
    return put(data[:at] + index, index_crc=zlib.crc32(index), **fields)


def assembled(kind, blocks, dictionary=None, shift=12, **fields):
    """A pack of blocks given as bytes: (first number, number column's variant and bytes, label column)."""
    stored = dictionary.stored if dictionary else b""
    body, index, most = b"", b"", 0
    for first, numbers, labels in blocks:
        block = numbers[:1] + (len(numbers) - 1).to_bytes(3, "little") + numbers[1:] + labels
        index += struct.pack("<QII", first, 128 + len(stored) + len(body), zlib.crc32(block))
        body, most = body + block, max(most, len(block))
    defaults = dict(
        blocks=len(blocks), stored=len(stored), max_block=most, index_crc=zlib.crc32(index),
        dictionary_crc=zlib.crc32(stored), length=128 + len(stored) + len(body) + len(index))
    return packs.pack_header(header(kind, shift, dictionary), defaults | fields) + stored + body + index


def bits(text):
    text = text.replace(" ", "")
    return int(text + "0" * (-len(text) % 8) or "0", 2).to_bytes((len(text) + 7) // 8, "big")


def spelled(text, code="11"):
    return code + f"{len(text):016b}" + "".join(f"{byte:08b}" for byte in text)


# AGAIN is 10, SPELL 11, "Bank" 0.
PLAIN = Made(2, 2, {1: ((), (b"Bank",))})
# In code 0 "B", AGAIN, SPELL and "Sc"; in code 1 "a", "am", "k", "n" and "nk".
WORDS = Made(
    2, 3, {1: ((b"B",), ()), 3: ((b"Sc",), ())},
    {2: ((b"a",), (b"am", b"k")), 3: ((b"n",), (b"nk",))})


def one_label(column, longest, dictionary=PLAIN, entries=1, kind=2, **fields):
    """A pack of consecutive numbers from 7 on, whose numbers need no bits, with this label column."""
    identifying = dict(identifying=entries) if kind == 2 else {}
    return assembled(
        kind, [(7, b"\0", column)], dictionary,
        **dict(entries=entries, last=6 + entries, max_label=longest) | identifying | fields)


def once(make):
    """Keeps what a generator makes."""
    return cache(lambda: list(make()))


@once
def valid_packs():
    for name in ("empty", "blocking", "example", "labels"):
        yield name, "made by the Swift writer", (GOLDEN / f"{name}.rfpack").read_bytes()
    yield "one-number", "15 digits", written(1, [(999_999_999_999_999, 1, b"")])
    yield "least-and-greatest", "1 and 15 digits", written(1, [(1, 1, b""), (999_999_999_999_999, 1, b"")])
    yield "run", "consecutive numbers need no bits", written(1, [(n, 1, b"") for n in range(500, 600)])
    yield "blocks", "six blocks of at most four entries", written(1, [(n * n * 37 + 11, 1, b"") for n in range(23)], shift=2)
    yield "largest-block", "16,384 entries and a block of one", written(1, [(n, 1, b"") for n in range(1, 16386)], shift=14)
    yield "standard", "profile 2, region of 23 characters", written(
        1, [(5, 1, b"")], profile=2, region=b"\x17" + b"Abc-xyz_0.9-ABC-xyz-012")
    yield "all-roles", "each step of roles, in five blocks", written(
        3, [(1000 + 3 * n, 1 + (n * 5 + n // 3) % 3, b"" if (n * 5 + n // 3) % 3 == 0 else [b"Bank", b"Scam"][n // 4 % 2])
            for n in range(18)], WORDS, shift=2)
    yield "no-dictionary", "kind 3, but nothing identifies", written(3, [(n, 1, b"") for n in (3, 9, 27)])
    yield "unused-dictionary", "kind 3 with a dictionary that no entry uses", written(
        3, [(n, 1, b"") for n in (3, 9, 27)], PLAIN)
    yield "empty-with-dictionary", "a dictionary kept for the next pack", written(2, [], PLAIN)
    yield "empty-both", "kind 3 without entries", written(3, [])
    yield "least-dictionary", "a dictionary of no words: 4 bytes, 9 as stored", written(2, [], Made(0, 0))
    yield "only-spelled", "a dictionary without tokens", written(2, [(4, 2, b"Ada"), (8, 2, b"Bob")], Made(0, 1))
    yield "repeated", "a label that is repeated 299 times", written(2, [(n * 7, 2, b"Bank") for n in range(1, 301)], PLAIN)
    yield "long-varints", "varints of four bytes, longest 24 in both codes", written(
        2, [(n, 2, b"Bank") for n in (3, 4, 9)], Made(2, 2, {1: ((), (b"Bank",))}, longest=24, width=4))
    yield "long-codes", "code words of 24 bits", written(
        2, [(3, 2, b"ab"), (5, 2, b"abc"), (6, 2, b"c")],
        Made(24, 24, {24: ((b"a",), (b"c",))}, {23: ((b"b",), ()), 24: ((), (b"b", b"c"))}))
    spare = Made(2, 2, {1: ((), (b"Bank",))}, deflated=True)
    # The stored block is no longer the last one: an empty block of 10 bits follows, and 6 bits of 1.
    spare.stored = spare.stored[:5] + b"\0" + spare.stored[6:] + b"\x03\xfc"
    yield "deflated-last-bits", "bits of 1 after the stream of a deflated dictionary", written(2, [(3, 2, b"Bank")], spare)
    yield "deflated", "a deflated dictionary", written(2, [(3, 2, b"Bank")], Made(2, 2, {1: ((), (b"Bank",))}, deflated=True))
    yield "longest-token", "a token of 255 bytes", written(2, [(3, 2, b"t" * 255)], Made(0, 0, {1: ((), (b"t" * 255,))}))
    yield "longest-label", "a label of 65,534 bytes", written(
        2, [(3, 2, b"Bank"), (5, 2, bytes(97 + n % 26 for n in range(65_534)))], PLAIN)
    contents = ["\0", "a\tb", "a\r\nb", "\\", "\\n", "\x1b[2J", "\x7f\x9f", "\u202eknaB", "e\u0301", "\u00e9", "\u2028\u2029", "\U0001f3e6",
                "\ufeffBank", " ", "\ufdd0", "\U0010ffff"]
    yield "label-content", "control characters, bidirectional marks, two normal forms", written(
        2, [(100 + n, 2, text.encode()) for n, text in enumerate(contents)], PLAIN)
    e = "é".encode()
    yield "split-characters", "tokens that end inside a character", written(
        2, [(3, 2, "éé".encode()), (4, 2, "Cé".encode()), (5, 2, "é".encode())],
        Made(0, 0, {1: ((e[:1],), ()), 2: ((b"C",), ())}, {1: ((e[1:],), ()), 2: ((e[:1],), (e[1:],))}))
    yield "not-canonical-labels", "AGAIN is not used: a reader accepts it, no writer makes it", one_label(
        bits("00"), 4, entries=2)
    yield "not-canonical-numbers", "the larger variant: a reader accepts it, no writer makes it", noncanonical_numbers()
    yield "odd-fields", "created before 1970, the greatest serials", written(
        1, [(5, 1, b"")], created=-(1 << 63), serial=(1 << 64) - 1, base=(1 << 64) - 1)


def noncanonical_numbers():
    """The golden numbers of `blocks` in the variant that needs more bits."""
    numbers = [n * n * 37 + 11 for n in range(4)]
    columns = []
    for variant in (0, 1):
        column = BitWriter()
        packs.put_interpolative(column, variant, numbers[1:], numbers[0] + 1, numbers[-1])
        columns.append((column.count, bytes([variant]) + column.bytes()))
    worse = max(columns, key=lambda column: (column[0], column[1][0]))[1]
    return assembled(1, [(numbers[0], worse, b"")], entries=4, blocking=4, last=numbers[-1])


def flipped(data, at, bit=1):
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1:]


def repaired(data):
    """Corrects the CRCs of the blocks, of the index and of the header."""
    at, index = index_of(data)
    ends = [row[1] for row in index[1:]] + [at]

    def change(index):
        for row, end in zip(index, ends):
            row[2] = zlib.crc32(data[row[1]:end])
    return with_index(data, change)


@once
def broken_packs():
    good = {name: data for name, _, data in valid_packs()}
    example, blocking, empty, roles, blocks = (
        good[name] for name in ("example", "blocking", "empty", "all-roles", "blocks"))
    for at in range(8):
        yield "4.1", f"byte {at} of the magic", flipped(example, at, 0x20)
    yield "4.1", "a file of no bytes", b""
    yield "4.1", "a delta", (GOLDEN / "labels.rfdelta").read_bytes()
    for count in (8, 100, 127):
        yield "3", f"a file of {count} bytes", example[:count]
    for version in (0, 2, 3, 255, 256, 65535):
        yield "4.2", f"version {version}", put(example, version=version)
    for bit in range(16):
        yield "4.3", f"flag {bit}", put(example, flags=1 << bit)
    for kind in (0, 4, 7, 255):
        yield "4.4", f"kind {kind}", put(example, kind=kind)
    for profile in (0, 3, 255):
        yield "4.5", f"profile {profile}", put(example, profile=profile)
    for shift in (0, 1, 15, 16, 31, 63, 64, 255):
        yield "4.6", f"block shift {shift}", put(blocking, shift=shift)
    for name, value in (("zero", 1), ("zero", 128), ("zero2", 1), ("zero2", 1 << 31)):
        yield "4.7", f"{value} in a reserved field", put(example, **{name: value})
    for name, fields in (
            ("one entry more", dict(blocking=201)), ("one entry fewer", dict(blocking=199)), ("an identification", dict(identifying=1)),
            ("no entry that blocks", dict(blocking=0)), ("16,777,217 entries", dict(entries=16777217, blocking=16777217, blocks=2049))):
        yield "4.11", f"kind 1 with {name}", put(blocking, **fields)
    for name, fields in (("one fewer", dict(identifying=299)), ("one more", dict(identifying=301)), ("an entry that blocks", dict(blocking=1))):
        yield "4.11", f"kind 2 with {name}", put(good["labels"], **fields)
    for name, fields in (
            ("more blocking than entries", dict(blocking=5)), ("more identifying than entries", dict(identifying=5)),
            ("fewer roles than entries", dict(blocking=1, identifying=2)), ("one blocking too many", dict(blocking=3)),
            ("one blocking too few", dict(blocking=1)), ("one identifying too many", dict(identifying=4)),
            ("one identifying too few", dict(identifying=2))):
        yield "4.11", f"kind 3 with {name}", put(example, **fields)
    yield "4.11", "all roles, one blocking too many", put(roles, blocking=get(roles, "blocking") + 1)
    yield "4.11", "all roles, one identifying too few", put(roles, identifying=get(roles, "identifying") - 1)
    for count in (0, 2, 255, 0xFFFFFFFF):
        yield "4.12", f"{count} blocks instead of 1", put(example, blocks=count)
    for count in (5, 7):
        yield "4.12", f"{count} blocks instead of 6", put(blocks, blocks=count)
    yield "4.12", "a block in an empty pack", put(empty, blocks=1)
    yield "4.12", "16,385 blocks", put(blocks, shift=2, entries=65_537, blocking=65_537, blocks=16_385)
    for name, most in (("stored", 1572864), ("text", 1048576), ("tokens", 131072)):
        yield "4.13", f"dictionary {name} beyond the limit", put(example, **{name: most + 1})
        yield "4.13", f"dictionary {name} of 4 GB", put(example, **{name: 0xFFFFFFFF})
        if name != "stored":
            yield "4.13", f"dictionary {name} without a dictionary", put(blocking, **{name: 1})
    yield "4.13", "a dictionary in kind 1", put(written(3, [(3, 1, b"")], PLAIN), kind=1)
    yield "4.13", "identification without a dictionary", put(
        written(1, [(3, 1, b"")]), kind=2, blocking=0, identifying=1, max_label=4)
    for name, value in (("one more", 1), ("one less", -1), ("100 more", 100)):
        yield "4.14", f"maximum block: {name}", put(example, max_block=get(example, "max_block") + value)
        yield "4.14", f"maximum of six blocks: {name}", put(blocks, max_block=get(blocks, "max_block") + value)
    yield "4.14", "maximum block 0", put(example, max_block=0)
    yield "4.14", "maximum block 524,289", put(example, max_block=524_289)
    yield "4.14", "a maximum block in an empty pack", put(empty, max_block=1)
    for name, value in (("one more", 5), ("65,535", 65_535), ("4 GB", 0xFFFFFFFF), ("0", 0)):
        yield "4.15", f"maximum label: {name}", put(example, max_label=value)
    yield "4.15", "a maximum label in kind 1", put(blocking, max_label=1)
    yield "4.15", "a maximum label where nothing identifies", put(good["unused-dictionary"], max_label=4)
    yield "4.15", "a maximum label in an empty pack", put(good["empty-with-dictionary"], max_label=1)
    yield "4.15", "65,539 labels of 65,534 bytes: 4,295,032,826 bytes in total", too_many_label_bytes()
    yield "4.15", "16,777,216 labels of at most 256 bytes", put(
        good["labels"], entries=16_777_216, identifying=16_777_216, shift=14, blocks=1024, max_label=256)
    for at in range(4):
        yield "4.16", f"byte {at} of the index CRC", put(example, index_crc=get(example, "index_crc") ^ 1 << 8 * at)
        yield "4.16", f"byte {at} of the dictionary CRC", put(example, dictionary_crc=get(example, "dictionary_crc") ^ 1 << 8 * at)
    yield "4.16", "a dictionary CRC without a dictionary", put(blocking, dictionary_crc=1)
    yield "4.16", "an index CRC without an index", put(empty, index_crc=1)
    for at in (128, 140, 166):
        yield "4.16", f"byte {at}, in the dictionary", flipped(example, at)
    for at in (177, 185, 192):
        yield "4.16", f"byte {at}, in the index", flipped(example, at)
    for name, value in (("16 digits", 10**15), ("all bits", (1 << 64) - 1), ("the sign bit", 1 << 63), ("0", 0)):
        yield "4.17", f"last number: {name}", put(blocking, last=value)
    yield "4.17", "a last number in an empty pack", put(empty, last=5)
    # The number column of three numbers in 8...100 says that the greatest is less than 100.
    column = BitWriter()
    packs.put_interpolative(column, 0, [20, 40, 60], 8, 100)
    yield "4.17", "the last number is not the greatest", assembled(
        1, [(7, b"\0" + column.bytes(), b"")], entries=4, blocking=4, last=100)
    for name, region in (
            ("length 24", b"\x18" + b"a" * 23), ("length 255", b"\xff" + b"a" * 23), ("a space", b"\3a b"), ("a slash", b"\3a/b"),
            ("a zero within", b"\3a\0b"), ("é", b"\2\xc3\xa9"), ("a byte after its end", b"\2NZx"),
            ("a byte at its end", b"\2NZ" + bytes(20) + b"x"), ("a byte without a length", b"\0N")):
        yield "4.18", f"region: {name}", put(example[:88] + region.ljust(24, b"\0") + example[112:])
    for name, data in (
            ("a byte more than declared", example + b"\0"), ("a byte fewer than declared", example[:-1]),
            ("only a header", example[:128]), ("two packs", example + example)):
        yield "4.19", name, data
    yield "4.19", "declares one byte more", put(example, length=194)
    yield "4.19", "declares one byte fewer", put(example, length=192)
    for at in range(4):
        yield "4.20", f"byte {at} of the header CRC", flipped(example, 124 + at)
    for at in (10, 13, 14, 16, 24, 32, 41, 45, 53, 57, 61, 69, 73, 77, 81, 90, 113, 121):
        yield "4.20", f"byte {at}, without a new header CRC", flipped(example, at, 4)
    yield "3", "no room for the index", put(empty[:120] + struct.pack("<I", 128) + empty[124:], entries=4, blocking=4, blocks=1, last=9)
    yield "3", "a dictionary longer than the file", put(example, stored=5000)
    yield "3", "a byte between header and index of an empty pack", put(empty + b"\0", length=129)
    yield "3", "bytes after the dictionary of an empty pack", put(
        good["empty-with-dictionary"] + bytes(16), length=len(good["empty-with-dictionary"]) + 16)

    def moved(row, column, value):
        return lambda index: index[row].__setitem__(column, index[row][column] + value)
    yield "5.1", "the first block starts a byte late", with_index(example, moved(0, 1, 1))
    yield "5.1", "the first block starts a byte early", with_index(example, moved(0, 1, -1))
    yield "5.1", "the first of six blocks starts in the header", with_index(blocks, moved(0, 1, -100))
    yield "5.1", "two blocks start at one place", with_index(
        blocks, lambda index: index[2].__setitem__(1, index[1][1]))
    yield "5.1", "a block starts before the one before", with_index(blocks, moved(3, 1, -20))
    yield "5.1", "a block starts behind the file", with_index(blocks, moved(5, 1, 1 << 30))
    yield "5.2", "first number 0", with_index(written(1, [(1, 1, b""), (9, 1, b"")]), moved(0, 0, -1))
    yield "5.2", "a first number with the sign bit", with_index(blocks, moved(0, 0, 1 << 63))
    yield "5.2", "a first number beyond the last", with_index(blocks, moved(5, 0, 1 << 40))
    yield "5.2", "two blocks with one first number", with_index(
        blocks, lambda index: index[1].__setitem__(0, index[0][0]))
    yield "5.2", "a block without room for its entries", with_index(
        blocks, lambda index: index[1].__setitem__(0, index[0][0] + 3))
    yield "5.2", "first numbers descend", with_index(blocks, lambda index: index[4].__setitem__(0, 3))
    yield "5.2", "the last block has no room", put(blocking, last=12_025_550_100)
    yield "5.2", "one entry that is not the last number", put(good["one-number"], last=999_999_999_999_998)
    for row in range(6):
        yield "5.3", f"CRC of block {row}", with_index(blocks, moved(row, 2, 1))
    for at in (128, 131, 132):
        yield "5.3", f"byte {at}, in a block", flipped(blocks, at)
    at = index_of(example)[1][0][1]
    for variant in (2, 128, 255):
        yield "6.1", f"variant {variant}", repaired(example[:at] + bytes([variant]) + example[at + 1:])
    yield "6.1", "a number column longer than the block", repaired(example[:at + 1] + b"\7\0\0" + example[at + 4:])
    yield "6.1", "a number column of 16 MB", repaired(example[:at + 1] + b"\xff\xff\xff" + example[at + 4:])
    yield "6.1", "a byte after the numbers, without a dictionary", assembled(
        1, [(7, b"\0", b"\0")], entries=4, blocking=4, last=10)
    column = BitWriter()
    packs.put_interpolative(column, 0, [20, 40, 100], 8, 100)
    column = b"\0" + column.bytes()
    fields = dict(entries=4, blocking=4, last=100)
    yield "6.2", "a number column without its last byte", assembled(1, [(7, column[:-1], b"")], **fields)
    yield "6.2", "a number column of no bytes", assembled(1, [(7, column[:1], b"")], **fields)
    yield "6.2", "a byte after the number column", assembled(1, [(7, column + b"\0", b"")], **fields)
    yield "6.2", "a byte in a column that needs no bits", assembled(1, [(7, b"\0\0", b"")], entries=4, blocking=4, last=10)
    for bit in range(3):
        yield "1.3", f"bit {bit} after the numbers", fill_bit(bit)
    for bit in (1, 2, 4, 64):
        yield "1.3", f"bit {bit} after the labels", one_label(bytes([bit]), 4)
    two = dict(entries=2)
    yield "6.3", "no label column", one_label(b"", 4)
    yield "6.3", "a label column that ends in a label", one_label(bits(spelled(b"Bank"))[:-1], 4)
    yield "6.3", "a label column that ends in a length", one_label(bits("11 00000000"), 4)
    yield "6.3", "a byte after the labels", one_label(bits("0") + b"\0", 4)
    yield "6.3", "ten bytes after the labels", one_label(bits("0") + bytes(10), 4)
    yield "6.3", "roles without a column", one_label(b"", 4, kind=3, entries=1, blocking=0, identifying=1)
    none = Made(0, 0, {1: ((), (b"Bank",))})
    yield "6.4", "bits that are no code word", one_label(b"\x80" + bytes(4), 4, none)
    yield "6.4", "bits that are no code word, in code 1", one_label(
        b"\x40" + bytes(4), 4, Made(0, 0, {1: ((b"B",), ())}, {2: ((), (b"ank",))}))
    yield "6.4", "a label goes on and code 1 is empty", one_label(bytes(8), 4, Made(0, 0, {1: ((b"Bank",), ())}))
    yield "6.4", "AGAIN in the first entry", one_label(bits("10"), 4)
    yield "6.4", "AGAIN in the first entry of the second block", assembled(
        2, [(7, b"\0", bits("0 10 10 10")), (11, b"\0", bits("10"))], PLAIN, shift=2, entries=5, identifying=5, last=11, max_label=4)
    yield "6.4", "AGAIN after entries that only block", one_label(bits("1 1 1 0 10"), 4, kind=3, entries=2, blocking=1, identifying=1)
    yield "6.4", "a spelled label of no bytes", one_label(bits(spelled(b"") + "0"), 4, **two)
    yield "6.4", "a spelled label longer than the maximum", one_label(bits(spelled(b"Banks")), 4)
    yield "6.4", "a spelled label of 65,535 bytes", one_label(bits("11" + "1" * 16) + b"a" * 65_535, 4)
    yield "6.4", "a token longer than the maximum", one_label(bits("0"), 3)
    yield "6.4", "two tokens longer than the maximum", one_label(
        bits("0 0"), 3, Made(0, 0, {1: ((b"Ba",), ())}, {1: ((), (b"nk",))}))
    yield "6.4", "a label that never ends", one_label(
        bytes(40), 4, Made(0, 0, {1: ((b"B",), ())}, {1: ((b"a",), ())}))
    yield "4.15", "no label has the maximum", one_label(bits("0"), 5)
    malformed = [
        b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xc2A", b"\xc3\xc3", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xe1\x80", b"\xe2\x82",
        b"\xe2\x28\xa1", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xef\xbf", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xf0\x90\x80", b"\xf1\x80\x80A",
        b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe", b"\xff", b"Bank\xff", b"\xffBank", b"Bank and more\xe9",
        "Zürich".encode("latin1")]
    for text in malformed:
        yield "6.5", f"a spelled label of {text.hex(' ')}", one_label(bits(spelled(text)), len(text))
    for text in malformed[:24]:
        yield "6.5", f"a token of {text.hex(' ')}", one_label(bits("0"), len(text), Made(0, 0, {1: ((), (text,))}))
    for text in (b"\xc3\xc3", b"\xe2\x82A", b"\xf1\x80\x80A", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"):
        yield "6.5", f"two tokens of {text.hex(' ')}", one_label(
            bits("0 0"), len(text), Made(0, 0, {1: ((text[:1],), ())}, {1: ((), (text[1:],))}))

    # Dictionaries: "Bank" is 0 in code 0.
    def dictionary(expanded=None, stored=None, tokens=1, text=4, **more):
        made = Made(0, 0, {1: ((), (b"Bank",))})
        if expanded is not None:
            made.expanded = bytes(expanded)
            made.stored = made.store(more.get("deflated", False))
        if stored is not None:
            made.stored = stored
        made.tokens, made.text = tokens, text
        return one_label(bits("0"), 4, made)
    start, bank = [0, 0, 1, 0, 1, 0], [0, 4, *b"Bank"]
    whole = bytes(start + bank)
    assert packs.read_pack(dictionary(whole))
    size = struct.pack("<I", len(whole))
    for coding in (2, 3, 255):
        yield "7.1", f"coding {coding}", dictionary(stored=bytes([coding]) + size + whole)
    yield "7.1", "a dictionary of 4 bytes", dictionary(stored=b"\0\0\0\0")
    yield "7.1", "declares a byte more than there is", dictionary(stored=b"\0" + struct.pack("<I", len(whole) + 1) + whole)
    yield "7.1", "declares a byte fewer than there is", dictionary(stored=b"\0" + struct.pack("<I", len(whole) - 1) + whole)
    yield "7.1", "declares 3,145,729 bytes", dictionary(stored=b"\0" + struct.pack("<I", 3_145_729) + whole)
    yield "7.1", "declares 4 GB", dictionary(stored=b"\0\xff\xff\xff\xff" + whole)
    yield "7.1", "a byte after the tokens", dictionary(whole + b"\0")
    yield "7.1", "ends in a token", dictionary(whole[:-1])
    yield "7.1", "ends in the counts", dictionary(whole[:4])
    plain = b"\1" + struct.pack("<HH", len(whole), len(whole) ^ 0xFFFF) + whole
    yield "7.1", "deflate: an unknown block type", dictionary(stored=b"\1" + size + b"\7" + plain[1:])
    yield "7.1", "deflate: the length and its complement differ", dictionary(stored=b"\1" + size + flipped(plain, 3))
    yield "7.1", "deflate: no last block", dictionary(stored=b"\1" + size + b"\0" + plain[1:])
    yield "7.1", "deflate: ends early", dictionary(stored=b"\1" + size + plain[:-1])
    yield "7.1", "deflate: bytes after the stream", dictionary(stored=b"\1" + size + plain + b"\0")
    yield "7.1", "deflate: expands to more than declared", dictionary(
        stored=b"\1" + size + b"\1" + struct.pack("<HH", len(whole) + 1, len(whole) + 1 ^ 0xFFFF) + whole + b"\0")
    yield "7.1", "deflate: expands to less than declared", dictionary(stored=b"\1" + struct.pack("<I", len(whole) + 1) + plain)
    yield "7.1", "deflate: with the start of zlib", dictionary(stored=b"\1" + size + b"\x78\x01" + plain + b"\0\0\0\0")
    for name, at in (("AGAIN", 0), ("SPELL", 1)):
        for value in (25, 255):
            yield "7.2", f"{name} of {value} bits", dictionary(whole[:at] + bytes([value]) + whole[at + 1:])
    for value in (25, 255):
        yield "7.2", f"longest {value} in code 0", dictionary(bytes([0, 0, value]) + bytes(600))
        yield "7.2", f"longest {value} in code 1", dictionary(bytes([0, 0, 1, 0, 1, value]) + bytes(600))
    yield "7.2", "a varint of five bytes", dictionary(bytes([0, 0, 1, 0x80, 0x80, 0x80, 0x80, 0, 1, 0]) + bytes(bank))
    yield "7.2", "more tokens than declared", dictionary(whole, tokens=0)
    yield "7.2", "fewer tokens than declared", dictionary(whole, tokens=2)
    yield "7.2", "268,435,455 tokens", dictionary(bytes([0, 0, 1, 0, 0xFF, 0xFF, 0xFF, 0x7F, 0]) + bytes(bank))
    pair = [0, 0, 1, 0, 2, 0]
    yield "7.3", "shares more than there is", dictionary(start + [1, 3, *b"ank"])
    yield "7.3", "a token of no bytes", dictionary(start + [0, 0], text=0)
    yield "7.3", "a token without bytes of its own", dictionary(pair + bank + [2, 0], tokens=2, text=6)
    yield "7.3", "a token of 256 bytes", dictionary(
        pair + [0, 255, *b"t" * 255, 255, 1, 0x75], tokens=2, text=511)
    yield "7.3", "a token twice", dictionary(pair + bank + [0, 4, *b"Bank"], tokens=2, text=8)
    yield "7.3", "tokens descend", dictionary(pair + bank + [0, 1, 0x41], tokens=2, text=5)
    yield "7.3", "tokens ascend, but share more than they say", dictionary(pair + bank + [2, 2, *b"np"], tokens=2, text=8)
    yield "7.3", "tokens descend after shared bytes", dictionary(pair + bank + [3, 1, 0x61], tokens=2, text=8)
    yield "7.3", "more text than declared", dictionary(whole, text=3)
    yield "7.3", "less text than declared", dictionary(whole, text=5)
    yield "7.4", "three words of one bit", dictionary([0, 0, 1, 0, 3, 0, 0, 1, 0x61, 0, 1, 0x62, 0, 1, 0x63], tokens=3, text=3)
    yield "7.4", "AGAIN and two words of one bit", dictionary([1, 0, 1, 0, 2, 0, 0, 1, 0x61, 0, 1, 0x62], tokens=2, text=2)
    yield "7.4", "SPELL beyond full words of one bit", dictionary([0, 2, 1, 0, 2, 0, 0, 1, 0x61, 0, 1, 0x62], tokens=2, text=2)
    yield "7.4", "three words of one bit in code 1", dictionary(
        [0, 0, 0, 1, 0, 3, 0, 1, 0x61, 0, 1, 0x62, 0, 1, 0x63], tokens=3, text=3)


def lookups(data):
    """Numbers to look up in a pack: the ends of the range, neighbors of some entries, and both ends of blocks."""
    pack = packs.Pack(data)
    numbers = [number for number, _, _ in packs.read_pack(data)[2]]
    size = 1 << pack.header.shift
    chosen = set(numbers[:20] + numbers[-5:] + numbers[::size] + numbers[size - 1::size])
    asked = {0, 1, 999_999_999_999_999} | {number + step for number in chosen for step in (-1, 0, 1)}
    for number in sorted(asked):
        if 0 <= number < 10**15:
            yield (number, *pack.lookup(number))


def broken_lookups():
    """Packs in which a lookup reader finds the broken rule when it looks a number up (PackFormat, section 2)."""
    refused = {reason: (rule, data) for rule, reason, data in broken_packs()}
    last = packs.read_pack({name: data for name, _, data in valid_packs()}["blocks"])[2][-1][0]
    for number, reason in (
            (7, "the last number is not the greatest"), (20, "the last number is not the greatest"), (5, "a last number in an empty pack"),
            (5, "a byte between header and index of an empty pack"), (6_434_000_001, "byte 140, in the dictionary"),
            (6_434_000_001, "byte 177, in the index"), (6_434_000_001, "variant 2"), (last, "CRC of block 5"), (11, "byte 131, in a block"),
            (7, "a byte after the number column"), (7, "a number column without its last byte"), (20, "bit 1 after the numbers"),
            (7, "a label column that ends in a label"), (7, "bits that are no code word"), (7, "AGAIN in the first entry"),
            (7, "two tokens longer than the maximum"), (7, "a spelled label of ff"), (7, "a token of 80"), (7, "ends in a token"),
            (7, "a varint of five bytes"), (7, "a token twice"), (7, "three words of one bit")):
        rule, data = refused[reason]
        yield rule, reason, data, number


def fill_bit(bit):
    """Three numbers in 8...100 need a number of bits that is not a multiple of 8."""
    column = BitWriter()
    packs.put_interpolative(column, 0, [20, 40, 100], 8, 100)
    assert -column.count % 8 > bit, column.count
    data = bytearray(column.bytes())
    data[-1] |= 1 << bit
    return assembled(1, [(7, b"\0" + bytes(data), b"")], entries=4, blocking=4, last=100)


def too_many_label_bytes():
    """Consecutive numbers, one label of 65,534 bytes and AGAIN: few bytes that would expand to 4 GB."""
    longest = 65_534
    again = Made(1, 2)
    count, size = 65_539, 1 << 14
    blocks = []
    for at in range(0, count, size):
        rest = min(size, count - at) - 1
        labels = BitWriter()
        labels.put(2, 2)
        labels.put(longest, 16)
        labels.put(int.from_bytes(b"a" * longest, "big"), 8 * longest)
        labels.put(0, rest)
        blocks.append((7 + at, b"\0", labels.bytes()))
    return assembled(2, blocks[:1] + [(first, numbers, b"\0" * 4) for first, numbers, _ in blocks[1:]], again, shift=14,
                     entries=count, identifying=count, last=6 + count, max_label=longest)


# Deltas.


def column(values, low, high):
    if not values:
        return b""
    found = []
    for variant in (0, 1):
        bits = BitWriter()
        packs.put_interpolative(bits, variant, values, low, high)
        found.append(bytes([variant]) + bits.bytes())
    return min(found, key=len)


def delta(base, result, parts=None, result_sha=None, header=None, **fields):
    """The delta between two packs. `parts` replaces columns by name, `fields` numbers of the header."""
    old_header, _, old = packs.read_pack(base)
    new_header, dictionary, new = packs.read_pack(result)
    before, after = {entry[0]: entry for entry in old}, {entry[0]: entry for entry in new}
    ranks = {entry[0]: at for at, entry in enumerate(old)}
    removed = [ranks[number] for number in before if number not in after]
    changed = [ranks[number] for number in before if number in after and before[number] != after[number]]
    added = [number for number in after if number not in before]
    stored = result[128:128 + new_header.stored]
    found = dict(
        removed=column(removed, 0, len(old) - 1), changed=column(changed, 0, len(old) - 1),
        added=column(added, 1, new_header.last), dictionary=b"" if stored == base[128:128 + old_header.stored] else stored, labels=b"")
    if dictionary and (added or changed):
        labels = packs.LabelWriter(dictionary, new_header.kind)
        for number, roles, label in new:
            if before.get(number) != (number, roles, label):
                labels.put(roles, label)
        found["labels"] = labels.bits.bytes()
    found |= parts or {}
    payload = b"".join(found.values())
    values = dict(version=1, flags=0, entries=len(old), serial=old_header.serial, removed=len(removed), added=len(added),
                  changed=len(changed), crc=zlib.crc32(payload), length=264 + len(payload), zero=0) | fields
    head = b"RFDLTA\x1a\n" + struct.pack("<HHIQ", *(values[name] for name in ("version", "flags", "entries", "serial")))
    head += hashlib.sha256(base).digest() + (result_sha or hashlib.sha256(result).digest())
    head += struct.pack("<11I", values["removed"], values["added"], values["changed"], *map(len, found.values()), values["crc"],
                        values["length"], values["zero"])
    head += header or result[:128]
    return head + struct.pack("<I", zlib.crc32(head)) + payload


def delta_packs():
    """Pairs of packs with deltas: the name and the packs."""
    def roles(n):
        return 1 + (n * 5 + n // 3) % 3
    old = [(1000 + 3 * n, roles(n), b"" if roles(n) == 1 else [b"Bank", b"Scam"][n // 4 % 2]) for n in range(18)]
    new = [entry for entry in old if entry[0] not in (1006, 1030)]
    new[2] = (new[2][0], 3, b"Bam")
    new[7] = (new[7][0], 2, b"Bank") if new[7][1:] != (2, b"Bank") else (new[7][0], 1, b"")
    new = sorted(new + [(1001, 2, b"Bank"), (1002, 2, b"Bank"), (1100, 1, b"")])
    fields = dict(shift=2)
    both = written(3, old, WORDS, **fields), written(3, new, WORDS, serial=8, base=7, **fields)
    yield "both", *both
    yield "both-new-dictionary", both[0], written(
        3, new, Made(2, 3, {1: ((b"B",), ()), 3: ((b"Sc",), ())}, {2: ((b"a",), (b"am", b"k")), 3: ((b"n",), (b"ank",))}), serial=8, **fields)
    yield "nothing", both[0], put(both[0], serial=9)
    yield "to-empty", both[0], written(3, [], WORDS, serial=8, **fields)
    yield "from-empty", written(3, [], WORDS, serial=1, **fields), both[0]
    yield "to-no-labels", both[0], written(3, [(number, 1, b"") for number, _, _ in old], serial=8, **fields)
    twice = Made(0, 0, {2: ((b"B",), (b"Bank",)), 3: ((), (b"Bank", b"Scam"))}, {1: ((), (b"ank",)), 2: ((), (b"ank",))})
    yield "token-twice", written(2, [(4, 2, b"Scam")], twice), written(
        2, [(4, 2, b"Bank"), (5, 2, b"Scam"), (9, 2, b"Bank")], twice, serial=8)
    numbers = [n * n * 37 + 11 for n in range(23)]
    block = [written(1, [(number, 1, b"") for number in list], shift=2, serial=serial)
             for serial, list in ((7, numbers), (8, numbers[1:9] + numbers[12:] + [99_999]))]
    yield "blocking", *block


def worked_delta():
    """The example of PackFormat.md, section 15."""
    base = (GOLDEN / "example.rfpack").read_bytes()
    head, dictionary, _ = packs.read_pack(base)
    head.serial, head.base, head.created = 3, 2, 1_700_086_400
    entries = [(6_434_000_001, 2, b"Bank"), (6_434_000_017, 2, b"Scam"), (6_434_000_050, 1, b""), (6_434_000_100, 3, b"Scam")]
    return base, packs.write_pack(head, base[128:128 + head.stored], dictionary, entries)


def valid_deltas():
    for name, base, result in delta_packs():
        yield name, base, result, delta(base, result)
    yield "worked", *worked_delta(), delta(*worked_delta())
    base, result = next((base, result) for name, base, result in delta_packs() if name == "both")
    yield "same-dictionary", base, result, delta(base, result, parts=dict(dictionary=base[128:128 + get(base, "stored")]))
    yield "golden", (GOLDEN / "labels.rfpack").read_bytes(), None, (GOLDEN / "labels.rfdelta").read_bytes()


def broken_deltas():
    pairs = {name: (base, result) for name, base, result in delta_packs()}
    base, result = pairs["both"]
    good = delta(base, result)
    entries = packs.read_pack(base)[2]
    after = packs.read_pack(result)[2]

    def made(rule, reason, **more):
        return rule, reason, base, delta(base, result, **more)
    for at in range(8):
        yield "8.1", f"byte {at} of the magic", base, flipped(good, at, 0x20)
    yield "8.1", "a pack", base, result
    for count in (0, 8, 200, 263):
        yield "8.1", f"a file of {count} bytes", base, good[:count]
    for version in (0, 2, 256, 65535):
        yield made("8.1", f"version {version}", version=version)
    for bit in range(0, 16, 3):
        yield made("8.1", f"flag {bit}", flags=1 << bit)
    yield made("8.1", "a reserved field of 1", zero=1)
    yield made("8.1", "a payload CRC of 0", crc=0)
    yield "8.1", "a changed byte of the payload", base, flipped(good, len(good) - 1, 128)
    yield "8.1", "a changed byte of the header", base, flipped(good, 60)
    yield "8.1", "a wrong header CRC", base, flipped(good, 261)
    yield "8.1", "a byte at its end", base, good + b"\0"
    yield "8.1", "no last byte", base, good[:-1]
    yield made("8.1", "declares a byte more", length=len(good) + 1)
    yield made("8.1", "a base of one entry more", entries=19)
    yield made("8.1", "one removed too many", removed=3)
    yield made("8.1", "more removed than there are", removed=19)
    yield made("8.1", "one added too few", added=2)
    yield made("8.1", "more changed than are kept", changed=17)
    yield made("8.1", "16,777,217 entries in the base", entries=16_777_217)
    yield made("8.1", "serial 6 of a base with serial 7", serial=6)
    yield made("8.1", "serial 0 of a base with serial 7", serial=0)
    block, block_result = pairs["blocking"]
    yield "8.1", "kind 1 with a changed entry", block, delta(
        block, block_result, parts=dict(changed=column([2], 0, 22)), changed=1)
    yield "8.1", "a base of another kind", block, other_base(block, base, result)
    for at, rule in ((132, "4.1"), (140, "4.2"), (142, "4.3"), (144, "4.4"), (145, "4.5"), (147, "4.7"), (180, "4.11"), (220, "4.18")):
        head = bytearray(result[:128])
        head[at - 132] ^= 0x84
        if at != 132:
            head[124:128] = struct.pack("<I", zlib.crc32(head[:124]))
        yield made(rule, f"byte {at - 132} of the result's header", header=bytes(head))
    yield made("4.20", "a wrong CRC of the result's header", header=flipped(result[:128], 126))
    removed = column([2, 10], 0, 17)
    for variant in (2, 255):
        yield made("8.2", f"variant {variant} of the removed", parts=dict(removed=bytes([variant]) + removed[1:]))
    full = dict(removed=column([2, 10], 0, 17), added=column([1001, 1002, 1100], 1, 1100))
    for name, values in full.items():
        yield made("8.2", f"a byte after the column of {name}", parts={name: values + b"\0"})
        yield made("8.2", f"the column of {name} without its last byte", parts={name: values[:-1]})
        yield made("8.2", f"a column of {name} of only a variant", parts={name: values[:1]})
        yield made("8.2", f"no column of {name}", parts={name: b""})
    yield made("8.2", "a column for nothing removed", removed=0, added=1)
    for name, bit in (("removed", 1), ("added", 1)):
        values = full[name]
        if values[-1] & 1 == 0:
            yield made("1.3", f"a bit after the column of {name}", parts={name: values[:-1] + bytes([values[-1] | bit])})
    ranks = [at for at, entry in enumerate(entries) if entry not in after and entry[0] not in (1006, 1030)]
    yield made("8.2", "an entry is removed and changed", parts=dict(changed=column(sorted([ranks[0], 10]), 0, 17)))
    yield made("8.2", "an added number is in the base", parts=dict(added=column([1001, 1003, 1100], 1, 1100)))
    same = next(at for at, entry in enumerate(entries) if entry in after and entry[1] & 2)
    both = list(after)

    def relabelled(ranks):
        """The label column when the entries of these ranks are changed, with their labels of the result."""
        dictionary = WORDS.loaded
        labels = packs.LabelWriter(dictionary, 3)
        numbers = {entries[rank][0] for rank in ranks} | {1001, 1002, 1100}
        for number, roles, label in both:
            if number in numbers:
                labels.put(roles, label)
        return labels.bits.bytes()
    for rank in [same] + [at for at, entry in enumerate(entries) if entry in after and entry[1] == 1][:1]:
        three = sorted(ranks + [rank])
        yield made("8.2", f"entry {rank} changes into itself", changed=3,
                   parts=dict(changed=column(three, 0, 17), labels=relabelled(three)))
    two = sorted([ranks[0], same])
    yield made("8.2", "one of two changed entries does not change", parts=dict(changed=column(two, 0, 17), labels=relabelled(two)))
    labels = relabelled(ranks)
    fresh = pairs["both-new-dictionary"][1]
    stored = fresh[128:128 + get(fresh, "stored")]
    yield "8.3", "no dictionary, and the base has another one", base, delta(base, fresh, parts=dict(dictionary=b""))
    yield "8.3", "a dictionary without its last byte", base, delta(base, fresh, parts=dict(dictionary=stored[:-1]))
    yield "8.3", "a dictionary with another byte", base, delta(base, fresh, parts=dict(dictionary=flipped(stored, 9)))
    bare = pairs["to-no-labels"][1]
    yield "8.3", "the base has no dictionary", bare, delta(bare, base, parts=dict(dictionary=b""))
    yield "8.3", "a dictionary where the result has none", base, delta(base, bare, parts=dict(dictionary=WORDS.stored))
    yield made("8.4", "a byte after the labels", parts=dict(labels=labels + b"\0"))
    yield made("8.4", "ten bytes after the labels", parts=dict(labels=labels + bytes(10)))
    yield made("8.4", "labels without their last byte", parts=dict(labels=labels[:-1]))
    yield made("8.4", "no labels", parts=dict(labels=b""))
    yield "8.4", "labels where nothing has one", block, delta(block, block_result, parts=dict(labels=b"\0"))
    yield "8.4", "labels where nothing changes", base, delta(*pairs["nothing"], parts=dict(labels=b"\0"))
    if labels[-1] & 1 == 0:
        yield made("1.3", "a bit after the labels", parts=dict(labels=labels[:-1] + bytes([labels[-1] | 1])))
    # The first added entry identifies: roles stay, then AGAIN, which is 10 in WORDS.
    yield made("6.4", "AGAIN in the first entry", parts=dict(labels=bits("0 10") + labels))
    spell = next(f"{word:0{length}b}" for symbol, (length, word) in WORDS.loaded.words[0].items() if symbol is Dictionary.SPELL)
    yield made("6.4", "a spelled label of no bytes", parts=dict(labels=bits("0" + spell + "0" * 16) + labels))
    for text in (b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"Zo\xe9"):
        yield made("6.5", f"a spelled label of {text.hex(' ')}", parts=dict(labels=bits("0" + spelled(text, spell)) + labels))
    yield made("6.4", "a label longer than the result's maximum", parts=dict(labels=bits("0" + spelled(b"Banks", spell)) + labels))
    yield "8.5", "another base", result, good
    yield "8.5", "the base with another time", put(base, created=5), good
    yield made("8.5", "another SHA-256 of the result", result_sha=bytes(32))
    yield made("8.5", "the SHA-256 of the base as that of the result", result_sha=hashlib.sha256(base).digest())
    for name in ("created", "base", "serial", "max_block", "index_crc"):
        head = put(result, **{name: get(result, name) + 1})[:128]
        yield made("8.5", f"another {name.replace('_', ' ')} in the result's header", header=head)


def other_base(other, base, result):
    """The delta from base to result that names another pack as its base."""
    data = delta(base, result)
    head = data[:24] + hashlib.sha256(other).digest() + data[56:260]
    return head + struct.pack("<I", zlib.crc32(head)) + data[264:]


# The publication.


def time_text(seconds):
    import time
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def sha(data):
    return hashlib.sha256(data).hexdigest()


def dsse(payload, kind):
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)


class Torsion:
    """Keys and signatures with a part of small order, about which verifiers of Ed25519 differ."""

    curve = publications.Ed25519

    def __init__(self, seed):
        curve = self.curve
        self.secret, self.prefix = curve.secret(seed)
        ys = (y for y in range(2, 100) if curve.recover(y, 0) is not None)
        points = (curve.times(curve.L, curve.unpack(y.to_bytes(32, "little"))) for y in ys)
        self.point = next(point for point in points if curve.pack(curve.times(4, point)) != curve.pack((0, 1, 1, 0)))
        self.plain = curve.times(self.secret, curve.base())
        self.mixed = curve.pack(curve.add(self.plain, self.point))

    def sign(self, message, fits, mixes_r=False):
        """A signature of the mixed key whose k meets a condition, or of the plain key with an R of mixed order."""
        curve, public = self.curve, self.curve.pack(self.plain) if mixes_r else self.mixed
        for n in range(10_000):
            r = curve.hash(self.prefix, b"%d" % n, message)
            point = curve.times(r, curve.base())
            point = curve.pack(curve.add(point, self.point) if mixes_r else point)
            k = curve.hash(point, public, message)
            if fits(k):
                return point + ((r + k * self.secret) % curve.L).to_bytes(32, "little")


def key_entry(public):
    return dict(algorithm="ed25519", keyid=publications.key_id(public), public=base64.b64encode(public).decode())


def mixed_root(fits):
    torsion = Torsion(KEYS["stranger"])
    payload = publications.canonical(root_fields(2, []) | {"keys": [key_entry(torsion.mixed)]})
    signature = torsion.sign(dsse(payload, publications.ROOT), fits)
    return envelope(payload, publications.ROOT, ["first"], [(publications.key_id(torsion.mixed), base64.b64encode(signature).decode())])


def envelope(payload, kind, keys, extra=()):
    signed = dsse(payload, kind)
    signatures = [(publications.key_id(PUBLIC[key]), publications.Ed25519.sign(KEYS[key], signed)) for key in keys]
    signatures = [(name, base64.b64encode(signature).decode()) for name, signature in signatures] + list(extra)
    texts = ",".join(f'{{"keyid":"{name}","sig":"{signature}"}}' for name, signature in signatures)
    return (f'{{"payload":"{base64.b64encode(payload).decode()}","payloadType":"{kind}","signatures":[{texts}]}}\n').encode()


def key_fields(name):
    return key_entry(PUBLIC[name])


def root_fields(serial, keys):
    return dict(type="root", version=1, serial=serial, issued=time_text(NOW - 86_400), expires=time_text(NOW + 400 * 86_400),
                threshold=1, keys=[key_fields(key) for key in keys])


def root(serial, keys, by, **fields):
    return envelope(publications.canonical(root_fields(serial, keys) | fields), publications.ROOT, by)


def changed_root(fields):
    return envelope(publications.canonical(root_fields(2, ["second"]) | fields), publications.ROOT, ["first", "second"])


class Publication:
    """Two publications of three packs, the second with a delta, after a rotation of the key."""

    def __init__(self):
        self.files = {}
        base, result = next((base, result) for name, base, result in delta_packs() if name == "both")
        base, result = put(base, serial=1), put(result, serial=2, base=1)
        names = {"block": written(1, [(n * n * 37 + 11, 1, b"") for n in range(23)], serial=1), "both": base,
                 "none": written(2, [], serial=1, region=b"\2NZ")}
        self.files["roots/1.root.json"] = root(1, ["first"], ["first"])
        self.files["roots/2.root.json"] = self.files["root.json"] = root(2, ["second"], ["first", "second"])
        former, self.heads, self.packs = None, [], {}
        for serial in (1, 2):
            if serial == 2:
                names["both"] = result
            bins = {}
            for name, data in names.items():
                at, path = get(data, "serial"), f"packs/{name}-{get(data, 'serial')}.rfpack"
                head, _, entries = packs.read_pack(data)
                pack = dict(type="pack", version=1, name=name, kind=["blocking", "identification", "both"][head.kind - 1], serial=at,
                            entries=len(entries), bytes=len(data), sha256=sha(data), content_sha256=packs.content_digest(entries),
                            path=path, deltas=[], formats=[])
                if entries:
                    pack |= dict(first=entries[0][0], last=entries[-1][0])
                if head.region[0]:
                    pack["region"] = head.region[1:1 + head.region[0]].decode()
                self.files[path] = data
                if at == 2:
                    change, to = delta(base, data), f"deltas/{name}-1-2.rfdelta"
                    self.files[to] = change
                    pack["deltas"] = [dict(from_serial=1, from_sha256=sha(base), bytes=len(change), sha256=sha(change), path=to)]
                if name == "block":
                    table = packs.dump(entries)
                    self.files["formats/block-1.tsv"] = table
                    pack["formats"] = [dict(format="tsv", bytes=len(table), sha256=sha(table), path="formats/block-1.tsv")]
                bins[name] = self.add("descriptions", pack)
                self.packs[name] = pack
            head = dict(type="manifest", version=3, serial=serial, issued=time_text(NOW - 7200 + 1800 * serial),
                        as_of=time_text(NOW - 7200 + 1800 * serial), expires=time_text(NOW + 2 * 86_400),
                        bins=[self.add("bins", dict(type="bin", version=1, packs=bins))])
            if former:
                head["previous"] = dict(serial=1, sha256=sha(former))
            former = publications.canonical(head)
            self.heads.append(head)
            self.bins = bins
            self.files[f"manifests/{serial}.json"] = self.files["manifest.json"] = envelope(
                former, publications.MANIFEST, ["first", "second"] if serial == 1 else ["second"])

    def add(self, kind, fields):
        data = publications.canonical(fields)
        self.files[f"{kind}/{sha(data)}.json"] = data
        return sha(data)


def without(fields, name):
    return {key: value for key, value in fields.items() if key != name}


def form_breaks(fields):
    """Forms of a document with the same fields that are not canonical."""
    data = publications.canonical(fields)
    first = min(key for key in fields)
    yield "3.1", "a space after a colon", data.replace(b":", b": ", 1)
    yield "3.1", "a space at the start", b" " + data
    yield "3.1", "no line feed at the end", data[:-1]
    yield "3.1", "two line feeds at the end", data + b"\n"
    yield "3.1", "a carriage return at the end", data[:-1] + b"\r\n"
    yield "3.1", "a byte order mark", b"\xef\xbb\xbf" + data
    yield "3.1", "keys in another order", json.dumps(
        {key: fields[key] for key in sorted(fields, reverse=True)}, separators=(",", ":")).encode() + b"\n"
    yield "3.1", "a key twice", b'{"%s":0,' % first.encode() + data[1:]
    yield "3.1", "the version twice", data[:-2] + b',"version":%d}\n' % fields["version"]
    yield "3.1", "an escape in a key", data.replace(b'"type"', b'"typ\\u0065"')
    yield "3.1", "an escape in a value", data.replace(b'"%s"' % fields["type"].encode(), b'"%s\\u%04x"' % (
        fields["type"][:-1].encode(), ord(fields["type"][-1])))
    yield "3.1", "a fraction", data.replace(b'"version":%d' % fields["version"], b'"version":%d.0' % fields["version"])
    yield "3.1", "an exponent", data.replace(b'"version":%d' % fields["version"], b'"version":%de0' % fields["version"])
    yield "3.1", "a leading zero", data.replace(b'"version":%d' % fields["version"], b'"version":0%d' % fields["version"])
    yield "3.1", "minus zero", data.replace(b'"version":%d}' % fields["version"], b'"version":%d,"zzz":-0}' % fields["version"])
    yield "3.1", "an integer of 19 digits", publications.canonical(fields | {"zzz": 10**18})
    yield "3.1", "null", publications.canonical(fields | {"zzz": None})
    yield "3.1", "nine levels", publications.canonical(fields | {"zzz": [[[[[[[[]]]]]]]]})
    yield "3.1", "malformed UTF-8", publications.canonical(fields | {"zzz": "?"}).replace(b'"?"', b'"\xff"')
    yield "3.1", "a control character", publications.canonical(fields | {"zzz": "?"}).replace(b'"?"', b'"\t"')
    yield "3.1", "an escaped slash", publications.canonical(fields | {"zzz": "?"}).replace(b'"?"', b'"\\/"')
    yield "3.1", "an array", b"[]\n"
    yield "3.1", "nothing", b""
    yield "3.1", "a comma before the end", data[:-2] + b",}\n"
    yield "3.2", "another type", publications.canonical(fields | {"type": "other"})
    yield "3.2", "no type", publications.canonical(without(fields, "type"))
    yield "3.2", "the next version", publications.canonical(fields | {"version": fields["version"] + 1})
    yield "3.2", "version 0", publications.canonical(fields | {"version": 0})
    yield "3.2", "a version as text", publications.canonical(fields | {"version": str(fields["version"])})


TIMES = ["2026-11-22T01:10:00.5Z", "2026-11-22T01:10:00+00:00", "2026-11-22T01:10:00z", "2026-11-22t01:10:00Z", "2026-11-22 01:10:00Z",
         "2026-11-22T01:10Z", "2026-02-30T01:10:00Z", "2026-11-22T23:59:60Z", "2026-11-22T24:00:00Z", "20261122T011000Z", "", "2026-11-22",
         "12026-11-22T01:10:00Z", "112026-11-22T01:10:00Z", "02026-11-22T01:10:00Z", "+2026-11-22T01:10:00Z", "-2026-11-22T01:10:00Z",
         "226-11-22T01:10:00Z", "0000-12-31T23:59:59Z", "0000-02-29T00:00:00Z", "1500-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
         "2027-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-10T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-31T00:00:00Z",
         "2026-11-22T01:60:00Z", "2026-11-22T25:00:00Z", "2016-12-31T23:59:60Z", "2026-11-22T01:10:00-00:00", "2026-11-22T01:10:00.000Z",
         "2026-11-22T01:10:00,5Z", "2026-11-22T01:10:00", "2026-11-22T01:10:00Z ", " 2026-11-22T01:10:00Z", "2026-11-22T1:10:00Z",
         "2026-W47-7T01:10:00Z", "2026-326T01:10:00Z", "２０２６-11-22T01:10:00Z", "2026-11-22T01:10:00ZZ", "2026-11-22T01:10:00 UTC"]
# Accepted times with their seconds since 1970: the proleptic Gregorian calendar, even if others skip days.
ISSUED = {"0001-01-01T00:00:00Z": -62_135_596_800, "0004-02-29T12:30:45Z": -62_035_846_155, "0999-12-31T23:59:59Z": -30_610_224_001,
          "1500-02-28T00:00:00Z": -14_826_758_400, "1582-10-04T00:00:00Z": -12_220_243_200, "1582-10-10T00:00:00Z": -12_219_724_800,
          "1582-10-15T00:00:00Z": -12_219_292_800, "1600-02-29T00:00:00Z": -11_670_998_400, "1969-12-31T23:59:59Z": -1,
          "1970-01-01T00:00:00Z": 0, "2000-02-29T23:59:59Z": 951_868_799}
EXPIRES = {"2400-02-29T00:00:00Z": 13_574_563_200, "9999-12-31T23:59:59Z": 253_402_300_799}


def accepted_documents(made):
    """Documents that readers accept, besides the documents of the publication."""
    head = made.heads[1]
    canonical = publications.canonical
    yield dict(as_="manifest", reason="an unknown field"), envelope(
        canonical(head | {"future": {"text": 'a "quoted" \\ é', "list": [True, False, 5]}}), publications.MANIFEST, ["second"])
    yield dict(as_="manifest", reason="an added signature of an unknown key"), envelope(
        canonical(head), publications.MANIFEST, ["second", "stranger"])
    yield dict(as_="manifest", reason="an added signature that no key made"), envelope(
        canonical(head), publications.MANIFEST, ["second"], [("0" * 16, "AAAA")])
    yield dict(as_="description", name="both", reason="an unknown field"), canonical(made.packs["both"] | {"future": "é"})
    yield dict(as_="bin", reason="an unknown field"), canonical(dict(type="bin", version=1, packs=made.bins, more=[]))
    yield dict(as_="root", reason="an unknown field"), root(2, ["second"], ["first", "second"], zzz=-5)
    yield dict(as_="root", reason="two keys, of which one must sign"), root(2, ["first", "second"], ["first"])
    for text, seconds in ISSUED.items():
        yield dict(as_="manifest", reason=f"issued {text}", issued=seconds), envelope(
            canonical(head | {"issued": text, "as_of": text}), publications.MANIFEST, ["second"])
    for text, seconds in EXPIRES.items():
        yield dict(as_="manifest", reason=f"expires {text}", expires=seconds), envelope(
            canonical(head | {"expires": text}), publications.MANIFEST, ["second"])
    yield dict(as_="manifest", reason="two equal bins, which are empty"), envelope(
        canonical(head | {"bins": [sha(canonical(dict(type="bin", version=1, packs={})))] * 2}), publications.MANIFEST, ["second"])
    for index in (0, 1):
        names = {name: digest for name, digest in made.bins.items() if publications.bin_of(name, 2) == index}
        yield dict(as_="bin", reason=f"bin {index} of two", index=index, count=2), canonical(dict(type="bin", version=1, packs=names))
    yield dict(as_="root", reason="a key of mixed order, and k is divisible by 8"), mixed_root(lambda k: k % 8 == 0)
    yield dict(as_="root", reason="a key that is no point, beside one that signs"), changed_root(
        dict(keys=[key_fields("second"), key_entry((2).to_bytes(32, "little"))]))


def broken_documents(made):
    canonical = publications.canonical
    head, pack = made.heads[1], made.packs["both"]

    def manifest(rule, reason, payload, by=("second",), extra=(), **more):
        data = payload if isinstance(payload, bytes) else canonical(payload)
        return dict(as_="manifest", rule=rule, reason=reason) | more, envelope(data, publications.MANIFEST, by, extra)
    good = envelope(canonical(head), publications.MANIFEST, ["second"])
    for reason, data in (
            ("a space", good.replace(b",", b", ", 1)), ("no line feed", good[:-1]), ("two line feeds", good + b"\n"), ("nothing", b""),
            ("keys in another order", b'{"payloadType":"%s",%s' % (
                publications.MANIFEST.encode(), good[1:].replace(b'"payloadType":"%s",' % publications.MANIFEST.encode(), b""))),
            ("another field", good.replace(b"]}\n", b'],"more":1}\n')),
            ("the payload twice", good.replace(b'"payloadType"', b'"payload":"","payloadType"', 1)),
            ("an escape in the type", good.replace(b"ringfence", b"r\\u0069ngfence")),
            ("an escaped slash in the type", good.replace(b"application/", b"application\\/")),
            ("Base64 without padding", good.replace(b"==\"", b"\"", 1) if b"==\"" in good[:-150] else good.replace(b'","payloadType', b'=","payloadType')),
            ("a line feed in Base64", good[:40] + b"\\n" + good[40:]),
            ("no signatures", envelope(canonical(head), publications.MANIFEST, [])),
            ("the payload type of a root", envelope(canonical(head), publications.ROOT, ["second"])),
            ("17 signatures", envelope(canonical(head), publications.MANIFEST, ["second"], [("%016x" % n, "AAAA") for n in range(16)])),
            ("a root", made.files["root.json"])):
        yield dict(as_="manifest", rule="4.1", reason=reason), data
    # Padding bits that carry nothing, in a payload of each length.
    for extra, tail in (("a", 1), ("ab", 2), ("abc", 3)):
        payload = canonical(head | {"zzz": extra})
        text = base64.b64encode(payload).decode()
        if text.endswith("="):
            last = text.rstrip("=")[-1]
            alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            other = text.rstrip("=")[:-1] + alphabet[alphabet.index(last) + 1] + "=" * text.count("=")
            data = envelope(payload, publications.MANIFEST, ["second"]).replace(text.encode(), other.encode())
            yield dict(as_="manifest", rule="4.1", reason=f"padding bits of the payload ({tail})"), data
    signature = good.split(b'"sig":"')[1].split(b'"')[0]
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    last = alphabet.index(signature[-3])
    for reason, other in (
            ("padding bits of a signature", signature[:-3] + alphabet[last + 1:last + 2] + b"=="),
            ("other padding bits of a signature", signature[:-3] + alphabet[last + 9:last + 10] + b"=="),
            ("an extra = in a signature", signature + b"="), ("a signature without padding", signature[:-2]),
            ("a space in a signature", signature[:10] + b" " + signature[10:]), ("Base64 for addresses", signature[:10] + b"-" + signature[11:]),
            ("a signature of no bytes", b"")):
        yield dict(as_="manifest", rule="4.2", reason=reason), good.replace(signature, other)
    own = publications.key_id(PUBLIC["second"]).encode()
    for reason, other in (("a key id in capitals", own.upper()), ("a key id of 15 digits", own[:15]), ("a key id of 17 digits", own + b"0"),
                          ("a key id of other letters", b"g" + own[1:]), ("an empty key id", b"")):
        yield dict(as_="manifest", rule="4.2", reason=reason), good.replace(own, other)
    yield manifest("4.2", "two signatures of one key", head, ("second", "second"))
    yield manifest("4.2", "a signature of an unknown key with padding bits", head, ("second",), [("0" * 16, "AAB=")])
    yield manifest("4.2", "an unknown key id in capitals", head, ("second",), [("A" * 16, "AAAA")])
    yield manifest("4.3", "signed by a stranger", head, ("stranger",))
    yield manifest("4.3", "signed by the key before the rotation", head, ("first",))
    raw = base64.b64decode(signature)
    for reason, other in (
            ("a changed signature", flipped(raw, 5)), ("a signature of 63 bytes", raw[:63]), ("a signature of 65 bytes", raw + b"\0"),
            ("a signature of zeros", bytes(64)),
            ("a signature with S plus the order", raw[:32] + (int.from_bytes(raw[32:], "little") + publications.Ed25519.L).to_bytes(32, "little"))):
        yield dict(as_="manifest", rule="4.3", reason=reason), good.replace(signature, base64.b64encode(other))
    signed = Torsion(KEYS["second"]).sign(dsse(canonical(head), publications.MANIFEST), lambda k: True, mixes_r=True)
    yield dict(as_="manifest", rule="4.3", reason="an R of mixed order, which only a verifier with cofactor accepts"), good.replace(
        signature, base64.b64encode(signed))
    other = envelope(canonical(head | {"zzz": 1}), publications.MANIFEST, ["second"])
    yield dict(as_="manifest", rule="4.3", reason="the payload of another manifest"), \
        other.replace(other.split(b'"sig":"')[1].split(b'"')[0], signature)
    as_root = envelope(canonical(head), publications.ROOT, ["second"])
    yield dict(as_="manifest", rule="4.3", reason="a signature over the type of roots"), \
        as_root.replace(publications.ROOT.encode(), publications.MANIFEST.encode())
    stranger = envelope(canonical(head), publications.MANIFEST, ["stranger"])
    yield dict(as_="manifest", rule="4.3", reason="a stranger's signature under the trusted key id"), \
        stranger.replace(publications.key_id(PUBLIC["stranger"]).encode(), own)
    for rule, reason, data in form_breaks(head):
        yield manifest(rule, reason, data)
    for text in TIMES:
        yield manifest("3.3", f"expires {text!r}", head | {"expires": text})
    yield manifest("5", "a time as a number", head | {"issued": NOW})
    for name in ("serial", "issued", "as_of", "expires", "bins"):
        yield manifest("5", f"no {name}", without(head, name))
    for reason, fields in (
            ("serial 0", dict(serial=0)), ("a negative serial", dict(serial=-2)), ("a serial as text", dict(serial="2")), ("a serial that is true", dict(serial=True)),
            ("expires when issued", dict(expires=head["issued"])), ("as_of after issued", dict(as_of=time_text(NOW + 5), issued=time_text(NOW))),
            ("no bins", dict(bins=[])), ("three bins", dict(bins=head["bins"] * 3)), ("8,192 bins", dict(bins=head["bins"] * 8192)),
            ("bins that are no list", dict(bins={})), ("previous of the same serial", dict(previous=dict(serial=2, sha256="0" * 64))),
            ("previous of serial 0", dict(previous=dict(serial=0, sha256="0" * 64))), ("previous without a serial", dict(previous=dict(sha256="0" * 64))),
            ("previous that is no object", dict(previous=1))):
        yield manifest("5", reason, head | fields)
    for reason, fields in (
            ("a bin in capitals", dict(bins=[head["bins"][0].upper()])), ("a bin of 63 digits", dict(bins=[head["bins"][0][1:]])),
            ("a bin that is a number", dict(bins=[5])), ("an empty digest", dict(previous=dict(serial=1, sha256="")))):
        yield manifest("3.4", reason, head | fields)
    digest = sha(canonical(made.heads[0]))
    yield manifest("9.4", "expires now", head | {"expires": time_text(NOW)})
    yield manifest("9.4", "expired yesterday", head | {"expires": time_text(NOW - 100)})
    yield manifest("9.5", "older than the one seen", head, seen=[3, "0" * 64])
    yield manifest("9.5", "the seen serial with another content", head, seen=[2, "0" * 64])
    yield manifest("9.5", "continues another one", head, seen=[1, "0" * 64])
    yield manifest("9.5", "does not continue the one seen", without(head, "previous"), seen=[1, digest])
    yield manifest("9.5", "leaves the one seen out", head | {"serial": 9}, seen=[3, digest])

    def broken_root(rule, reason, data, **more):
        return dict(as_="root", rule=rule, reason=reason) | more, data
    for rule, reason, data in form_breaks(root_fields(2, ["second"])):
        if reason in ("a key twice", "the version twice", "a fraction", "keys in another order", "null", "the next version", "another type"):
            yield broken_root(rule, reason, envelope(data, publications.ROOT, ["first", "second"]))
    for reason, fields in (
            ("threshold 0", dict(threshold=0)), ("threshold 2 of one key", dict(threshold=2)), ("no keys", dict(keys=[])),
            ("a key twice", dict(keys=[key_fields("second")] * 2)), ("another algorithm", dict(keys=[key_fields("second") | {"algorithm": "rsa"}])),
            ("a key with another id", dict(keys=[key_fields("second") | {"keyid": "0" * 16}])),
            ("a key in hexadecimal", dict(keys=[key_fields("second") | {"public": PUBLIC["second"].hex()}])),
            ("a key with an extra =", dict(keys=[key_fields("second") | {"public": key_fields("second")["public"] + "="}])),
            ("a key without padding", dict(keys=[key_fields("second") | {"public": key_fields("second")["public"].rstrip("=")}])),
            ("a key of 31 bytes", dict(keys=[dict(algorithm="ed25519", keyid=publications.key_id(bytes(31)), public=base64.b64encode(bytes(31)).decode())])),
            ("expires when issued", dict(expires=root_fields(2, [])["issued"])), ("no threshold", dict(threshold="1")), ("keys that are no list", dict(keys={}))):
        yield broken_root("8", reason, changed_root(fields))
    curve, p = publications.Ed25519, publications.Ed25519.P
    larger = next(p + y for y in range(3, 19) if curve.recover(y, 0) is not None)
    for reason, key in (
            ("a key of order 1", 1), ("a key of order 1 with the sign of x", 1 | 1 << 255), ("a key of order 2", p - 1), ("a key of order 4", 0),
            ("a key of order 4 with the sign of x", 1 << 255), ("a key of order 8", int.from_bytes(curve.pack(Torsion(bytes(32)).point), "little")),
            ("a key of order 1 in another form", p + 1), ("a key of the order of the base, in another form", larger),
            ("a key of all ones", (1 << 256) - 1)):
        yield broken_root("8", reason, changed_root(dict(keys=[key_fields("second"), key_entry(key.to_bytes(32, "little"))])))
    yield broken_root("4.3", "a key of mixed order, and k is odd: only a verifier with cofactor accepts", mixed_root(lambda k: k % 2 == 1))
    yield broken_root("3.3", "a time with a fraction", root(2, ["second"], ["first", "second"], issued="2026-01-01T00:00:00.000Z"))
    yield broken_root("3.3", "a time with an offset", root(2, ["second"], ["first", "second"], expires="2036-01-01T00:00:00+00:00"))
    yield broken_root("9.2", "the root that is known", made.files["roots/1.root.json"])
    yield broken_root("9.2", "a root is left out", root(3, ["second"], ["first", "second"]))
    yield broken_root("4.3", "signed only by the new key", root(2, ["second"], ["second"]))
    yield broken_root("4.3", "signed only by the old key", root(2, ["second"], ["first"]))
    yield broken_root("4.3", "signed by a stranger", root(2, ["stranger"], ["stranger"]))
    yield broken_root("4.3", "two of its keys must sign", root(2, ["second", "stranger"], ["first", "second"], threshold=2))
    yield broken_root("4.1", "a manifest", made.files["manifest.json"])

    def broken_bin(rule, reason, fields):
        return dict(as_="bin", rule=rule, reason=reason), fields if isinstance(fields, bytes) else canonical(fields)
    bin = dict(type="bin", version=1, packs=made.bins)
    for rule, reason, data in form_breaks(bin):
        if reason in ("a key twice", "the version twice", "a space after a colon", "no line feed at the end", "a fraction", "keys in another order", "another type",
                      "the next version"):
            yield broken_bin(rule, reason, data)
    digest = "0" * 64
    for name in ("", "A", ".a", "-a", "a/b", "a..b", "a" * 65, "é", "a b"):
        yield broken_bin("6", f"the name {name!r}", dict(bin, packs={name: digest}))
    yield broken_bin("6", "packs that are no object", dict(bin, packs=[]))
    vector, data = broken_bin("6", "one name of the other bin", bin)
    yield vector | dict(index=publications.bin_of("both", 2), count=2), data
    yield broken_bin("6", "no packs", without(bin, "packs"))
    for text in ("0" * 63, "A" * 64, ""):
        yield broken_bin("3.4", f"a digest of {text[:2]!r}, {len(text)} digits", dict(bin, packs={"a": text}))

    def description(rule, reason, fields, **more):
        return dict(as_="description", name="both", rule=rule, reason=reason) | more, \
            fields if isinstance(fields, bytes) else canonical(fields)
    for rule, reason, data in form_breaks(pack):
        if reason in ("a key twice", "the version twice", "a fraction", "an exponent", "keys in another order", "null", "another type", "the next version",
                      "an escape in a value", "two line feeds at the end"):
            yield description(rule, reason, data)
    for reason, fields in (
            ("another name", dict(name="block")), ("another kind", dict(kind="other")), ("serial 0", dict(serial=0)), ("a serial after the manifest's", dict(serial=3)),
            ("negative entries", dict(entries=-1)), ("too many entries", dict(entries=16_777_217)), ("shard 0", dict(shard=0)), ("a region that is no text", dict(region=5)),
            ("first after last", dict(first=pack["last"], last=pack["first"])), ("first 0", dict(first=0)), ("last of 16 digits", dict(last=10**15)),
            ("first and last of an empty pack", dict(entries=0)), ("negative bytes", dict(bytes=-1)), ("bytes beyond 4 GB", dict(bytes=1 << 32)),
            ("deltas that are no list", dict(deltas={})), ("from_serial 0", dict(deltas=[pack["deltas"][0] | {"from_serial": 0}])),
            ("from_serial of the pack", dict(deltas=[pack["deltas"][0] | {"from_serial": 2}])),
            ("a format's name with a slash", dict(formats=[dict(format="a/b", bytes=1, sha256=digest, path="formats/a")]))):
        yield description("7", reason, pack | fields)
    for name in ("name", "kind", "serial", "entries", "first", "last", "bytes", "deltas", "formats"):
        yield description("7", f"no {name}", without(pack, name))
    for path in ("../packs/a", "/packs/a", "packs//a", "packs/.a", "packs/A", "packs/a b", "a/b/c/d", "", "packs/", "packs/" + "a" * 200, "http://example.org/a"):
        yield description("3.4", f"path {path[:20]!r}", pack | {"path": path})
    yield description("3.4", "the path of a delta leaves the folder", pack | {"deltas": [pack["deltas"][0] | {"path": "../a"}]})
    for name in ("sha256", "content_sha256"):
        for text in ("0" * 63, "A" * 64):
            yield description("3.4", f"{name} of {len(text)} {text[0]}", pack | {name: text})

    def file(reason, fields, data="publication/packs/both-2.rfpack"):
        return dict(as_="file", name="both", rule="9.7", reason=reason, pack=data), canonical(pack | fields)
    yield file("another SHA-256", dict(sha256=digest))
    yield file("a byte more", dict(bytes=pack["bytes"] + 1))
    yield file("another content_sha256", dict(content_sha256=digest))
    yield file("another first", dict(first=pack["first"] - 1))
    yield file("another last", dict(last=pack["last"] + 1))
    yield file("another kind", dict(kind="identification"))
    yield file("another serial", dict(serial=1, deltas=[]))
    yield file("another number of entries", dict(entries=pack["entries"] + 1))
    yield file("another region", dict(region="NZ"))
    yield file("another file", {}, "publication/packs/both-1.rfpack")
    long, content = long_content()
    yield dict(as_="file", name="both", rule="11", reason="1,073,758,190 bytes of content", pack=LONG), canonical(
        without(pack, "shard") | dict(kind="identification", entries=get(long, "entries"), first=7, last=get(long, "last"), bytes=len(long),
                                      sha256=sha(long), content_sha256=content, deltas=[], path="packs/both-long.rfpack"))


LONG = "refused-documents/long-content.rfpack"


@cache
def long_content():
    """A valid pack of 68 KB: 16,382 entries with one label of 65,534 bytes. Returns it and its content_sha256."""
    count, label = 16_382, b"a" * 65_534
    column = (2 << 16 | len(label)) << 8 * len(label) | int.from_bytes(label, "big")
    bits = BitWriter()
    bits.put(column, 18 + 8 * len(label))
    bits.put(0, count - 1)
    digest = hashlib.sha256()
    for number in range(7, 7 + count):
        digest.update(struct.pack("<QBH", number, 2, len(label)) + label)
    return assembled(2, [(7, b"\0", bits.bytes())], Made(1, 2), shift=14, serial=2, entries=count, identifying=count, last=6 + count,
                     max_label=len(label)), digest.hexdigest()


# Writing.


def slug(text):
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in text.lower())[:48].strip("-").replace("--", "-").replace("--", "-")


def refused(rule, reason, read):
    try:
        read()
    except Refused as refusal:
        assert refusal.section == rule, f"{reason}: section {refusal.section} instead of {rule} ({refusal})"
        return
    raise AssertionError(f"{reason}: accepted, but breaks section {rule}")


def check_document(vector, data, folder, made):
    if vector["as_"] == "manifest":
        trust = publications.Trust(root=made.files["root.json"])
        head, _ = trust.verify(data, NOW, tuple(vector["seen"]) if "seen" in vector else None)
        assert all(publications.moment(head, name, "5") == vector[name] for name in ("issued", "expires") if name in vector), vector
        return
    if vector["as_"] == "root":
        return publications.Trust(root=made.files["roots/1.root.json"]).follow(data)
    if vector["as_"] == "bin":
        return publications.read_bin(data, vector.get("index", 0), vector.get("count", 1))
    pack = publications.read_description(data, vector["name"], 2)
    if vector["as_"] == "file":
        publications.check_pack(pack, (folder / vector["pack"]).read_bytes())


def main(folder, with_sums):
    (folder / "vectors.json").unlink(missing_ok=True)
    for item in folder.iterdir():
        if item.is_dir():
            shutil.rmtree(item)

    def write(path, data):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        assert not (folder / path).exists() or (folder / path).read_bytes() == data, path
        (folder / path).write_bytes(data)
        return path
    lists = dict(
        version=1, now=NOW,
        keys={name: dict(seed=KEYS[name].hex(), public=base64.b64encode(PUBLIC[name]).decode(), id=publications.key_id(PUBLIC[name])) for name in KEYS})
    lists["packs"] = []
    for name, reason, data in valid_packs():
        _, _, entries = packs.read_pack(data)
        lists["packs"].append(dict(
            file=write(f"packs/{name}.rfpack", data), dump=write(f"packs/{name}.tsv", packs.dump(entries)),
            content_sha256=packs.content_digest(entries), reason=reason))
    lists["lookups"] = []
    for name, reason, data in valid_packs():
        table = "".join(f"{number}\t{roles}\t{packs.escaped(label.decode())}\n" for number, roles, label in lookups(data))
        lists["lookups"].append(dict(file=write(f"lookups/{name}.tsv", table.encode()), pack=f"packs/{name}.rfpack", reason=reason))
    lists["refused_lookups"] = []
    for number, (rule, reason, data, asked) in enumerate(broken_lookups(), 1):
        refused(rule, f"lookup: {reason}", lambda: packs.Pack(data).lookup(asked))
        path = write(f"refused-lookups/{number:03}-{slug(reason)}.rfpack", data)
        lists["refused_lookups"].append(dict(file=path, number=asked, rule=f"PackFormat {rule}", reason=reason))
    lists["deltas"] = []
    for name, base, result, data in valid_deltas():
        made = packs.apply_delta(base, data)
        assert result in (None, made), name
        lists["deltas"].append(dict(
            file=write(f"deltas/{name}.rfdelta", data), base=write(f"deltas/{name}.base.rfpack", base),
            result=write(f"deltas/{name}.result.rfpack", made)))
    for kind, ending, source, read in (
            ("refused_packs", "rfpack", broken_packs(), lambda data, base: packs.read_pack(data)),
            ("refused_deltas", "rfdelta", ((rule, reason, data, base) for rule, reason, base, data in broken_deltas()),
             lambda data, base: packs.apply_delta(base, data))):
        lists[kind] = []
        for number, (rule, reason, data, *base) in enumerate(source, 1):
            refused(rule, reason, lambda: read(data, base[0] if base else None))
            path = f"{kind.replace('_', '-')}/{number:03}-{slug(reason)}.{ending}"
            vector = dict(file=write(path, data), rule=f"PackFormat {rule}", reason=reason)
            if base:
                vector["base"] = write(f"refused-deltas/base-{sha(base[0])[:8]}.rfpack", base[0])
            lists[kind].append(vector)
    made = Publication()
    for path, data in made.files.items():
        write(f"publication/{path}", data)
    assert len(publications.follow(folder / "publication", PUBLIC["first"], NOW)) == 3
    write(LONG, long_content()[0])
    for kind, source in (("accepted_documents", accepted_documents(made)), ("refused_documents", broken_documents(made))):
        lists[kind] = []
        for number, (vector, data) in enumerate(source, 1):
            if "rule" in vector:
                refused(vector["rule"], f"{vector['as_']}: {vector['reason']}", lambda: check_document(vector, data, folder, made))
            else:
                check_document(vector, data, folder, made)
            path = f"{kind.replace('_', '-')}/{number:03}-{vector['as_']}-{slug(vector['reason'])}.json"
            fields = {key.rstrip("_"): value for key, value in vector.items()}
            if "rule" in fields:
                fields["rule"] = f"Publication {fields['rule']}"
            lists[kind].append(dict(file=write(path, data), **fields))
    # Complete, and so the sign for other processes that all files are there.
    (folder / "vectors.json.new").write_text(json.dumps(lists, indent=1, ensure_ascii=False) + "\n")
    (folder / "vectors.json.new").rename(folder / "vectors.json")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in (".rfpack", ".rfdelta", ".tsv", ".json"))
    sums = "".join(f"{sha(path.read_bytes())}  {path.relative_to(folder)}\n" for path in files)
    if with_sums:
        (folder / "SHA256SUMS").write_text(sums)
    elif sums != (folder / "SHA256SUMS").read_text():
        changed = sorted({line.split()[1] for line in {*sums.splitlines()} ^ {*(folder / "SHA256SUMS").read_text().splitlines()}})
        sys.exit(f"The vectors differ from SHA256SUMS: {', '.join(changed)}. Pass --sums if that is wanted.")
    counts = {name: len(value) for name, value in lists.items() if isinstance(value, list)}
    print(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items()))
    print(f"{sum(count for name, count in counts.items() if name.startswith('refused'))} refused, "
          f"{sum(path.stat().st_size for path in files)} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--sums", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with (arguments.folder / ".lock").open("w") as lock:
        # Several processes of tests may start it at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (arguments.missing and (arguments.folder / "vectors.json").exists()):
            main(arguments.folder, arguments.sums)
