// SPDX-License-Identifier: Apache-2.0
package android;

/** Declares what the library and its example use of Android's class. */
public final class R {
  private R() {}

  /** Declares what the library and its example use of Android's class. */
  public static final class drawable {
    public static int sym_call_incoming = 1;

    private drawable() {}
  }

  /** Declares what the library and its example use of Android's class. */
  public static final class layout {
    public static int simple_list_item_1 = 2;

    private layout() {}
  }
}
