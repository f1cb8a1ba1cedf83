// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

/** Comparisons of parts of arrays, which Android has only since API 33. */
final class Bytes {
  private Bytes() {}

  static boolean equal(byte[] a, int aLength, byte[] b, int bLength) {
    if (aLength != bLength) return false;
    for (int i = 0; i < aLength; i++) if (a[i] != b[i]) return false;
    return true;
  }

  static boolean equal(byte[] a, byte[] b, int bFrom) {
    for (int i = 0; i < a.length; i++) if (a[i] != b[bFrom + i]) return false;
    return true;
  }
}
