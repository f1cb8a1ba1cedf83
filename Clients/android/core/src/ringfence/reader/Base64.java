// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

/** Base64 in its only form (Publication.md, section 4.1). Android has java.util.Base64 only since API 26. */
public final class Base64 {
  private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  private static final byte[] VALUES = new byte[128];

  static {
    java.util.Arrays.fill(VALUES, (byte) -1);
    for (int i = 0; i < 64; i++) VALUES[ALPHABET.charAt(i)] = (byte) i;
  }

  private Base64() {}

  /** Reads Base64 with padding. */
  public static byte[] decode(String text) throws FormatException {
    int length = text.length();
    require(length % 4 == 0, "the length of Base64 is not a multiple of 4");
    int fill = length > 0 && text.charAt(length - 1) == '=' ? text.charAt(length - 2) == '=' ? 2 : 1 : 0;
    byte[] bytes = new byte[length / 4 * 3 - fill];
    int at = 0;
    int pending = 0;
    for (int i = 0; i < length - fill; i++) {
      char c = text.charAt(i);
      require(c < 128 && VALUES[c] >= 0, "this is not Base64");
      pending = pending << 6 | VALUES[c];
      if ((i & 3) > 0) bytes[at++] = (byte) (pending >> 6 - 2 * (i & 3));
    }
    // Of 24 bits, two letters leave 4 and three leave 2.
    require((pending & (1 << 2 * fill) - 1) == 0, "Base64 is not in its only form");
    return bytes;
  }

  /** Writes Base64 with padding. */
  public static String encode(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < bytes.length; i += 3) {
      int count = Math.min(3, bytes.length - i);
      int bits = 0;
      for (int j = 0; j < 3; j++) bits = bits << 8 | (j < count ? bytes[i + j] & 0xFF : 0);
      for (int j = 0; j < 4; j++) text.append(j <= count ? ALPHABET.charAt(bits >> 18 - 6 * j & 63) : '=');
    }
    return text.toString();
  }
}
