// SPDX-License-Identifier: Apache-2.0
package android.os;

/** Declares what the library and its example use of Android's class. */
public class Build {
  /** Declares what the library and its example use of Android's class. */
  public static class VERSION {
    public static int SDK_INT = 34;
  }
}
