// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import ringfence.client.Remediation;

/** The answer to a call. */
public final class CallDecision {
  /** The effect on the call, which rings, rings with a label that says who calls, or is rejected. */
  public enum Action { RING, LABEL, REJECT }

  /** The rule that decided. */
  public enum Reason { NOT_LISTED, LISTED, USER, CONTACT, NO_NUMBER, SHORT_OR_EMERGENCY, NOT_VERIFIED, ERROR }

  /** The effect on the call. */ public final Action action;
  /** The rule that decided. */ public final Reason reason;
  /** Country code and national digits; 0 when there is no number. */ public final long number;
  /** The name to show, without control characters; null for none. */ public final String label;
  /** The class of the call if a pack has the number, and the user's list did not decide; else null. */ public final Remediation match;

  CallDecision(Action action, Reason reason, long number, String label, Remediation match) {
    this.action = action;
    this.reason = reason;
    this.number = number;
    this.label = label;
    this.match = match;
  }
}
