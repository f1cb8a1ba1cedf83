// SPDX-License-Identifier: Apache-2.0
package android.util;

/** Declares what the library and its example use of Android's class. */
public final class Log {
  private Log() {}

  public static int w(String tag, String text) {
    throw new IllegalStateException(tag + ": " + text);
  }
}
