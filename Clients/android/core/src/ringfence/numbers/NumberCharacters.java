// SPDX-License-Identifier: Apache-2.0
package ringfence.numbers;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ringfence.numbers.PhoneNumber.Problem;

/** The characters of a text with a number: its parameters (RFC 3966), its extension, letters of a keypad, digits of every script. */
final class NumberCharacters {
  private static final int MAXIMUM = 250;
  /** Digits of other scripts become the ten characters from here on, which have no meaning in Unicode. */
  private static final char OTHER_ZERO = '\uE000';

  private static final String DIGIT = "0-9\uE000-\uE009";
  private static final String LETTER = "A-Za-z";
  private static final String BLANK = " \t\u00A0";
  /** Signs that may be within a number; x is in the place of a carrier in some countries. */
  private static final String SEPARATOR =
      " ()*\\-./X\\[\\]x~\u00A0\u00AD\u200B\u2060\u3000\u2010-\u2015\u2212\u30FC\uFF0D-\uFF0F\uFF08\uFF09\uFF3B\uFF3D\u2053\u223C\uFF5E";
  private static final String PLUS = "+\uFF0B";

  /** Words for an extension of at most 20 digits, and of at most 9: more the clearer the word is. */
  private static final String LONG_WORDS = "e?xt(?:ensi(?:ó|o\u0301?))?n?|ｅ?ｘｔｎ?|доб|anexo";
  private static final String SHORT_WORDS = "x|ｘ|#|＃|~|～|int|ｉｎｔ";

  /** An extension at the end: a sign or word for it, and digits. Programs that dial understand ;12 and ,,12. */
  private static final String EXTENSION = "(?:" + "[- ]+" + digits(6) + "#" + "|;ext=" + digits(20)
      + "|[," + BLANK + "]*(?:" + "(?:" + LONG_WORDS + ")" + gap() + digits(20) + "|(?:" + SHORT_WORDS + ")" + gap() + digits(9) + ")#?"
      + "|[" + BLANK + "]*(?:;" + gap() + digits(15) + "|,," + gap() + digits(15) + "|,+" + gap() + digits(9) + ")#?"
      + ")$";
  private static final Pattern ANY_EXTENSION = pattern(EXTENSION);
  /** Three digits with separators in front of each, and behind them letters too; two digits alone may be a short number. */
  private static final Pattern VIABLE = pattern(viable(""));
  private static final Pattern VIABLE_WITH_EXTENSION = pattern(viable("(?:" + EXTENSION + ")?"));
  private static final Pattern START = pattern("[" + PLUS + DIGIT + "]");
  private static final Pattern SECOND_NUMBER = Pattern.compile("[\\\\/] *x");
  /** The value of ;phone-context=: a number with a plus, or the name of a domain. */
  private static final Pattern CONTEXT = pattern("\\+[-.()" + DIGIT + "]*[" + DIGIT + "][-.()" + DIGIT + "]*|"
      + "(?:[" + LETTER + DIGIT + "](?:[-" + LETTER + DIGIT + "]*[" + LETTER + DIGIT + "])?\\.)*"
      + "[" + LETTER + "](?:[-" + LETTER + DIGIT + "]*[" + LETTER + DIGIT + "])?\\.?");

  /** Why the text has no number, or null. */ Problem problem;
  /** The first digits as they are dialed, enough to tell an emergency number; none behind a plus. */ final String dialed;
  private String text;

  NumberCharacters(String given) {
    String all = signs(given);
    text = possibleNumber(all);
    dialed = dialed();
    if (all.codePointCount(0, all.length()) > MAXIMUM) problem = Problem.TOO_LONG;
    readParameters(all);
    if (problem == null && !VIABLE_WITH_EXTENSION.matcher(text).matches()) problem = Problem.NOT_A_NUMBER;
  }

  private static String digits(int most) { return "[" + DIGIT + "]{1," + most + "}"; }

  private static String gap() { return "[:.\uFF0E]?[-," + BLANK + "]*"; }

  private static String viable(String end) {
    return "[" + DIGIT + "]{2}|[" + PLUS + "]*(?:[" + SEPARATOR + "]*[" + DIGIT + "]){3}[" + SEPARATOR + LETTER + DIGIT + "]*" + end;
  }

  private static Pattern pattern(String text) { return Pattern.compile(text, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE); }
  boolean hasPlus() { return !text.isEmpty() && PLUS.indexOf(text.charAt(0)) >= 0; }

  /** Returns the digits of the number, without an extension. */
  String digits() {
    Matcher extension = ANY_EXTENSION.matcher(text);
    boolean hasExtension = extension.find() && VIABLE.matcher(text.substring(0, extension.start())).matches();
    String number = hasExtension ? text.substring(0, extension.start()) : text;
    int letters = 0;
    for (int i = 0; i < number.length(); i++) if (isLetter(number.charAt(i))) letters++;
    StringBuilder digits = new StringBuilder();
    for (int i = 0; i < number.length(); i++) {
      char sign = number.charAt(i);
      // Three letters are no mistake. Seven and nine have four of them.
      int letter = sign | 32;
      boolean isKey = letters > 2 && isLetter(sign);
      int digit = isKey ? Math.min(9, (letter - 'a' - (letter > 'r' ? 1 : 0)) / 3 + 2) : digit(sign);
      if (digit >= 0 && (letters <= 2 || sign < OTHER_ZERO)) digits.append((char) ('0' + digit));
    }
    return digits.toString();
  }

  private String dialed() {
    StringBuilder digits = new StringBuilder();
    for (int i = 0; !hasPlus() && i < text.length() && digits.length() < 7; i++) {
      int digit = digit(text.charAt(i));
      // Small digits such as ² count too.
      boolean isSmall = digit < 0 && Character.getType(text.charAt(i)) == Character.OTHER_NUMBER;
      if (isSmall) digit = Character.getNumericValue(text.charAt(i));
      if (digit >= 0 && digit <= 9) digits.append((char) ('0' + digit));
    }
    return digits.toString();
  }

  /** Returns the text from its first digit or plus on, without signs at its end, and without a second number behind /x. */
  private static String possibleNumber(String all) {
    Matcher start = START.matcher(all);
    int end = all.length();
    while (end > 0 && all.charAt(end - 1) != '#' && !isWord(all.codePointBefore(end))) end -= Character.charCount(all.codePointBefore(end));
    if (!start.find() || start.start() >= end) return "";
    String text = all.substring(start.start(), end);
    Matcher second = SECOND_NUMBER.matcher(text);
    return second.find() ? text.substring(0, second.start()) : text;
  }

  private void readParameters(String all) {
    int place = all.indexOf(";phone-context=");
    if (place >= 0) {
      String context = all.substring(place + 15).split(";", 2)[0];
      if (problem == null && !CONTEXT.matcher(context).matches()) problem = Problem.NOT_A_NUMBER;
      int start = all.indexOf("tel:") < 0 ? 0 : all.indexOf("tel:") + 4;
      text = (context.startsWith("+") ? context : "") + (start < place ? all.substring(start, place) : "");
    }
    if (text.indexOf(";isub=") > 0) text = text.substring(0, text.indexOf(";isub="));
  }

  private static String signs(String text) {
    StringBuilder signs = new StringBuilder();
    for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
      int sign = text.codePointAt(at);
      boolean isOther = sign >= 0x80 && Character.getType(sign) == Character.DECIMAL_DIGIT_NUMBER;
      boolean isTaken = sign >= OTHER_ZERO && sign < OTHER_ZERO + 10;
      signs.appendCodePoint(isOther ? OTHER_ZERO + Character.digit(sign, 10) : isTaken ? OTHER_ZERO + 10 : sign);
    }
    return signs.toString();
  }

  private static boolean isLetter(char sign) { return sign >= 'A' && sign <= 'Z' || sign >= 'a' && sign <= 'z'; }

  private static int digit(int sign) {
    if (sign >= '0' && sign <= '9') return sign - '0';
    return sign >= OTHER_ZERO && sign < OTHER_ZERO + 10 ? sign - OTHER_ZERO : -1;
  }

  /** Says whether a character is a letter or a number of any kind. */
  private static boolean isWord(int sign) {
    int type = Character.getType(sign);
    return digit(sign) >= 0 || Character.isLetter(sign) || type == Character.LETTER_NUMBER || type == Character.OTHER_NUMBER;
  }
}
