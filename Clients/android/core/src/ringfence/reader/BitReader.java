// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

/** Reads a bit stream from the most significant bit of each byte on (section 1.3). */
final class BitReader {
  private byte[] data = {};
  private long at, end;

  void start(byte[] data, int from, int to) {
    this.data = data;
    at = 8L * from;
    end = 8L * to;
  }

  /** Reads a number of at most 50 bits. */
  long read(int count) throws FormatException {
    require(count <= end - at, "a column ends early");
    long value = 0;
    int left = count;
    while (left > 0) {
      int here = 8 - (int) (at & 7);
      int take = Math.min(here, left);
      value = value << take | (data[(int) (at >> 3)] & 0xFF) >> here - take & (1 << take) - 1;
      at += take;
      left -= take;
    }
    return value;
  }

  /** Returns the next bits, at most 17, without reading them; after the end they are 0. */
  int peek(int count) {
    int bits = 0;
    int byteAt = (int) (at >> 3);
    int last = (int) (end >> 3);
    for (int i = 0; i < 3; i++) bits = bits << 8 | (byteAt + i < last ? data[byteAt + i] & 0xFF : 0);
    return bits >> 24 - (int) (at & 7) - count & (1 << count) - 1;
  }

  void finish() throws FormatException {
    require(end - at < 8, "bytes follow a column");
    require(read((int) (end - at)) == 0, "the bits that fill a column's last byte are not 0");
  }
}
