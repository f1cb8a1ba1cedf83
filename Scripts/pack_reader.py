#!/usr/bin/env python3
"""Reads a pack and prints number, roles and label: an independent reader, written from PackFormat.md alone.

usage: pack_reader.py FILE            prints a line for each entry: number, tab, roles (1, 2 or 3), tab, label
"""
import struct
import sys
import zlib


class Refused(Exception):
    pass


def must(condition, rule):
    if not condition:
        raise Refused(rule)


class Bits:
    """A bit stream, most significant bit first."""

    def __init__(self, data):
        self.value, self.count, self.at = int.from_bytes(data, "big"), 8 * len(data), 0

    def read(self, n):
        must(self.at + n <= self.count, "a column ends early")
        self.at += n
        return (self.value >> (self.count - self.at)) & ((1 << n) - 1)

    def finish(self):
        must(self.count - self.at < 8, "bits follow a column")


def interpolative(bits, variant, n, low, high):
    must(high - low + 1 >= n, "numbers do not fit")
    out = [0] * n

    def value(r):
        if r == 1:
            return 0
        b = r.bit_length() - 1
        short = (2 << b) - r
        code = bits.read(b)
        if code >= short:
            code = 2 * code + bits.read(1) - short
        first = (r - short) // 2 if variant == 0 else r - short // 2
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


class Dictionary:
    AGAIN, SPELL = object(), object()

    def __init__(self, stored, tokens, text_bytes):
        coding, size = struct.unpack_from("<BI", stored)
        must(coding <= 1 and size <= 3145728, "the dictionary's start is wrong")
        self.data = stored[5:]
        if coding == 1:
            inflater = zlib.decompressobj(-15)
            self.data = inflater.decompress(self.data, size + 1)
            must(inflater.eof and not inflater.unused_data, "the deflated dictionary is broken")
        must(len(self.data) == size, "the dictionary has another size")
        self.at = 0
        again, spell = self.byte(), self.byte()
        counts = [[(0, 0)] * 25, [(0, 0)] * 25]
        for code in (0, 1):
            for bits in range(1, self.byte() + 1):
                counts[code][bits] = (self.varint(), self.varint())
        must(sum(map(sum, counts[0] + counts[1])) == tokens, "tokens do not add up")
        self.codes, total = [{}, {}], 0
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
                        must(shared <= len(before) and 1 <= own <= 255 - shared, "a token's length is wrong")
                        text = before[:shared] + self.data[self.at:self.at + own]
                        self.at += own
                        must(len(text) == shared + own and text > before, "tokens do not ascend")
                        symbols.append((text, ends))
                        before, total = text, total + len(text)
                word *= 2
                for symbol in symbols:
                    self.codes[code][bits, word] = symbol
                    word += 1
                must(word <= 1 << bits, "too many code words")
        must(self.at == size and total == text_bytes, "the dictionary's text has another size")

    def byte(self):
        must(self.at < len(self.data), "the dictionary ends early")
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = 0
        for shift in (0, 7, 14, 21):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise Refused("a varint is too long")

    def symbol(self, bits, code):
        word = 0
        for length in range(1, 25):
            word = 2 * word + bits.read(1)
            if (length, word) in self.codes[code]:
                return self.codes[code][length, word]
        raise Refused("bits are no code word")

    def label(self, bits, last, most):
        symbol = self.symbol(bits, 0)
        if symbol is self.AGAIN:
            must(last, "there is no label to repeat")
            return last
        if symbol is self.SPELL:
            text = bytes(bits.read(8) for _ in range(bits.read(16)))
        else:
            text, ends = symbol
            while not ends:
                more, ends = self.symbol(bits, 1)
                text += more
        must(1 <= len(text) <= most, "a label is empty or too long")
        return text


def read(data):
    must(data[:8] == b"RFPACK\x1a\n" and len(data) >= 128, "this is no pack")
    (version, flags, kind, profile, shift, zero, serial, base, created, entries, blocking, identifying, blocks,
     stored, text, tokens, max_block, max_label, index_crc, last_number, region, dictionary_crc, zero2, length,
     crc) = struct.unpack_from("<HHBBBBQQqIIIIIIIIIIQ24sIIII", data, 8)
    must(version == 1 and flags == zero == zero2 == 0, "the version or a flag is unknown")
    must(zlib.crc32(data[:124]) == crc and length == len(data), "the header or the length is wrong")
    must(kind in (1, 2, 3) and profile in (1, 2) and 2 <= shift <= 14, "a field is out of range")
    must(blocks == -(-entries >> shift), "blocks do not fit entries")
    index_at = length - 16 * blocks
    index = [struct.unpack_from("<QII", data, index_at + 16 * i) for i in range(blocks)]
    must(zlib.crc32(data[index_at:]) == index_crc, "the index is corrupt")
    must(zlib.crc32(data[128:128 + stored]) == dictionary_crc, "the dictionary is corrupt")
    dictionary = Dictionary(data[128:128 + stored], tokens, text) if stored else None
    ends = [start for _, start, _ in index[1:]] + [index_at]
    for i, ((first, start, crc), end) in enumerate(zip(index, ends)):
        block = data[start:end]
        must(4 <= len(block) <= max_block and zlib.crc32(block) == crc, "a block is corrupt")
        count = min(1 << shift, entries - (i << shift))
        high = index[i + 1][0] - 1 if i + 1 < blocks else last_number
        size = int.from_bytes(block[1:4], "little")
        bits = Bits(block[4:4 + size])
        numbers = [first] + interpolative(bits, block[0], count - 1, first + 1, high)
        bits.finish()
        bits, roles, label = Bits(block[4 + size:]), 2, b""
        for number in numbers:
            if dictionary is None:
                yield number, 1, ""
                continue
            if kind == 3 and bits.read(1):
                roles = (roles + bits.read(1)) % 3 + 1
            if roles & 2:
                label = dictionary.label(bits, label, max_label)
            yield number, roles, label.decode() if roles & 2 else ""
        bits.finish()


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        try:
            for entry in read(file.read()):
                sys.stdout.buffer.write(("%d\t%d\t%s\n" % entry).encode())
        except Refused as refusal:
            sys.exit("refused: %s" % refusal)
