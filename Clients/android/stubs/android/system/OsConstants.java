// SPDX-License-Identifier: Apache-2.0
package android.system;

/** Declares what the library and its example use of Android's class. */
public final class OsConstants {
  public static int O_RDONLY = 0;

  private OsConstants() {}
}
