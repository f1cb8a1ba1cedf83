// SPDX-License-Identifier: Apache-2.0
package ringfence.numbers;

import java.util.Locale;
import ringfence.numbers.PhoneNumber.Problem;

/** Reads one number in any form that numbering plans know, by the rules of libphonenumber. */
final class NumberReader {
  /** The fewest and the most digits of a national number. Some plans have more than E.164. */ private static final int MINIMUM = 2;
  private static final int MAXIMUM = 17;
  private static final int MAXIMUM_EMERGENCY = 6;

  /** Ends the reading of a text that is no number. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    final Problem problem;

    Refusal(Problem problem) {
      super(problem.name(), null, false, false);
      this.problem = problem;
    }
  }

  private final NumberingPlans plans;
  private final CallingCode ownCode;
  private final CallingCode.Region own;
  private CallingCode code;
  private String national;

  NumberReader(NumberingPlans plans, String region) {
    this.plans = plans;
    String name = region == null ? "" : region.toUpperCase(Locale.ROOT);
    ownCode = plans.codeOfRegion(name);
    own = ownCode == null ? null : ownCode.region(name);
  }

  PhoneNumber read(String text) {
    try {
      // Longer than any text of 250 characters.
      if (text.length() > 1_000) throw new Refusal(Problem.TOO_LONG);
      NumberCharacters characters = new NumberCharacters(text);
      String dialed = characters.dialed;
      boolean mayBeEmergency = own != null && !dialed.isEmpty() && dialed.length() <= MAXIMUM_EMERGENCY;
      if (mayBeEmergency && own.fits('E', dialed)) return PhoneNumber.refused(Problem.SHORT_OR_EMERGENCY, own.name);
      if (characters.problem != null) throw new Refusal(characters.problem);
      if (!characters.hasPlus() && own == null) throw new Refusal(Problem.UNKNOWN_CALLING_CODE);
      parse(characters.digits(), characters.hasPlus());
      return outcome();
    } catch (Refusal refusal) {
      return refused(refusal.problem, text);
    }
  }

  private PhoneNumber refused(Problem problem, String text) {
    boolean isDigit = text.length() == 1 && text.charAt(0) >= '0' && text.charAt(0) <= '9';
    if (problem == Problem.NOT_A_NUMBER && isDigit) return PhoneNumber.refused(Problem.TOO_SHORT, null);
    // Any region settles whether it was the region that was missing.
    boolean isMissing = problem == Problem.UNKNOWN_CALLING_CODE && own == null && plans.hasRegion("US")
        && plans.parse(text, "US").problem != problem;
    return PhoneNumber.refused(isMissing ? Problem.NEEDS_REGION : problem, null);
  }

  private void parse(String digits, boolean hasPlus) throws Refusal {
    if (hasPlus) {
      if (digits.length() <= MINIMUM) throw new Refusal(Problem.TOO_SHORT);
      // The plus may be in front of an international prefix.
      if (!takeCode(digits) && !takeWithoutPlus(digits)) throw new Refusal(Problem.UNKNOWN_CALLING_CODE);
    } else {
      takeWithoutPlus(digits);
    }
    // The region's own plan, unless the number is of another calling code.
    CallingCode.Region plan = own;
    if (code != null && code.regions.get(0) != plan) plan = code.regions.get(0);
    if (plan == null) throw new Refusal(Problem.UNKNOWN_CALLING_CODE);
    if (code == null) {
      code = ownCode;
      national = digits;
    }
    if (national.length() < MINIMUM) throw new Refusal(Problem.TOO_SHORT);
    String bare = plan.withoutNationalPrefix(national);
    int length = plan.length(bare.length());
    // Otherwise the prefix may be part of a short number.
    if (length == 0 || length == 1) national = bare;
    if (national.length() < MINIMUM) throw new Refusal(Problem.TOO_SHORT);
    if (national.length() > MAXIMUM) throw new Refusal(Problem.TOO_LONG);
  }

  private boolean takeCode(String digits) {
    CallingCode found = plans.codeOf(digits);
    if (found == null) return false;
    code = found;
    national = digits.substring(found.digits.length());
    return true;
  }

  /** Takes the calling code behind an international prefix, or the region's own. */
  private boolean takeWithoutPlus(String digits) throws Refusal {
    if (own == null) return false;
    int prefix = own.internationalPrefix(digits);
    if (prefix >= 0) {
      if (digits.length() - prefix <= MINIMUM) throw new Refusal(Problem.TOO_SHORT);
      if (!takeCode(digits.substring(prefix))) throw new Refusal(Problem.UNKNOWN_CALLING_CODE);
      return true;
    }
    if (!digits.startsWith(ownCode.digits)) return false;
    String rest = own.withoutNationalPrefix(digits.substring(ownCode.digits.length()));
    boolean isBetter = !own.hasForm(digits) && own.hasForm(rest);
    if (!isBetter && own.length(digits.length()) != 1) return false;
    code = ownCode;
    national = rest;
    return true;
  }

  private PhoneNumber outcome() {
    if (code.digits.length() + national.length() > 15) return PhoneNumber.refused(Problem.TOO_LONG, null);
    PhoneNumber number = described(code, national);
    if (number.isAssigned()) return number;
    if (own != null && ownCode == code && own.fits('S', national) && own.fits('G', national)) {
      return PhoneNumber.refused(Problem.SHORT_OR_EMERGENCY, own.name);
    }
    CallingCode.Region main = code.regions.get(0);
    String place = number.region != null ? number.region : main.isCountry() ? main.name : null;
    if (code.isShort(national)) return PhoneNumber.refused(Problem.SHORT_OR_EMERGENCY, place);
    switch (main.length(national.length())) {
      case 0:
        return number;
      case 1:
        return PhoneNumber.refused(Problem.TOO_LONG, null);
      case 3:
        return PhoneNumber.refused(Problem.NOT_VALID, place);
      default:
        return PhoneNumber.refused(Problem.TOO_SHORT, null);
    }
  }

  static PhoneNumber described(CallingCode code, String national) {
    CallingCode.Region region = code.regionOf(national);
    PhoneNumber.Kind kind = region == null ? PhoneNumber.Kind.UNKNOWN : region.kind(national);
    String name = region != null && region.isCountry() ? region.name : null;
    return PhoneNumber.number(Long.parseLong(code.digits + national), name, kind);
  }
}
