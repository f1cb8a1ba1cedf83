// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

/** Well-formed UTF-8 by table 3-7 of the Unicode Standard. */
final class Utf8 {
  private Utf8() {}

  static boolean isValid(byte[] text, int from, int to) {
    int at = from;
    while (at < to) {
      int lead = text[at++] & 0xFF;
      if (lead < 0x80) continue;
      int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
      if (lead < 0xC2 || lead > 0xF4 || to - at < more) return false;
      int second = text[at] & 0xFF;
      int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
      int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
      if (second < least || second > most) return false;
      for (int i = 1; i < more; i++) if ((text[at + i] & 0xC0) != 0x80) return false;
      at += more;
    }
    return true;
  }
}
