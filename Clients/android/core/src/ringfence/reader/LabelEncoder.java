// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.util.Arrays;

/** Writes labels with the choices of section 6.6. */
final class LabelEncoder {
  private final PackDictionary dictionary;
  /** By code: the tokens, ordered by text and then by bits. */ private final int[][] sorted = new int[2][];
  private final byte[] bitsOf;
  private long[] costs = {};
  private int[] ends = {};
  private int[] tokens = {};
  private byte[] last = {};
  private int lastLength;

  LabelEncoder(PackDictionary dictionary) {
    this.dictionary = dictionary;
    bitsOf = new byte[dictionary.firstToken(2)];
    for (int code = 0; code < 2; code++) {
      int first = dictionary.firstToken(code);
      Integer[] order = new Integer[dictionary.firstToken(code + 1) - first];
      for (int i = 0; i < order.length; i++) {
        order[i] = first + i;
        bitsOf[first + i] = (byte) dictionary.bits(code, first + i);
      }
      // Equal texts keep their order, which is by bits.
      Arrays.sort(order, this::compare);
      sorted[code] = new int[order.length];
      for (int i = 0; i < order.length; i++) sorted[code][i] = order[i];
    }
  }

  private int compare(int a, int b) {
    int count = Math.min(dictionary.length(a), dictionary.length(b));
    for (int i = 0; i < count; i++) {
      int difference = dictionary.byteAt(a, i) - dictionary.byteAt(b, i);
      if (difference != 0) return difference;
    }
    return dictionary.length(a) - dictionary.length(b);
  }

  void startBlock() { lastLength = 0; }

  void write(BitWriter out, byte[] label, int length) throws FormatException {
    boolean isAgain = lastLength > 0 && Bytes.equal(label, length, last, lastLength);
    if (last.length < length) last = new byte[Math.max(length, 64)];
    System.arraycopy(label, 0, last, 0, length);
    lastLength = length;
    if (isAgain && dictionary.againBits() > 0) {
      out.put(dictionary.againWord(), dictionary.againBits());
      return;
    }
    findCheapest(label, length);
    int spellBits = dictionary.spellBits();
    if (spellBits > 0 && (costs[0] == Long.MAX_VALUE || spellBits + 16 + 8L * length < costs[0])) {
      out.put(dictionary.spellWord(), spellBits);
      out.put(length, 16);
      for (int i = 0; i < length; i++) out.put(label[i] & 0xFF, 8);
      return;
    }
    require(costs[0] != Long.MAX_VALUE, "the dictionary cannot write a label");
    for (int at = 0; at < length; at = ends[at]) {
      int code = at == 0 ? 0 : 1;
      int bits = bitsOf[tokens[at]];
      out.put(dictionary.word(code, bits, tokens[at]), bits);
    }
  }

  /** Finds for each place the fewest bits to the end; of equal ones that with the longest token. */
  private void findCheapest(byte[] label, int length) {
    if (costs.length <= length) {
      costs = new long[length + 1];
      ends = new int[length + 1];
      tokens = new int[length + 1];
    }
    Arrays.fill(costs, 0, length, Long.MAX_VALUE);
    costs[length] = 0;
    for (int start = length - 1; start >= 0; start--) {
      int code = start == 0 ? 0 : 1;
      int[] order = sorted[code];
      int low = 0;
      int high = order.length;
      for (int end = start + 1; end <= length && low < high; end++) {
        int depth = end - start;
        int wanted = label[end - 1] & 0xFF;
        low = search(order, low, high, depth - 1, wanted);
        high = search(order, low, high, depth - 1, wanted + 1);
        if (costs[end] == Long.MAX_VALUE) continue;
        // Tokens that end here come first in the range.
        for (int i = low; i < high && dictionary.length(order[i]) == depth; i++) {
          int token = order[i];
          int bits = bitsOf[token];
          if (dictionary.ends(code, bits, token) != (end == length)) continue;
          if (bits + costs[end] <= costs[start]) {
            costs[start] = bits + costs[end];
            ends[start] = end;
            tokens[start] = token;
          }
          break;
        }
      }
    }
  }

  /** Returns the first token of a range whose byte at a place is at least `least`; shorter tokens come before. */
  private int search(int[] order, int from, int to, int place, int least) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = low + high >>> 1;
      int token = order[middle];
      int found = place < dictionary.length(token) ? dictionary.byteAt(token, place) : -1;
      if (found < least) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
