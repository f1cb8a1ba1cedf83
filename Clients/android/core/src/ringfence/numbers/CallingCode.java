// SPDX-License-Identifier: Apache-2.0
package ringfence.numbers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A calling code and its regions, the main one first. */
final class CallingCode {
  /** The letters of a region's patterns in a file of plans. */ private static final String KEYS = "gptsvoaubfmGSEdhin";

  final NumberingPlans plans;
  final int number;
  final String digits;
  final List<Region> regions = new ArrayList<Region>();

  CallingCode(NumberingPlans plans, int number) {
    this.plans = plans;
    this.number = number;
    digits = "" + number;
  }

  /** Reads the line of a region. */
  void read(String line) throws IOException { regions.add(new Region(line)); }

  /** Returns the region of a name of this calling code. */
  Region region(String name) {
    for (Region region : regions) if (region.name.equals(name)) return region;
    return null;
  }

  /** Returns the first region whose leading digits or numbers fit, or null. */
  Region regionOf(String national) {
    for (Region region : regions) {
      boolean isFound = regions.size() == 1
              || (region.has('d') ? region.leads(national) : region.kind(national) != PhoneNumber.Kind.UNKNOWN);
      if (isFound) return region;
    }
    return null;
  }

  /** Says whether digits are a short number of any region. */
  boolean isShort(String national) {
    for (Region region : regions) {
      if (region.fits('S', national) && (regions.size() > 1 || region.fits('G', national))) return true;
    }
    return false;
  }

  /** The numbers of a region. */
  final class Region {
    /** Two letters, or 001 for a calling code of no region. */ final String name;
    /** Bit n for n digits: the lengths of its numbers, and those that can be dialed only within it. */ private int lengths;
    private int localLengths;
    private String transform = "";
    private final int[] patterns = new int[KEYS.length()];

    private Region(String line) throws IOException {
      String[] words = line.split(" ");
      NumberingPlans.require(words.length > 2, "a region has no fields");
      name = words[1];
      java.util.Arrays.fill(patterns, -1);
      for (int i = 2; i < words.length; i++) {
        String word = words[i];
        NumberingPlans.require(word.length() > 2 && word.charAt(1) == '=', "a field of " + name + " has another form");
        char key = word.charAt(0);
        String value = word.substring(2);
        if (key == 'l') lengths = lengths(value);
        else if (key == 'c') localLengths = lengths(value);
        else if (key == 'r') transform = value;
        else if (key != 'k') {
          NumberingPlans.require(KEYS.indexOf(key) >= 0, "a field of " + name + " is unknown");
          patterns[KEYS.indexOf(key)] = NumberingPlans.number(value, 20_000);
        }
      }
      NumberingPlans.require(lengths != 0, name + " has no lengths");
    }

    private int lengths(String value) throws IOException {
      int bits = 0;
      for (String part : value.split(",")) bits |= 1 << NumberingPlans.number(part, 18);
      return bits;
    }

    boolean isCountry() { return !name.equals("001"); }
    private boolean has(char key) { return patterns[KEYS.indexOf(key)] >= 0; }

    private Pattern pattern(char key) {
      int index = patterns[KEYS.indexOf(key)];
      return index < 0 ? null : plans.pattern(index);
    }

    boolean fits(char key, String national) {
      Pattern pattern = pattern(key);
      return pattern != null && pattern.matcher(national).matches();
    }

    private boolean leads(String national) { return pattern('d').matcher(national).lookingAt(); }
    /** Says whether digits have the form of the region's numbers, whatever their length. */
    boolean hasForm(String national) { return fits(has('h') ? 'h' : 'g', national); }

    /** Returns the kind of a number; some kinds come before others. */
    PhoneNumber.Kind kind(String national) {
      if (!fits('g', national)) return PhoneNumber.Kind.UNKNOWN;
      PhoneNumber.Kind[] kinds = PhoneNumber.Kind.values();
      for (int i = 0; i < 8; i++) if (fits("ptsvoaub".charAt(i), national)) return kinds[i];
      boolean isMobile = fits('m', national);
      if (fits('f', national)) return isMobile ? PhoneNumber.Kind.FIXED_LINE_OR_MOBILE : PhoneNumber.Kind.FIXED_LINE;
      return isMobile ? PhoneNumber.Kind.MOBILE : PhoneNumber.Kind.UNKNOWN;
    }

    /** Says whether a number of digits is possible: 0, too few: -1, too many: 1, only within the region: 2, between: 3. */
    int length(int count) {
      int bit = count < 32 ? 1 << count : 0;
      if ((localLengths & bit) != 0) return 2;
      if ((lengths & bit) != 0) return 0;
      if (count < Integer.numberOfTrailingZeros(lengths)) return -1;
      return count > 31 - Integer.numberOfLeadingZeros(lengths) ? 1 : 3;
    }

    /** Returns how many digits an international prefix has; -1 where digits begin with none. */
    int internationalPrefix(String digits) {
      Pattern pattern = pattern('i');
      Matcher match = pattern == null ? null : pattern.matcher(digits);
      if (match == null || !match.lookingAt()) return -1;
      return match.end() < digits.length() && digits.charAt(match.end()) == '0' ? -1 : match.end();
    }

    /** Returns a number without its national prefix, and as the region's rule changes it; the same text if it needs the prefix. */
    String withoutNationalPrefix(String national) {
      Pattern pattern = pattern('n');
      Matcher match = pattern == null || national.isEmpty() ? null : pattern.matcher(national);
      if (match == null || !match.lookingAt()) return national;
      String result = national.substring(match.end());
      int groups = match.groupCount();
      if (!transform.isEmpty() && groups > 0 && match.group(groups) != null) {
        String[] parts = new String[groups];
        for (int i = 0; i < groups; i++) parts[i] = match.group(i + 1);
        result = filled(transform, parts) + result;
      }
      return hasForm(national) && !hasForm(result) ? national : result;
    }
  }

  /** Returns a template with texts in the places of $1 to $9. */
  private static String filled(String template, String[] groups) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < template.length(); i++) {
      char sign = template.charAt(i);
      if (sign != '$') {
        text.append(sign);
        continue;
      }
      String group = groups[template.charAt(++i) - '1'];
      if (group != null) text.append(group);
    }
    return text.toString();
  }
}
