// SPDX-License-Identifier: Apache-2.0
package ringfence.numbers;

/** A number, of the numbering plans or not, or the reason why a text is none. */
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
    /** No country has this calling code. */ UNKNOWN_CALLING_CODE
  }

  /** The reason why there is no number, or null. */ public final Problem problem;
  /** The country code and the national digits, as packs have them; 0 when there is no number. */ public final long digits;
  /** The two letters of the region, or null. */ public final String region;
  /** The kind; UNKNOWN for a number that the plans do not have. */ public final Kind kind;

  private PhoneNumber(Problem problem, long digits, String region, Kind kind) {
    this.problem = problem;
    this.digits = digits;
    this.region = region;
    this.kind = kind;
  }

  static PhoneNumber number(long digits, String region, Kind kind) { return new PhoneNumber(null, digits, region, kind); }
  static PhoneNumber refused(Problem problem, String region) { return new PhoneNumber(problem, 0, region, Kind.UNKNOWN); }
  /** Says whether the plans have the number; a number that they do not have may be newer than they are. */
  public boolean isAssigned() { return kind != Kind.UNKNOWN; }
}
