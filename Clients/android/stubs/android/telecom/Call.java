// SPDX-License-Identifier: Apache-2.0
package android.telecom;

import android.net.Uri;

/** Declares what the example uses of Android's class. */
public final class Call {
  /** Declares what the example uses of Android's class. */
  public static class Details {
    public static final int DIRECTION_INCOMING = 0;
    private final int direction;
    private final Uri handle;

    public Details(int direction, Uri handle) {
      this.direction = direction;
      this.handle = handle;
    }

    public final int getCallDirection() {
      return direction;
    }

    public final Uri getHandle() {
      return handle;
    }
  }
}
