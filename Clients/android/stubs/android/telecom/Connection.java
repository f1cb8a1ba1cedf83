// SPDX-License-Identifier: Apache-2.0
package android.telecom;

/** Declares what the library and its example use of Android's class. */
public abstract class Connection {
  public static final int VERIFICATION_STATUS_NOT_VERIFIED = 0;
  public static final int VERIFICATION_STATUS_PASSED = 1;
  public static final int VERIFICATION_STATUS_FAILED = 2;
}
