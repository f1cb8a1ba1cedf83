// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32;

/** Checksums, digests and their text. */
public final class Digests {
  private Digests() {}

  static MessageDigest sha256() { return algorithm("SHA-256"); }

  static MessageDigest algorithm(String name) {
    try {
      return MessageDigest.getInstance(name);
    } catch (NoSuchAlgorithmException exception) {
      // Every Java and every Android has SHA-256 and SHA-512.
      throw new IllegalStateException(exception);
    }
  }

  /** Computes the SHA-256 of bytes. */
  public static byte[] sha256(byte[] data) { return sha256().digest(data); }

  static long crc(byte[] data, int from, int to) {
    CRC32 crc = new CRC32();
    crc.update(data, from, to - from);
    return crc.getValue();
  }

  /** Returns bytes as hexadecimal digits in lower case. */
  public static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder(2 * bytes.length);
    for (byte part : bytes) text.append(Character.forDigit(part >> 4 & 15, 16)).append(Character.forDigit(part & 15, 16));
    return text.toString();
  }
}
