// SPDX-License-Identifier: Apache-2.0
package android.content.pm;

/** Declares what the library and its example use of Android's class. */
public abstract class PackageManager {
  public static final int PERMISSION_DENIED = -1;
  public static final int PERMISSION_GRANTED = 0;
}
