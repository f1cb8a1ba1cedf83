// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

/** Unsigned integers, least significant byte first. */
final class LittleEndian {
  private LittleEndian() {}

  static int u16(byte[] data, int at) { return data[at] & 0xFF | (data[at + 1] & 0xFF) << 8; }
  static long u32(byte[] data, int at) { return u16(data, at) | (long) u16(data, at + 2) << 16; }
  static long u64(byte[] data, int at) { return u32(data, at) | u32(data, at + 4) << 32; }

  static void put(byte[] data, int at, long value, int bytes) {
    for (int i = 0; i < bytes; i++) data[at + i] = (byte) (value >> 8 * i);
  }
}
