// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.util.Arrays;

/** Writes a bit stream, the most significant bit of each byte first. */
final class BitWriter {
  private byte[] bytes = new byte[256];
  private long bits;

  void clear() { bits = 0; }
  long bits() { return bits; }
  int length() { return (int) (bits + 7 >> 3); }
  byte[] bytes() { return bytes; }

  void put(long value, int count) {
    int needed = (int) (bits + count + 7 >> 3);
    if (needed > bytes.length) bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
    for (int left = count; left > 0; ) {
      int at = (int) (bits >> 3);
      int used = (int) (bits & 7);
      int take = Math.min(8 - used, left);
      int part = (int) (value >> left - take) & (1 << take) - 1;
      int kept = used == 0 ? 0 : bytes[at];
      bytes[at] = (byte) (kept | part << 8 - used - take);
      bits += take;
      left -= take;
    }
  }
}
