// SPDX-License-Identifier: Apache-2.0
package ringfence.numbers;

import java.util.Locale;

/** What a text is by the numbering plans: a number, a number that the plans do not have, or the reason why it is none. */
public final class PhoneNumber {
  /** The kind of a number, by its region's plan. */
  public enum Kind {
    PREMIUM_RATE, TOLL_FREE, SHARED_COST, VOIP, PERSONAL_NUMBER, PAGER, UAN, VOICEMAIL,
    FIXED_LINE, MOBILE, FIXED_LINE_OR_MOBILE, UNKNOWN
  }

  /** The reason why a text is no number. */
  public enum Problem {
    /** No telephone number can be read from the text. */
    NOT_A_NUMBER,
    /** Fewer digits than any number of the region has, or a local number without its area code. */
    TOO_SHORT,
    /** More digits than any number of the region has. */
    TOO_LONG,
    /** The length is right for no number of the region. */
    NOT_VALID,
    /** A short code or an emergency number, which cannot be a caller. */
    SHORT_OR_EMERGENCY,
    /** A national number without a region. */
    NEEDS_REGION,
    /** No country has this calling code. */
    UNKNOWN_CALLING_CODE;

    /** Returns the name that the server has for it. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final CallingCode code;
  private final String national;
  private final long digits;
  private final String region;
  private final Kind kind;
  private final Problem problem;

  PhoneNumber(CallingCode code, String national, long digits, String region, Kind kind) {
    this.code = code;
    this.national = national;
    this.digits = digits;
    this.region = region;
    this.kind = kind;
    problem = null;
  }

  private PhoneNumber(Problem problem, String region) {
    this.problem = problem;
    this.region = region;
    code = null;
    national = null;
    digits = 0;
    kind = Kind.UNKNOWN;
  }

  static PhoneNumber refused(Problem problem, String region) {
    return new PhoneNumber(problem, region);
  }

  /** Returns the reason why there is no number, or null. */
  public Problem problem() {
    return problem;
  }

  /** Returns the country code and the national digits, as packs have them; 0 when there is no number. */
  public long digits() {
    return digits;
  }

  /** Says whether the plans have the number; a number that they do not have may be newer than they are. */
  public boolean isAssigned() {
    return kind != Kind.UNKNOWN;
  }

  /** Returns the kind. */
  public Kind kind() {
    return kind;
  }

  /** Returns the two letters of the region, or null. */
  public String region() {
    return region;
  }

  /** Returns the number with its plus, such as +33199000248; null when there is none. */
  public String e164() {
    return digits == 0 ? null : "+" + digits;
  }

  /** Returns the form dialed within the region, such as 01 99 00 02 48; null when there is no number. */
  public String nationalForm() {
    return digits == 0 ? null : code.formatted(national, false);
  }

  /** Returns the form for other countries, such as +33 1 99 00 02 48; null when there is no number. */
  public String internationalForm() {
    return digits == 0 ? null : "+" + code.number + " " + code.formatted(national, true);
  }
}
