// SPDX-License-Identifier: Apache-2.0
package android;

/** Declares what the library and its example use of Android's class. */
public final class Manifest {
  private Manifest() {}

  /** Declares what the library and its example use of Android's class. */
  public static final class permission {
    public static final String POST_NOTIFICATIONS = "android.permission.POST_NOTIFICATIONS";
    public static final String READ_CONTACTS = "android.permission.READ_CONTACTS";

    private permission() {}
  }
}
