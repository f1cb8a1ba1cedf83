#!/usr/bin/env python3
"""Reads packs and applies deltas: an independent validator, lookup reader and delta applier, written from PackFormat.md alone.

usage: pack_reader.py FILE                     prints a line for each entry: number, tab, roles (1, 2 or 3), tab, label
       pack_reader.py BASE DELTA OUT           writes the result of a delta

Every refusal names the section of PackFormat.md with the broken rule.
"""
import bisect
import hashlib
import struct
import sys
import zlib
from types import SimpleNamespace

MOST_NUMBER = 999_999_999_999_999
REGION = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


class Refused(Exception):
    def __init__(self, section, rule):
        super().__init__(f"section {section}: {rule}")
        self.section = section


def must(condition, section, rule):
    if not condition:
        raise Refused(section, rule)


class Bits:
    """A bit stream, most significant bit first."""

    def __init__(self, data, section):
        self.value, self.count, self.at, self.section = int.from_bytes(data, "big"), 8 * len(data), 0, section

    def read(self, n):
        must(self.at + n <= self.count, self.section, "a column ends early")
        self.at += n
        return (self.value >> (self.count - self.at)) & ((1 << n) - 1)

    def finish(self):
        left = self.count - self.at
        must(left < 8, self.section, "bits follow a column")
        must(self.value & ((1 << left) - 1) == 0, "1.3", "the bits that fill a column's last byte are not 0")


class BitWriter:
    def __init__(self):
        self.value, self.count = 0, 0

    def put(self, value, n):
        self.value, self.count = self.value << n | value, self.count + n

    def bytes(self):
        fill = -self.count % 8
        return (self.value << fill).to_bytes((self.count + fill) // 8, "big")


# Number columns.


def shape(r, variant):
    b = r.bit_length() - 1
    short = (2 << b) - r
    return b, short, (r - short) // 2 if variant == 0 else r - short // 2


def interpolative(bits, variant, n, low, high, section="6.2"):
    must(high - low + 1 >= n, section, "numbers do not fit")
    out = [0] * n

    def value(r):
        if r == 1:
            return 0
        b, short, first = shape(r, variant)
        code = bits.read(b)
        if code >= short:
            code = 2 * code + bits.read(1) - short
        return (code + first) % r

    def run(at, n, low, high):
        if n == 0:
            return
        if high - low + 1 == n:
            out[at:at + n] = range(low, high + 1)
            return
        left = n // 2
        base = low + left
        middle = base + value(high - (n - 1 - left) - base + 1)
        out[at + left] = middle
        run(at, left, low, middle - 1)
        run(at + left + 1, n - left - 1, middle + 1, high)

    run(0, n, low, high)
    return out


def put_interpolative(bits, variant, values, low, high):
    n = len(values)
    if n == 0 or high - low + 1 == n:
        return
    left = n // 2
    base, middle = low + left, values[left]
    r = high - (n - 1 - left) - base + 1
    if r > 1:
        b, short, first = shape(r, variant)
        code = (middle - base - first) % r
        bits.put(code, b) if code < short else bits.put(code + short, b + 1)
    put_interpolative(bits, variant, values[:left], low, middle - 1)
    put_interpolative(bits, variant, values[left + 1:], middle + 1, high)


# The dictionary.


class Dictionary:
    AGAIN, SPELL = object(), object()

    def __init__(self, stored, tokens, text_bytes):
        must(len(stored) >= 5, "7.1", "the dictionary is shorter than its start")
        coding, size = struct.unpack_from("<BI", stored)
        must(coding <= 1 and size <= 3145728, "7.1", "the dictionary's start is wrong")
        self.data = stored[5:]
        if coding == 1:
            inflater = zlib.decompressobj(-15)
            try:
                self.data = inflater.decompress(self.data, size + 1)
            except zlib.error as error:
                raise Refused("7.1", str(error))
            must(inflater.eof and not inflater.unused_data, "7.1", "the deflated dictionary is broken")
        must(len(self.data) == size, "7.1", "the dictionary has another size")
        self.at = 0
        again, spell = self.byte(), self.byte()
        must(again <= 24 and spell <= 24, "7.2", "a code word is too long")
        counts = [[(0, 0)] * 25, [(0, 0)] * 25]
        for code in (0, 1):
            longest = self.byte()
            must(longest <= 24, "7.2", "a code word is too long")
            for bits in range(1, longest + 1):
                counts[code][bits] = (self.varint(), self.varint())
        must(sum(map(sum, counts[0] + counts[1])) == tokens, "7.2", "tokens do not add up")
        self.codes, total = [{}, {}], 0
        for code in (0, 1):
            word = 0
            for bits in range(1, 25):
                special = 0 if code else (again == bits) + (spell == bits)
                word = 2 * word + special + sum(counts[code][bits])
                must(word <= 1 << bits, "7.4", "too many code words")
        for code in (0, 1):
            word = 0
            for bits in range(1, 25):
                symbols = []
                if code == 0 and bits == again:
                    symbols.append(self.AGAIN)
                if code == 0 and bits == spell:
                    symbols.append(self.SPELL)
                for ends in (False, True):
                    before = b""
                    for _ in range(counts[code][bits][ends]):
                        shared, own = self.byte(), self.byte()
                        must(shared <= len(before) and own >= 1 and shared + own <= 255, "7.3", "a token's length is wrong")
                        must(self.at + own <= size, "7.1", "the dictionary ends early")
                        text = before[:shared] + self.data[self.at:self.at + own]
                        must(shared == len(before) or text[shared] > before[shared], "7.3", "tokens do not ascend")
                        self.at += own
                        symbols.append((text, ends))
                        before, total = text, total + len(text)
                        must(total <= text_bytes, "7.3", "the dictionary's text has another size")
                word *= 2
                for symbol in symbols:
                    self.codes[code][bits, word] = symbol
                    word += 1
        must(total == text_bytes, "7.3", "the dictionary's text has another size")
        must(self.at == size, "7.1", "bytes follow the tokens")
        self.words = [{}, {}]  # By code: (text, ends) or special symbol → (bits, word).
        for code in (0, 1):
            for key, symbol in self.codes[code].items():
                self.words[code].setdefault(symbol, key)

    def byte(self):
        must(self.at < len(self.data), "7.1", "the dictionary ends early")
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = 0
        for shift in (0, 7, 14, 21):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise Refused("7.2", "a varint is too long")

    def symbol(self, bits, code):
        word = 0
        for length in range(1, 25):
            word = 2 * word + bits.read(1)
            if (length, word) in self.codes[code]:
                return self.codes[code][length, word]
        raise Refused("6.4", "bits are no code word")

    def label(self, bits, last, most):
        symbol = self.symbol(bits, 0)
        if symbol is self.AGAIN:
            must(last, "6.4", "there is no label to repeat")
            return last
        if symbol is self.SPELL:
            count = bits.read(16)
            must(1 <= count <= most, "6.4", "a label is empty or too long")
            text = bits.read(8 * count).to_bytes(count, "big")
        else:
            text, ends = symbol
            while not ends:
                must(len(text) <= most, "6.4", "a label is too long")
                more, ends = self.symbol(bits, 1)
                text += more
            must(len(text) <= most, "6.4", "a label is too long")
        try:
            text.decode()
        except UnicodeDecodeError:
            raise Refused("6.5", "a label is not UTF-8")
        return text

    def put_label(self, bits, label, last):
        """Appends a label in the only form that a writer may choose."""
        if label == last and self.AGAIN in self.words[0]:
            length, word = self.words[0][self.AGAIN]
            return bits.put(word, length)
        n = len(label)
        costs, choices = [None] * n + [0], [0] * n
        for start in reversed(range(n)):
            for end in range(start + 1, min(n, start + 255) + 1):
                key = self.words[1 if start else 0].get((label[start:end], end == n))
                if key and costs[end] is not None and (costs[start] is None or key[0] + costs[end] <= costs[start]):
                    costs[start], choices[start] = key[0] + costs[end], end
        spell = self.words[0].get(self.SPELL)
        if spell and (costs[0] is None or spell[0] + 16 + 8 * n < costs[0]):
            bits.put(spell[1], spell[0])
            bits.put(n, 16)
            return bits.put(int.from_bytes(label, "big"), 8 * n)
        must(costs[0] is not None, "8.5", "the dictionary cannot write a label")
        start = 0
        while start < n:
            end = choices[start]
            length, word = self.words[1 if start else 0][label[start:end], end == n]
            bits.put(word, length)
            start = end


# Roles and labels.


class Labels:
    """Decodes a column of roles and labels."""

    def __init__(self, data, dictionary, kind, most, section="6.3"):
        self.bits, self.dictionary, self.kind, self.most = Bits(data, section), dictionary, kind, most
        self.roles, self.label = 2, b""

    def next(self):
        if self.kind == 3 and self.bits.read(1):
            self.roles = (self.roles + self.bits.read(1)) % 3 + 1
        if self.roles & 2:
            self.label = self.dictionary.label(self.bits, self.label, self.most)
        return self.roles, self.label if self.roles & 2 else b""


class LabelWriter:
    def __init__(self, dictionary, kind):
        self.bits, self.dictionary, self.kind = BitWriter(), dictionary, kind
        self.roles, self.label = 2, b""

    def put(self, roles, label):
        if self.kind == 3:
            step = (roles - self.roles) % 3
            self.bits.put(0, 1) if step == 0 else self.bits.put(step + 1, 2)
            self.roles = roles
        if roles & 2:
            self.dictionary.put_label(self.bits, label, self.label)
            self.label = label


# Packs.

FIELDS = ("version flags kind profile shift zero serial base created entries blocking identifying blocks stored text "
          "tokens max_block max_label index_crc last region dictionary_crc zero2 length crc").split()


def read_header(data):
    """Checks the first 128 bytes of a pack as far as possible without the rest."""
    must(data[:8] == b"RFPACK\x1a\n", "4.1", "this is no pack")
    must(len(data) >= 128, "3", "the file is shorter than a header")
    h = SimpleNamespace(**dict(zip(FIELDS, struct.unpack_from("<HHBBBBQQqIIIIIIIIIIQ24sIIII", data, 8))))
    must(h.version == 1, "4.2", "the version is unknown")
    must(zlib.crc32(data[:124]) == h.crc, "4.20", "the header is corrupt")
    must(h.flags == 0, "4.3", "a flag is unknown")
    must(h.zero == 0 and h.zero2 == 0, "4.7", "a reserved byte is not 0")
    must(h.kind in (1, 2, 3), "4.4", "the kind is unknown")
    must(h.profile in (1, 2), "4.5", "the profile is unknown")
    must(2 <= h.shift <= 14, "4.6", "the block shift is out of range")
    size = h.region[0]
    must(size <= 23 and set(h.region[1:size + 1]) <= REGION and not any(h.region[size + 1:]), "4.18", "the region is wrong")
    must(h.entries <= 16777216, "4.11", "too many entries")
    if h.kind == 3:
        fits = h.blocking <= h.entries and h.identifying <= h.entries and h.blocking + h.identifying >= h.entries
    else:
        fits = (h.blocking, h.identifying) == ((h.entries, 0) if h.kind == 1 else (0, h.entries))
    must(fits, "4.11", "the counts do not fit the kind")
    must(h.blocks == -(-h.entries >> h.shift) and h.blocks <= 16384, "4.12", "blocks do not fit entries")
    must(h.stored <= 1572864 and h.text <= 1048576 and h.tokens <= 131072, "4.13", "the dictionary is too large")
    must(h.kind != 1 or h.stored == 0, "4.13", "a pack that only blocks has a dictionary")
    must(h.stored or h.text == h.tokens == 0, "4.13", "there is no dictionary of this size")
    must(h.stored or h.identifying == 0, "4.13", "there is no dictionary")
    must(h.max_block <= 524288, "4.14", "blocks are too large")
    must(h.max_label <= 65534 and (h.max_label > 0) == (h.identifying > 0), "4.15", "the maximum label is wrong")
    must(h.identifying * h.max_label <= 0xFFFFFFFF, "4.15", "the labels are too long in total")
    must(h.stored or h.dictionary_crc == 0, "4.16", "there is a checksum of no dictionary")
    must(h.last <= MOST_NUMBER and (h.last == 0) == (h.entries == 0), "4.17", "the last number is out of range")
    return h


class Pack:
    """A pack whose header and index are checked. The dictionary and the blocks are read when they are needed."""

    def __init__(self, data):
        h = self.header = read_header(data)
        must(h.length == len(data), "4.19", "the file has another length")
        index_at = h.length - 16 * h.blocks
        must(128 + h.stored + 4 * h.blocks <= index_at, "3", "the parts do not fit the file")
        must(h.blocks or 128 + h.stored == index_at, "3", "bytes are between the dictionary and the index")
        must(zlib.crc32(data[index_at:]) == h.index_crc, "4.16", "the index is corrupt")
        index = [struct.unpack_from("<QII", data, index_at + 16 * i) for i in range(h.blocks)]
        starts = [start for _, start, _ in index] + [index_at]
        must(starts[0] == 128 + h.stored, "5.1", "the first block is elsewhere")
        must(all(a < b for a, b in zip(starts, starts[1:])), "5.1", "blocks overlap")
        must(max((b - a for a, b in zip(starts, starts[1:])), default=0) == h.max_block, "4.14", "the maximum block is not exact")
        firsts, left = [first for first, _, _ in index], h.entries - ((h.blocks - 1) << h.shift)
        if firsts:
            must(firsts[0] >= 1 and all(b - a >= 1 << h.shift for a, b in zip(firsts, firsts[1:])), "5.2", "first numbers collide")
            must(h.last - firsts[-1] >= left - 1 and (left > 1 or h.last == firsts[-1]), "5.2", "the last number does not fit")
        self.data, self.firsts, self.starts, self.crcs = data, firsts, starts, [crc for _, _, crc in index]
        self.loaded = None

    def dictionary(self):
        h = self.header
        if h.stored and not self.loaded:
            stored = self.data[128:128 + h.stored]
            must(zlib.crc32(stored) == h.dictionary_crc, "4.16", "the dictionary is corrupt")
            self.loaded = Dictionary(stored, h.tokens, h.text)
        return self.loaded

    def block(self, i):
        """Returns the numbers of a block and the decoder of its labels, or None."""
        h, first, dictionary = self.header, self.firsts[i], self.dictionary()
        block = self.data[self.starts[i]:self.starts[i + 1]]
        must(zlib.crc32(block) == self.crcs[i], "5.3", "a block is corrupt")
        must(len(block) >= 4 and block[0] <= 1, "6.1", "a block's start is wrong")
        count = min(1 << h.shift, h.entries - (i << h.shift))
        is_last = i + 1 == h.blocks
        high = h.last if is_last else self.firsts[i + 1] - 1
        size = int.from_bytes(block[1:4], "little")
        must(4 + size <= len(block), "6.1", "the number column is longer than the block")
        bits = Bits(block[4:4 + size], "6.2")
        numbers = [first] + interpolative(bits, block[0], count - 1, first + 1, high)
        bits.finish()
        must(not is_last or numbers[-1] == h.last, "4.17", "the last number is not the greatest")
        must(dictionary or 4 + size == len(block), "6.1", "bytes follow the numbers")
        return numbers, dictionary and Labels(block[4 + size:], dictionary, h.kind, h.max_label)

    def lookup(self, number):
        """Returns the roles and the label of a number; roles 0 when it is not in the pack. Decodes one block."""
        i = bisect.bisect_right(self.firsts, number) - 1
        if i < 0 or number > self.header.last:
            return 0, b""
        numbers, labels = self.block(i)
        if number not in numbers:
            return 0, b""
        entries = [labels.next() for _ in range(numbers.index(number) + 1)] if labels else [(1, b"")]
        return entries[-1]


def read_pack(data):
    """Checks everything; returns the header, the dictionary and the entries as (number, roles, label)."""
    pack = Pack(data)
    h, dictionary = pack.header, pack.dictionary()
    entries, longest = [], 0
    for i in range(h.blocks):
        numbers, labels = pack.block(i)
        for number in numbers:
            entries.append((number, *(labels.next() if labels else (1, b""))))
            longest = max(longest, len(entries[-1][2]))
        if labels:
            labels.bits.finish()
    must(sum(roles & 1 for _, roles, _ in entries) == h.blocking, "4.11", "the blocking count is not exact")
    must(sum(roles >> 1 for _, roles, _ in entries) == h.identifying, "4.11", "the identification count is not exact")
    must(longest == h.max_label, "4.15", "the maximum label is not exact")
    return h, dictionary, entries


def pack_header(h, fields):
    """The bytes of a header; `fields` replaces some of its fields."""
    values = dict(vars(h), **fields)
    head = b"RFPACK\x1a\n" + struct.pack("<HHBBBBQQqIIIIIIIIIIQ24sIII", *(values[name] for name in FIELDS[:-1]))
    return head + struct.pack("<I", zlib.crc32(head))


def write_pack(h, stored, dictionary, entries):
    """Returns the bytes of a pack from the fields that its maker chooses, a stored dictionary, and entries."""
    size, body, index = 1 << h.shift, b"", b""
    max_block = 0
    for at in range(0, len(entries), size):
        block = entries[at:at + size]
        high = entries[at + size][0] - 1 if at + size < len(entries) else entries[-1][0]
        columns = []
        for variant in (0, 1):
            bits = BitWriter()
            put_interpolative(bits, variant, [number for number, _, _ in block[1:]], block[0][0] + 1, high)
            columns.append(bits)
        variant = 1 if columns[1].count < columns[0].count else 0
        column = columns[variant].bytes()
        data = bytes([variant]) + len(column).to_bytes(3, "little") + column
        if dictionary:
            labels = LabelWriter(dictionary, h.kind)
            for _, roles, label in block:
                labels.put(roles, label)
            data += labels.bits.bytes()
        index += struct.pack("<QII", block[0][0], 128 + len(stored) + len(body), zlib.crc32(data))
        body, max_block = body + data, max(max_block, len(data))
    return pack_header(h, dict(
        entries=len(entries), blocking=sum(roles & 1 for _, roles, _ in entries),
        identifying=sum(roles >> 1 for _, roles, _ in entries), blocks=-(-len(entries) // size), stored=len(stored),
        max_block=max_block, max_label=max((len(label) for _, _, label in entries), default=0),
        index_crc=zlib.crc32(index), last=entries[-1][0] if entries else 0, dictionary_crc=zlib.crc32(stored),
        length=128 + len(stored) + len(body) + len(index))) + stored + body + index


def content_digest(entries):
    """SHA-256 of the entries, as a manifest names it."""
    digest = hashlib.sha256()
    for number, roles, label in entries:
        digest.update(struct.pack("<QBH", number, roles, len(label)) + label)
    return digest.hexdigest()


# Deltas.


def apply_delta(base, data):
    """Returns the bytes of the result."""
    must(data[:8] == b"RFDLTA\x1a\n", "8.1", "this is no delta")
    must(len(data) >= 264, "8.1", "the file is shorter than a header")
    version, flags, base_entries, base_serial, base_sha, result_sha = struct.unpack_from("<HHIQ32s32s", data, 8)
    (removed, added, changed, removed_bytes, changed_bytes, added_bytes, dictionary_bytes, label_bytes, crc, length,
     zero) = struct.unpack_from("<11I", data, 88)
    must(version == 1, "8.1", "the version is unknown")
    must(zlib.crc32(data[:260]) == struct.unpack_from("<I", data, 260)[0], "8.1", "the header is corrupt")
    must(flags == 0 and zero == 0, "8.1", "a flag is unknown")
    h = read_header(data[132:260])
    sizes = [removed_bytes, changed_bytes, added_bytes, dictionary_bytes, label_bytes]
    must(length == len(data) == 264 + sum(sizes), "8.1", "the file has another length")
    must(sum(sizes) <= 67108864, "8.1", "the delta is too large")
    kept = base_entries - removed
    must(base_entries <= 16777216 and kept >= changed and kept + added == h.entries, "8.1", "counts do not add up")
    must(h.kind != 1 or changed == 0, "8.1", "an entry that only blocks changes")
    must(all((size > 0) == (count > 0) for size, count in zip(sizes, (removed, changed, added))), "8.2", "a column is missing")
    must(dictionary_bytes in (0, h.stored), "8.3", "the dictionary has another size")
    must((label_bytes > 0) == (h.stored > 0 and added + changed > 0), "8.4", "the label column does not fit")
    must(hashlib.sha256(base).digest() == base_sha, "8.5", "this is not the base")
    base_header, _, old = read_pack(base)
    must(base_header.kind == h.kind and len(old) == base_entries, "8.1", "the base has another kind or count")
    must(base_header.serial == base_serial, "8.1", "the base has another serial")
    must(zlib.crc32(data[264:]) == crc, "8.1", "the payload is corrupt")
    parts, at = [], 264
    for size in sizes:
        parts.append(data[at:at + size])
        at += size

    def column(part, count, low, high):
        if count == 0:
            return []
        must(part[0] <= 1, "8.2", "the variant is unknown")
        bits = Bits(part[1:], "8.2")
        values = interpolative(bits, part[0], count, low, high, "8.2")
        bits.finish()
        return values

    gone = set(column(parts[0], removed, 0, base_entries - 1))
    other = set(column(parts[1], changed, 0, base_entries - 1))
    new = column(parts[2], added, 1, h.last)
    must(not gone & other, "8.2", "an entry is removed and changed")
    must(not set(new) & {number for number, _, _ in old}, "8.2", "an added number is in the base")
    stored = parts[3] or base[128:128 + base_header.stored] if h.stored else b""
    must((len(stored), zlib.crc32(stored)) == (h.stored, h.dictionary_crc), "8.3", "the dictionary is another one")
    dictionary = Dictionary(stored, h.tokens, h.text) if stored else None
    labels = Labels(parts[4], dictionary, h.kind, h.max_label, "8.4") if parts[4] else None
    work = [(number, None, None) for number in new]
    work += [(number, roles, label) for at, (number, roles, label) in enumerate(old) if at in other]
    coded = {}
    for number, roles, label in sorted(work, key=lambda entry: entry[0]):
        coded[number] = labels.next() if labels else (1, b"")
        must(coded[number] != (roles, label), "8.2", "an entry changes into itself")
    if labels:
        labels.bits.finish()
    entries = [(number, *coded.get(number, (roles, label)))
               for at, (number, roles, label) in enumerate(old) if at not in gone]
    entries = sorted(entries + [(number, *coded[number]) for number in new])
    result = write_pack(h, stored, dictionary, entries)
    must(hashlib.sha256(result).digest() == result_sha and result[:128] == data[132:260], "8.5", "the result is another one")
    return result


# The dump of `ringfence pack dump --format tsv`.


def escaped(label):
    names = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
    return "".join(
        names.get(c) or ("\\u%04x" % ord(c) if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029" else c)
        for c in label)


def dump(entries):
    lines = []
    for number, roles, label in entries:
        cells = [str(number)] + ([escaped(label.decode())] if roles & 2 else []) + (["block"] if roles == 3 else [])
        lines.append("\t".join(cells) + "\n")
    return "".join(lines).encode()


def main():
    files = []
    for path in sys.argv[1:3]:
        with open(path, "rb") as file:
            files.append(file.read())
    try:
        if len(files) == 2:
            with open(sys.argv[3], "wb") as out:
                out.write(apply_delta(*files))
            return
        for number, roles, label in read_pack(files[0])[2]:
            sys.stdout.buffer.write(b"%d\t%d\t%s\n" % (number, roles, label))
    except Refused as refusal:
        sys.exit("refused: %s" % refusal)


if __name__ == "__main__":
    main()
