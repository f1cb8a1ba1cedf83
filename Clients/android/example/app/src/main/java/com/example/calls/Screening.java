// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import java.io.IOException;
import ringfence.android.CallDecision;
import ringfence.android.RingfenceScreeningService;

/** Answers calls, and remembers what it answered. */
public class Screening extends RingfenceScreeningService {
  @Override
  protected void onDecision(CallDecision decision) {
    super.onDecision(decision);
    try {
      new RecentCalls(this).add(decision);
    } catch (IOException exception) {
      // The list of calls lacks one; the call was answered.
    }
  }
}
