// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.math.BigInteger;
import java.security.MessageDigest;

/**
 * Verifies signatures by RFC 8032, section 5.1.7. Java has Ed25519 from version 15 and Android from API 33 on, so this
 * class computes them itself. Nothing here is secret: the time may depend on the values.
 */
final class Ed25519 {
  private static final BigInteger TWO = BigInteger.valueOf(2);
  private static final BigInteger P = TWO.pow(255).subtract(BigInteger.valueOf(19));
  private static final BigInteger ORDER = TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
  private static final BigInteger D = BigInteger.valueOf(-121665).multiply(BigInteger.valueOf(121666).modInverse(P)).mod(P);
  private static final BigInteger ROOT_OF_MINUS_1 = TWO.modPow(P.subtract(BigInteger.ONE).shiftRight(2), P);
  private static final BigInteger[] BASE = point(BigInteger.valueOf(4).multiply(BigInteger.valueOf(5).modInverse(P)).mod(P), false);

  private Ed25519() {}

  static boolean verify(byte[] key, byte[] message, byte[] signature) {
    if (!isProper(key) || signature.length != 64) return false;
    BigInteger s = integer(signature, 32);
    if (s.compareTo(ORDER) >= 0) return false;
    BigInteger y = integer(key, 0);
    BigInteger[] point = point(y.clearBit(255), y.testBit(255));
    if (point == null) return false;
    MessageDigest digest = Digests.algorithm("SHA-512");
    digest.update(signature, 0, 32);
    digest.update(key);
    digest.update(message);
    BigInteger hash = integer(digest.digest(), 0).mod(ORDER);
    // S times the base, less the hash times the key, is R.
    BigInteger[] negative = {P.subtract(point[0]).mod(P), point[1], point[2], P.subtract(point[3]).mod(P)};
    return Bytes.equal(encoded(sum(s, BASE, hash, negative)), signature, 0);
  }

  /** Says whether a key is in the only form of its point, and not of small order: anybody can sign for such a key. */
  static boolean isProper(byte[] key) {
    if (key.length != 32) return false;
    BigInteger y = integer(key, 0).clearBit(255);
    if (y.compareTo(P) >= 0) return false;
    // By doubling alone: y of eight times a point is 1 exactly where the order of the point divides 8.
    BigInteger[] point = point(y, false);
    if (point == null) return true;
    for (int i = 0; i < 3; i++) point = add(point, point);
    return !point[1].equals(point[2]) || point[0].signum() != 0;
  }

  /** Reads bytes from a position on to the end, at most 64, little-endian. */
  private static BigInteger integer(byte[] bytes, int from) {
    int count = bytes.length - from;
    byte[] reversed = new byte[count];
    for (int i = 0; i < count; i++) reversed[count - 1 - i] = bytes[from + i];
    return new BigInteger(1, reversed);
  }

  /** Returns the point of a y, or null. */
  private static BigInteger[] point(BigInteger y, boolean isOdd) {
    if (y.compareTo(P) >= 0) return null;
    BigInteger square = y.multiply(y);
    BigInteger x2 = times(square.subtract(BigInteger.ONE), times(D, square).add(BigInteger.ONE).modInverse(P));
    BigInteger x = x2.modPow(P.add(BigInteger.valueOf(3)).shiftRight(3), P);
    if (!times(x, x).equals(x2)) x = times(x, ROOT_OF_MINUS_1);
    if (!times(x, x).equals(x2) || x.signum() == 0 && isOdd) return null;
    if (x.testBit(0) != isOdd) x = P.subtract(x);
    return new BigInteger[] {x, y, BigInteger.ONE, times(x, y)};
  }

  private static BigInteger times(BigInteger a, BigInteger b) { return a.multiply(b).mod(P); }

  private static BigInteger[] add(BigInteger[] a, BigInteger[] b) {
    BigInteger first = times(a[1].subtract(a[0]), b[1].subtract(b[0]));
    BigInteger second = times(a[1].add(a[0]), b[1].add(b[0]));
    BigInteger third = times(times(TWO.multiply(a[3]), b[3]), D);
    BigInteger fourth = times(TWO.multiply(a[2]), b[2]);
    BigInteger e = second.subtract(first);
    BigInteger f = fourth.subtract(third);
    BigInteger g = fourth.add(third);
    BigInteger h = second.add(first);
    return new BigInteger[] {times(e, f), times(g, h), times(f, g), times(e, h)};
  }

  /** Returns a times the first point and b times the second, with one doubling for both. */
  private static BigInteger[] sum(BigInteger a, BigInteger[] first, BigInteger b, BigInteger[] second) {
    BigInteger[] both = add(first, second);
    BigInteger[] result = {BigInteger.ZERO, BigInteger.ONE, BigInteger.ONE, BigInteger.ZERO};
    for (int i = Math.max(a.bitLength(), b.bitLength()) - 1; i >= 0; i--) {
      result = add(result, result);
      if (a.testBit(i)) result = add(result, b.testBit(i) ? both : first);
      else if (b.testBit(i)) result = add(result, second);
    }
    return result;
  }

  private static byte[] encoded(BigInteger[] point) {
    BigInteger inverse = point[2].modInverse(P);
    BigInteger value = times(point[1], inverse);
    if (times(point[0], inverse).testBit(0)) value = value.setBit(255);
    byte[] bytes = new byte[32];
    for (int i = 0; i < 32; i++) bytes[i] = value.shiftRight(8 * i).byteValue();
    return bytes;
  }
}
