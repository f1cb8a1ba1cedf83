// SPDX-License-Identifier: Apache-2.0
package ringfence.numbers;

import java.util.Arrays;
import ringfence.numbers.PhoneNumber.Problem;

/** The characters of a text with a number: its parameters (RFC 3966), its extension, letters of a keypad, digits of every script. */
final class NumberCharacters {
  private static final int MAXIMUM = 250;
  /** A digit of another script is this and its value; any other character is its code point. */
  private static final int OTHER_ZERO = 0x110000;
  private static final int NO_DIGIT = -1;

  /** Words for an extension of at most 20 digits, and of at most 9: more the clearer the word is. */
  private static final int[][] LONG_WORDS = words(
      "extensión extensió extension extensio extensio\u0301n extensio\u0301 extn ext xtensión xtensió xtension xtensio xtensio\u0301n "
          + "xtensio\u0301 xtn xt ｅｘｔｎ ｅｘｔ ｘｔｎ ｘｔ доб anexo");
  private static final int[][] SHORT_WORDS = words("x ｘ # ＃ ~ ～ int ｉｎｔ");

  /** The number and what may follow it. */
  private int[] text;
  private Problem problem;
  /** The digits at the end, which may be an extension's, and the places where one may begin. */
  private int tailStart;
  private int tailCount;
  private boolean hasHash;
  private int placesFrom;
  private int placesTo;

  NumberCharacters(String given) {
    int[] all = signs(given);
    text = possibleNumber(all);
    dialed = dialed(text);
    if (all.length > MAXIMUM) problem = Problem.TOO_LONG;
    readParameters(all);
    readTail();
    if (problem == null && !isViable(text.length, true)) problem = Problem.NOT_A_NUMBER;
  }

  private final String dialed;

  /** Returns the first digits as they are dialed, enough to tell an emergency number; none behind a plus. */
  String dialedDigits() {
    return dialed;
  }

  /** Returns why the text has no number, or null. */
  Problem problem() {
    return problem;
  }

  boolean hasPlus() {
    return text.length > 0 && isPlus(text[0]);
  }

  /** Returns the digits of the number, without an extension. */
  String digits() {
    int end = text.length;
    for (int start = placesFrom; start < placesTo; start++) {
      if (!isExtension(start)) continue;
      if (isViable(start, false)) end = start;
      break;
    }
    int letters = 0;
    for (int i = 0; i < end; i++) if (isLetter(text[i])) letters++;
    StringBuilder digits = new StringBuilder();
    for (int i = 0; i < end; i++) {
      // Three letters are no mistake.
      int digit = letters > 2 ? keypadDigit(text[i]) : digit(text[i]);
      if (digit != NO_DIGIT) digits.append((char) ('0' + digit));
    }
    return digits.toString();
  }

  private static String dialed(int[] text) {
    StringBuilder digits = new StringBuilder();
    if (text.length > 0 && isPlus(text[0])) return "";
    for (int i = 0; i < text.length && digits.length() < 7; i++) {
      int digit = digit(text[i]);
      // Small digits such as ² count too.
      boolean isSmall = digit == NO_DIGIT && text[i] >= 0x80 && Character.getType(text[i]) == Character.OTHER_NUMBER;
      if (isSmall) digit = Character.getNumericValue(text[i]);
      if (digit >= 0 && digit <= 9) digits.append((char) ('0' + digit));
    }
    return digits.toString();
  }

  // The form.

  /** Returns the text from its first digit or plus on, without signs at its end, and without a second number behind /x. */
  private static int[] possibleNumber(int[] all) {
    int start = 0;
    while (start < all.length && !isPlus(all[start]) && digit(all[start]) == NO_DIGIT) start++;
    int end = all.length;
    while (end > start && all[end - 1] != '#' && !isWord(all[end - 1])) end--;
    for (int i = start; i < end; i++) {
      if (all[i] != '/' && all[i] != '\\') continue;
      int next = i + 1;
      while (next < end && all[next] == ' ') next++;
      if (next < end && all[next] == 'x') end = i;
    }
    return Arrays.copyOfRange(all, start, end);
  }

  private void readParameters(int[] all) {
    int place = find(";phone-context=", all);
    if (place >= 0) {
      int end = place + 15;
      while (end < all.length && all[end] != ';') end++;
      int[] context = Arrays.copyOfRange(all, place + 15, end);
      if (!isContext(context) && problem == null) problem = Problem.NOT_A_NUMBER;
      int start = Math.max(0, find("tel:", all) + 4);
      if (find("tel:", all) < 0) start = 0;
      int[] number = start < place ? Arrays.copyOfRange(all, start, place) : new int[0];
      int[] front = context.length > 0 && context[0] == '+' ? context : new int[0];
      text = Arrays.copyOf(front, front.length + number.length);
      System.arraycopy(number, 0, text, front.length, number.length);
    }
    place = find(";isub=", text);
    if (place > 0) text = Arrays.copyOf(text, place);
  }

  /**
   * Says whether a text has three digits with separators in front of each, and behind them letters too; two digits alone may be a short
   * number.
   */
  private boolean isViable(int end, boolean mayHaveExtension) {
    if (end == 2 && digit(text[0]) != NO_DIGIT && digit(text[1]) != NO_DIGIT) return true;
    int at = 0;
    while (at < end && isPlus(text[at])) at++;
    int count = 0;
    int third = end;
    for (; at < end; at++) {
      if (digit(text[at]) != NO_DIGIT) {
        if (++count == 3) third = at;
      } else if (!isSeparator(text[at]) && (count < 3 || !isLetter(text[at]))) {
        break;
      }
    }
    if (at == end) return count > 2;
    for (int place = placesFrom; mayHaveExtension && place < placesTo; place++) {
      if (third < place && place <= at && isExtension(place)) return true;
    }
    return false;
  }

  /** Says whether the value of ;phone-context= is a number with a plus, or the name of a domain. */
  private static boolean isContext(int[] context) {
    if (context.length > 0 && context[0] == '+') {
      boolean hasDigit = false;
      for (int i = 1; i < context.length; i++) {
        boolean isDigit = digit(context[i]) != NO_DIGIT;
        if (!isDigit && "-.()".indexOf(context[i]) < 0) return false;
        hasDigit |= isDigit;
      }
      return hasDigit;
    }
    int end = context.length > 0 && context[context.length - 1] == '.' ? context.length - 1 : context.length;
    int start = 0;
    for (int i = 0; i <= end; i++) {
      if (i < end && context[i] != '.') {
        if (!isAlphanumeric(context[i]) && context[i] != '-') return false;
        continue;
      }
      if (start == i || !isAlphanumeric(context[start]) || !isAlphanumeric(context[i - 1])) return false;
      if (i == end) return isLetter(context[start]);
      start = i + 1;
    }
    return false;
  }

  // Extensions.

  private void readTail() {
    hasHash = text.length > 0 && text[text.length - 1] == '#';
    int end = text.length - (hasHash ? 1 : 0);
    tailStart = end;
    while (tailStart > 0 && digit(text[tailStart - 1]) != NO_DIGIT) tailStart--;
    tailCount = end - tailStart;
    if (tailCount < 1 || tailCount > 20) return;
    placesTo = tailStart;
    placesFrom = tailStart;
    while (placesFrom > 0 && digit(text[placesFrom - 1]) == NO_DIGIT) placesFrom--;
  }

  /** Says whether the text from a place to its end is an extension: a sign or word for it, and digits. */
  private boolean isExtension(int start) {
    boolean isPlain = hasHash && tailCount <= 6;
    for (int i = start; i < tailStart; i++) isPlain &= text[i] == '-' || text[i] == ' ';
    if (isPlain || !hasHash && tailStart - start == 5 && startsWith(lettersOf(";ext="), start)) return true;
    int sign = start;
    while (sign < tailStart && (text[sign] == ',' || isBlank(text[sign]))) sign++;
    if (sign < tailStart && (isLetter(text[sign]) || text[sign] > '}' || text[sign] == '#')) {
      for (int[] word : LONG_WORDS) if (startsWith(word, sign) && isFollowed(sign + word.length)) return true;
      if (tailCount <= 9) {
        for (int[] word : SHORT_WORDS) if (startsWith(word, sign) && isFollowed(sign + word.length)) return true;
      }
    }
    // Programs that dial understand ;12 and ,,12.
    int mark = start;
    while (mark < tailStart && isBlank(text[mark])) mark++;
    if (mark == tailStart) return false;
    if (text[mark] == ';') return tailCount <= 15 && isFollowed(mark + 1);
    int commas = 0;
    while (mark + commas < tailStart && text[mark + commas] == ',') commas++;
    if (commas > 1 && tailCount <= 15 && isFollowed(mark + 2)) return true;
    for (int i = 1; i <= commas && tailCount <= 9; i++) if (isFollowed(mark + i)) return true;
    return false;
  }

  /** Says whether only a colon and separators are between a place and the digits. */
  private boolean isFollowed(int place) {
    if (place > tailStart) return false;
    int at = place;
    if (at < tailStart && (text[at] == ':' || text[at] == '.' || text[at] == 0xFF0E)) at++;
    while (at < tailStart && (text[at] == ',' || text[at] == '-' || isBlank(text[at]))) at++;
    return at == tailStart;
  }

  private boolean startsWith(int[] word, int at) {
    if (at + word.length > tailStart) return false;
    for (int i = 0; i < word.length; i++) if (lowered(text[at + i]) != word[i]) return false;
    return true;
  }

  // Characters.

  private static int[][] words(String list) {
    String[] texts = list.split(" ");
    int[][] words = new int[texts.length][];
    for (int i = 0; i < texts.length; i++) words[i] = lettersOf(texts[i]);
    return words;
  }

  private static int[] lettersOf(String text) {
    int[] signs = new int[text.codePointCount(0, text.length())];
    for (int i = 0, at = 0; i < signs.length; at += Character.charCount(signs[i++])) signs[i] = text.codePointAt(at);
    return signs;
  }

  private static int[] signs(String text) {
    int[] signs = lettersOf(text);
    for (int i = 0; i < signs.length; i++) {
      boolean isOther = signs[i] >= 0x80 && Character.getType(signs[i]) == Character.DECIMAL_DIGIT_NUMBER;
      if (isOther) signs[i] = OTHER_ZERO + Character.digit(signs[i], 10);
    }
    return signs;
  }

  private static int find(String pattern, int[] text) {
    for (int start = 0; start + pattern.length() <= text.length; start++) {
      int same = 0;
      while (same < pattern.length() && text[start + same] == pattern.charAt(same)) same++;
      if (same == pattern.length()) return start;
    }
    return -1;
  }

  private static boolean isPlus(int sign) {
    return sign == '+' || sign == 0xFF0B;
  }

  private static boolean isBlank(int sign) {
    return sign == ' ' || sign == '\t' || sign == 0xA0;
  }

  private static boolean isLetter(int sign) {
    return sign >= 'A' && sign <= 'Z' || sign >= 'a' && sign <= 'z';
  }

  private static boolean isAlphanumeric(int sign) {
    return isLetter(sign) || digit(sign) != NO_DIGIT;
  }

  /** Says whether a character may be within a number; x is in the place of a carrier in some countries. */
  private static boolean isSeparator(int sign) {
    return sign < 0x80
        ? " ()*-./X[]x~".indexOf(sign) >= 0
        : "\u00A0\u00AD\u200B\u2060\u3000\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30FC\uFF0D\uFF0E\uFF0F\uFF08\uFF09\uFF3B\uFF3D\u2053\u223C\uFF5E"
                .indexOf(sign) >= 0;
  }

  /** Says whether a character is a letter or a number of any kind. */
  private static boolean isWord(int sign) {
    if (sign < 0x80) return isLetter(sign) || digit(sign) != NO_DIGIT;
    if (sign >= OTHER_ZERO || Character.isLetter(sign)) return true;
    int type = Character.getType(sign);
    return type == Character.LETTER_NUMBER || type == Character.OTHER_NUMBER;
  }

  private static int digit(int sign) {
    if (sign >= '0' && sign <= '9') return sign - '0';
    return sign >= OTHER_ZERO ? sign - OTHER_ZERO : NO_DIGIT;
  }

  /** Returns the digit of a key by its letter; seven and nine have four letters. */
  private static int keypadDigit(int sign) {
    if (!isLetter(sign)) return sign < 0x80 ? digit(sign) : NO_DIGIT;
    int letter = sign | 32;
    return Math.min(9, (letter - 'a' - (letter > 'r' ? 1 : 0)) / 3 + 2);
  }

  private static int lowered(int sign) {
    return sign >= OTHER_ZERO ? sign : Character.toLowerCase(sign);
  }
}
