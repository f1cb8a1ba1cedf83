// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.io.IOException;
import java.util.zip.CRC32;

/** The tokens of labels and their code words (section 7). */
final class PackDictionary {
  static final int LONGEST_WORD = 24;
  private static final int TABLE_BITS = 11;
  // Symbols are numbers: AGAIN, SPELL, then two for each token, of which the odd one ends a label.
  private static final int AGAIN = 0;
  private static final int SPELL = 1;
  private static final int TOKENS = 2;

  private final byte[] text;
  /** Where the text of each token starts. Tokens are in the order of the file: by code, bits, and whether they end. */
  private final int[] starts;
  /** By code and bits: the first code word, the symbols, and the first token. */
  private final int[][] words = new int[2][LONGEST_WORD + 1];
  private final int[][] symbols = new int[2][LONGEST_WORD + 1];
  private final int[][] tokens = new int[2][LONGEST_WORD + 1];
  private final int[][] going = new int[2][LONGEST_WORD + 1];
  /** By the next 11 bits: symbol × 32 + bits of a short code word, or 0. */
  private final int[][] tables = new int[2][1 << TABLE_BITS];
  private int againBits, spellBits;

  private PackDictionary(int text, int tokens) {
    this.text = new byte[text];
    starts = new int[tokens + 1];
  }

  /** Reads the dictionary that a header declares. */
  static PackDictionary load(PackSource source, long at, PackHeader header) throws IOException {
    CRC32 checksum = new CRC32();
    byte[] piece = new byte[4096];
    for (int from = 0; from < header.stored; from += piece.length) {
      int count = Math.min(piece.length, header.stored - from);
      source.read(at + from, piece, 0, count);
      checksum.update(piece, 0, count);
    }
    require(checksum.getValue() == header.dictionaryChecksum, "the dictionary is corrupt");
    DictionaryBytes bytes = new DictionaryBytes(source, at, header.stored);
    try {
      PackDictionary dictionary = new PackDictionary(header.text, header.tokens);
      dictionary.read(bytes);
      bytes.finish();
      return dictionary;
    } finally {
      bytes.close();
    }
  }

  private void read(DictionaryBytes bytes) throws IOException {
    againBits = bytes.next();
    spellBits = bytes.next();
    require(againBits <= LONGEST_WORD && spellBits <= LONGEST_WORD, "a code word is too long");
    int declared = starts.length - 1;
    long total = 0;
    int[][][] counts = new int[2][LONGEST_WORD + 1][2];
    for (int code = 0; code < 2; code++) {
      int longest = bytes.next();
      require(longest <= LONGEST_WORD, "a code word is too long");
      for (int bits = 1; bits <= longest; bits++) {
        for (int half = 0; half < 2; half++) total += counts[code][bits][half] = bytes.varint();
      }
    }
    require(total == declared, "there are " + total + " tokens instead of " + declared);
    int token = 0;
    for (int code = 0; code < 2; code++) {
      long word = 0;
      for (int bits = 1; bits <= LONGEST_WORD; bits++) {
        word *= 2;
        words[code][bits] = (int) word;
        tokens[code][bits] = token;
        going[code][bits] = counts[code][bits][0];
        symbols[code][bits] = specials(code, bits) + counts[code][bits][0] + counts[code][bits][1];
        word += symbols[code][bits];
        require(word <= 1L << bits, "there are too many code words of " + bits + " bits");
        for (int half = 0; half < 2; half++) token = readGroup(bytes, token, counts[code][bits][half]);
      }
      fillTable(code);
    }
    require(starts[declared] == text.length, "the text of the tokens has another length");
  }

  private int readGroup(DictionaryBytes bytes, int first, int count) throws IOException {
    int before = 0;
    for (int token = first; token < first + count; token++) {
      int shared = bytes.next();
      int own = bytes.next();
      require(shared <= before && own >= 1 && shared + own <= 255, "the length of a token is wrong");
      int at = starts[token];
      require(shared + own <= text.length - at, "the text of the tokens has another length");
      System.arraycopy(text, at - before, text, at, shared);
      for (int i = shared; i < shared + own; i++) text[at + i] = (byte) bytes.next();
      boolean ascends = shared == before || (text[at + shared] & 0xFF) > (text[at - before + shared] & 0xFF);
      require(ascends, "tokens do not ascend");
      before = shared + own;
      starts[token + 1] = at + before;
    }
    return first + count;
  }

  private int specials(int code, int bits) { return code > 0 ? 0 : (againBits == bits ? 1 : 0) + (spellBits == bits ? 1 : 0); }

  private void fillTable(int code) {
    for (int bits = 1; bits <= TABLE_BITS; bits++) {
      for (int i = 0; i < symbols[code][bits]; i++) {
        int shift = TABLE_BITS - bits;
        int from = words[code][bits] + i << shift;
        int entry = symbol(code, bits, i) << 5 | bits;
        for (int at = from; at < from + (1 << shift); at++) tables[code][at] = entry;
      }
    }
  }

  /** Returns the symbol of a code word by its place among the code words of this length. */
  private int symbol(int code, int bits, int place) {
    int specials = specials(code, bits);
    if (place < specials) return place == 0 && againBits == bits ? AGAIN : SPELL;
    int token = place - specials;
    return TOKENS + 2 * (tokens[code][bits] + token) + (token >= going[code][bits] ? 1 : 0);
  }

  private int readSymbol(BitReader in, int code) throws FormatException {
    int entry = tables[code][in.peek(TABLE_BITS)];
    if (entry != 0) {
      in.read(entry & 31);
      return entry >> 5;
    }
    int word = (int) in.read(TABLE_BITS);
    for (int bits = TABLE_BITS + 1; bits <= LONGEST_WORD; bits++) {
      word = 2 * word + (int) in.read(1);
      int place = word - words[code][bits];
      if (place >= 0 && place < symbols[code][bits]) return symbol(code, bits, place);
    }
    throw new FormatException("bits are not a code word");
  }

  /** Reads a label over the last one and returns its length. */
  int read(BitReader in, byte[] label, int last) throws FormatException {
    int symbol = readSymbol(in, 0);
    int length = 0;
    if (symbol == AGAIN) {
      require(last > 0, "there is no label to repeat");
      return last;
    }
    if (symbol == SPELL) {
      length = (int) in.read(16);
      require(length >= 1 && length <= label.length, "a label is empty or too long");
      for (int i = 0; i < length; i++) label[i] = (byte) in.read(8);
    } else {
      while (true) {
        int token = symbol - TOKENS >> 1;
        int count = starts[token + 1] - starts[token];
        require(count <= label.length - length, "a label is too long");
        System.arraycopy(text, starts[token], label, length, count);
        length += count;
        if ((symbol & 1) == 1) break;
        symbol = readSymbol(in, 1);
      }
    }
    require(Utf8.isValid(label, 0, length), "a label is not UTF-8");
    return length;
  }

  // For the encoder.

  int againBits() { return againBits; }
  int spellBits() { return spellBits; }
  int againWord() { return words[0][againBits]; }
  int spellWord() { return words[0][spellBits] + (againBits == spellBits ? 1 : 0); }
  /** Returns the first token of a code, and for code 2 the number of tokens. */
  int firstToken(int code) { return code < 2 ? tokens[code][1] : starts.length - 1; }
  int length(int token) { return starts[token + 1] - starts[token]; }
  int byteAt(int token, int place) { return text[starts[token] + place] & 0xFF; }

  /** Returns the bits of a token's code word. */
  int bits(int code, int token) {
    int bits = LONGEST_WORD;
    while (tokens[code][bits] > token || symbols[code][bits] == specials(code, bits)) bits--;
    return bits;
  }

  int word(int code, int bits, int token) { return words[code][bits] + specials(code, bits) + token - tokens[code][bits]; }
  boolean ends(int code, int bits, int token) { return token - tokens[code][bits] >= going[code][bits]; }
}
