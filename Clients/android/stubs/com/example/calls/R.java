// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

/** The resources of the example. Android's build makes this class of res. */
public final class R {
  private R() {}

  /** Files. */
  public static final class raw {
    public static int root = 1;

    private raw() {}
  }

  /** Texts. */
  public static final class string {
    public static int block = 10;
    public static int allow = 11;
    public static int name = 12;
    public static int report = 13;
    public static int appeal = 14;
    public static int save = 15;

    private string() {}
  }
}
