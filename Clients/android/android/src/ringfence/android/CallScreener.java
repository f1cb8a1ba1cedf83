// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import java.io.IOException;
import java.util.Locale;
import ringfence.android.CallDecision.Action;
import ringfence.android.CallDecision.Reason;
import ringfence.client.PackFolder;
import ringfence.client.Remediation;
import ringfence.numbers.NumberingPlans;
import ringfence.numbers.PhoneNumber;

/** Decides about calls, without Android: the user's own list, then the packs. An error lets the call ring. */
public final class CallScreener {
  /** Says whether a number is a contact of the user. */
  public interface Contacts {
    /** Looks a number up, as the network sent it. An exception counts as a contact: it is not known that it is none. */
    boolean has(String number) throws Exception;
  }

  private final PackFolder packs;
  private final PersonalList personal;
  private final Ringfence.Options options;
  private volatile NumberingPlans plans;

  /** Creates a screener with the settings of an app. */
  public CallScreener(PackFolder packs, PersonalList personal, Ringfence.Options options) {
    this.packs = packs;
    this.personal = personal;
    this.options = options;
  }

  /** Uses plans that are newer than the library. */
  public void use(NumberingPlans newer) { plans = newer; }

  /**
   * Decides about an incoming call, by the number as the network sent it and the phone's country of two letters; either may be null.
   * @param hasFailed whether the network knows the number to be false (STIR/SHAKEN)
   */
  public CallDecision decide(String text, String country, boolean hasFailed, Contacts contacts) {
    boolean isHidden = text == null || text.isEmpty();
    if (isHidden) return new CallDecision(options.rejectsHidden ? Action.REJECT : Action.RING, Reason.NO_NUMBER, 0, null, null);
    long number = 0;
    try {
      PhoneNumber read = (plans == null ? NumberingPlans.builtIn() : plans).parse(text, country);
      // The user may block a number that cannot exist, as false ones often cannot.
      boolean isImpossible = read.digits == 0 && text.matches("\\+[1-9][0-9]{5,14}");
      number = isImpossible ? Long.parseLong(text.substring(1)) : read.digits;
      if (read.problem == PhoneNumber.Problem.SHORT_OR_EMERGENCY) return ring(Reason.SHORT_OR_EMERGENCY, 0);
      CallDecision decision = number == 0 ? ring(Reason.NOT_LISTED, 0) : decide(number, read.kind, hasFailed);
      // Asked last, because another process answers it.
      boolean isSpared = decision.action != Action.RING && isContact(contacts, text);
      return isSpared ? new CallDecision(Action.RING, Reason.CONTACT, number, null, decision.match) : decision;
    } catch (IOException | RuntimeException exception) {
      return ring(Reason.ERROR, number);
    }
  }

  private CallDecision decide(long number, PhoneNumber.Kind kind, boolean hasFailed) throws IOException {
    PersonalList.Entry own = personal.entry(number);
    if (own != null) {
      if (own.kind == PersonalList.Kind.ALLOW) return ring(Reason.USER, number);
      return new CallDecision(own.kind == PersonalList.Kind.BLOCK ? Action.REJECT : Action.LABEL, Reason.USER, number, shown(own.label), null);
    }
    if (hasFailed && options.rejectsFailedVerification) return new CallDecision(Action.REJECT, Reason.NOT_VERIFIED, number, null, null);
    PackFolder.Match match = packs.find(number);
    if (match == null) return ring(hasFailed ? Reason.NOT_VERIFIED : Reason.NOT_LISTED, number);
    String type = kind.name().toLowerCase(Locale.ROOT);
    Remediation listed = new Remediation(match.pack, match.entry.blocks(), null, null, null, null, type);
    // A false number must not get the name of its owner.
    if (hasFailed && !listed.blocks) return new CallDecision(Action.RING, Reason.NOT_VERIFIED, number, null, listed);
    return new CallDecision(listed.blocks ? Action.REJECT : Action.LABEL, Reason.LISTED, number, shown(match.entry.label()), listed);
  }

  static CallDecision ring(Reason reason, long number) { return new CallDecision(Action.RING, reason, number, null, null); }

  private static boolean isContact(Contacts contacts, String text) {
    try {
      return contacts.has(text);
    } catch (Exception exception) {
      return true;
    }
  }

  /** Returns a label of one line without control characters, and without signs that turn the direction of writing. */
  static String shown(String label) {
    if (label == null) return null;
    String line = label.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]+", " ").trim();
    boolean isLong = line.codePointCount(0, line.length()) > 100;
    return isLong ? line.substring(0, line.offsetByCodePoints(0, 100)) + "…" : line;
  }
}
