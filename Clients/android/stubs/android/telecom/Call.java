// SPDX-License-Identifier: Apache-2.0
package android.telecom;

import android.net.Uri;

/** Declares what the library and its example use of Android's class. */
public final class Call {
  private Call() {}

  /** Declares what the library and its example use of Android's class, and has what a test gives. */
  public static class Details {
    public static final int DIRECTION_INCOMING = 0;
    public static final int DIRECTION_OUTGOING = 1;
    private final int direction;
    private final Uri handle;
    private final int verification;
    public long created;

    public Details(int direction, Uri handle, int verification) {
      this.direction = direction;
      this.handle = handle;
      this.verification = verification;
    }

    public final int getCallDirection() {
      return direction;
    }

    public int getCallerNumberVerificationStatus() {
      return verification;
    }

    public final long getCreationTimeMillis() {
      return created;
    }

    public final Uri getHandle() {
      return handle;
    }
  }
}
