// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

/** Decodes ascending numbers of binary interpolative coding, one after the other (section 6.2). */
final class NumberColumn {
  // A run of 16,777,216 numbers is divided 25 times.
  private static final int DEPTH = 32;
  private final BitReader bits = new BitReader();
  private final long[] middles = new long[DEPTH];
  private final long[] highs = new long[DEPTH];
  private final int[] counts = new int[DEPTH];
  private int depth, variant, count;
  private long low, high;

  void start(byte[] data, int from, int to, int variant, int count, long low, long high) throws FormatException {
    require(variant == 0 || variant == 1, "the variant of a column is unknown");
    require(high - low + 1 >= count, "numbers do not fit");
    bits.start(data, from, to);
    this.variant = variant;
    this.count = count;
    this.low = low;
    this.high = high;
    depth = 0;
  }

  /** Returns the next number. The caller asks for no more than there are. */
  long next() throws FormatException {
    while (true) {
      if (count == 0) {
        depth--;
        long middle = middles[depth];
        low = middle + 1;
        high = highs[depth];
        count = counts[depth];
        return middle;
      }
      if (high - low + 1 == count) {
        count--;
        return low++;
      }
      int left = count / 2;
      long base = low + left;
      long middle = base + value(high - (count - 1 - left) - base + 1);
      middles[depth] = middle;
      highs[depth] = high;
      counts[depth] = count - left - 1;
      depth++;
      count = left;
      high = middle - 1;
    }
  }

  /** Returns how many numbers follow the last one without a gap and can be skipped at once. */
  int run(long last) { return count > 0 && high - low + 1 == count && low == last + 1 ? count : 0; }

  /** Skips some numbers of a run. */
  void skip(int skipped) {
    low += skipped;
    count -= skipped;
  }

  void finish() throws FormatException { bits.finish(); }

  private long value(long range) throws FormatException {
    if (range == 1) return 0;
    int b = 63 - Long.numberOfLeadingZeros(range);
    long shorts = (2L << b) - range;
    long code = bits.read(b);
    if (code >= shorts) code = 2 * code + bits.read(1) - shorts;
    long value = code + first(range, shorts, variant);
    return value >= range ? value - range : value;
  }

  private static long first(long range, long shorts, int variant) {
    return variant == 0 ? (range - shorts) / 2 : range - shorts / 2;
  }

  static void write(BitWriter bits, int variant, long[] values, int at, int count, long low, long high) {
    if (count == 0 || high - low + 1 == count) return;
    int left = count / 2;
    long base = low + left;
    long middle = values[at + left];
    long range = high - (count - 1 - left) - base + 1;
    if (range > 1) {
      int b = 63 - Long.numberOfLeadingZeros(range);
      long shorts = (2L << b) - range;
      long code = middle - base - first(range, shorts, variant);
      if (code < 0) code += range;
      if (code < shorts) bits.put(code, b);
      else bits.put(code + shorts, b + 1);
    }
    write(bits, variant, values, at, left, low, middle - 1);
    write(bits, variant, values, at + left + 1, count - left - 1, middle + 1, high);
  }
}
