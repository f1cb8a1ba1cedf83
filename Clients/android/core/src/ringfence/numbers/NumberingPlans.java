// SPDX-License-Identifier: Apache-2.0
package ringfence.numbers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The numbering plans of all countries, in one version (Documentation/numbering-plans.md). Reading finds the lines; a calling code
 * and its patterns are read at their first use. Several threads may share the plans.
 */
public final class NumberingPlans {
  /** The most bytes of a file, about thirty times as many as a real one has. */ public static final int MAXIMUM_BYTES = 4 << 20;

  private static final Charset UTF8 = Charset.forName("UTF-8");
  private static volatile NumberingPlans builtIn;

  private final byte[] bytes;
  private final int[] patternStarts;
  private final Pattern[] patterns;
  /** Where the lines of a calling code start; 0 for none. */ private final int[] codeStarts = new int[1_000];
  private final CallingCode[] codes = new CallingCode[1_000];
  private final Map<String, Integer> codesOfRegions = new HashMap<String, Integer>();

  private NumberingPlans(byte[] bytes) throws IOException {
    this.bytes = bytes;
    String[] head = line(0).split(" ");
    require(head.length == 4 && head[0].equals("numbering-plans") && head[1].equals("1"), "the file has another form");
    int at = next(0);
    String[] counted = line(at).split(" ");
    require(counted.length == 2 && counted[0].equals("patterns"), "the second line has no count of patterns");
    int count = number(counted[1], 20_000);
    patternStarts = new int[count];
    patterns = new Pattern[count];
    at = next(at);
    for (int i = 0; i < count; i++) {
      patternStarts[i] = at;
      at = next(at);
    }
    int lines = 2 + count;
    int code = 0;
    for (; at < bytes.length && bytes[at] != 'e'; at = next(at), lines++) {
      if (bytes[at] == 'c') {
        code = number(line(at).substring(2), 1_000);
        codeStarts[code] = at;
      }
      if (bytes[at] == 'r' && bytes[at + 4] == ' ') codesOfRegions.put(new String(bytes, at + 2, 2, UTF8), code);
    }
    require(at < bytes.length && line(at).equals("end " + (lines + 1)) && next(at) == bytes.length, "the end of the file is missing");
  }

  /** Returns the plans that came with the library. */
  public static NumberingPlans builtIn() {
    NumberingPlans plans = builtIn;
    if (plans != null) return plans;
    try (InputStream stream = NumberingPlans.class.getResourceAsStream("/ringfence/numbers/plans.txt")) {
      if (stream == null) throw new IllegalStateException("ringfence/numbers/plans.txt is not in the app.");
      plans = new NumberingPlans(readAll(stream));
    } catch (IOException exception) {
      throw new IllegalStateException(exception);
    }
    builtIn = plans;
    return plans;
  }

  /**
   * Reads newer plans and checks all of them. Patterns run as the file has them: take only a file from your own app or server.
   * @throws IOException when a line has a mistake, or the end is missing
   */
  public static NumberingPlans read(InputStream stream) throws IOException {
    NumberingPlans plans = new NumberingPlans(readAll(stream));
    try {
      for (int i = 0; i < plans.patterns.length; i++) plans.pattern(i);
      for (int code = 1; code < 1_000; code++) if (plans.codeStarts[code] > 0) plans.code(code);
    } catch (RuntimeException exception) {
      throw new IOException("The numbering plans have a mistake: " + exception.getMessage());
    }
    return plans;
  }

  private static byte[] readAll(InputStream stream) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream(160_000);
    byte[] piece = new byte[8192];
    for (int count = stream.read(piece); count >= 0; count = stream.read(piece)) {
      out.write(piece, 0, count);
      require(out.size() <= MAXIMUM_BYTES, "the file has more than " + MAXIMUM_BYTES + " bytes");
    }
    return out.toByteArray();
  }

  /** Says whether two letters of upper case name a region of the plans. */
  public boolean hasRegion(String region) { return codesOfRegions.containsKey(region); }

  /**
   * Reads a number as people and telephone networks write it.
   * @param text at most 250 characters
   * @param region the country of the phone, which completes a national number: two letters of either case, such as DE. Null, an empty
   *     text or another text reads only numbers that begin with a plus
   */
  public PhoneNumber parse(String text, String region) { return new NumberReader(this, region).read(text); }

  // Lines and patterns.

  private int next(int at) {
    int end = at;
    while (end < bytes.length && bytes[end] != '\n') end++;
    return Math.min(bytes.length, end + 1);
  }

  private String line(int at) {
    int end = next(at);
    return new String(bytes, at, Math.max(0, end - at - 1), UTF8);
  }

  static void require(boolean condition, String rule) throws IOException {
    if (!condition) throw new IOException("The numbering plans cannot be read: " + rule + ".");
  }

  static int number(String text, int limit) throws IOException {
    require(text.matches("[0-9]{1,6}"), "a number is missing");
    require(Integer.parseInt(text) < limit, "a number is too large");
    return Integer.parseInt(text);
  }

  Pattern pattern(int index) {
    Pattern pattern = patterns[index];
    if (pattern != null) return pattern;
    String text = line(patternStarts[index]);
    for (int i = 0; i < text.length(); i++) {
      if ("0123456789d[]-(?:)|{},$".indexOf(text.charAt(i)) < 0) throw new PatternSyntaxException("another sign", text, i);
    }
    if (text.length() > 4_096) throw new PatternSyntaxException("too long", "", -1);
    pattern = Pattern.compile(text.replace("d", "[0-9]"));
    patterns[index] = pattern;
    return pattern;
  }

  /** Returns a calling code, or null. */
  CallingCode code(int number) {
    if (number >= 1_000 || codeStarts[number] == 0) return null;
    CallingCode code = codes[number];
    if (code != null) return code;
    try {
      code = new CallingCode(this, number);
      for (int at = next(codeStarts[number]); bytes[at] == 'r' || bytes[at] == 'f'; at = next(at)) {
        // The written forms of numbers, in lines that begin with f, are Android's own matter.
        if (bytes[at] == 'r') code.read(line(at));
      }
      require(!code.regions.isEmpty(), "+" + number + " has no region");
    } catch (IOException exception) {
      throw new IllegalStateException(exception.getMessage());
    }
    codes[number] = code;
    return code;
  }

  /** Returns the calling code that digits begin with, or null. No calling code begins with another. */
  CallingCode codeOf(String digits) {
    int number = 0;
    for (int i = 0; i < Math.min(3, digits.length()); i++) {
      number = 10 * number + digits.charAt(i) - '0';
      if (number == 0) return null;
      if (codeStarts[number] > 0) return code(number);
    }
    return null;
  }

  CallingCode codeOfRegion(String region) {
    Integer number = codesOfRegions.get(region);
    return number == null ? null : code(number);
  }
}
