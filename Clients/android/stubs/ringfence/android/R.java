// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

/** The resources of the library. Android's build makes this class of res. */
public final class R {
  private R() {}

  /** Texts. */
  public static final class string {
    public static int ringfence_channel = 1;
    public static int ringfence_not_verified = 2;
    public static int ringfence_blocked = 3;

    private string() {}
  }
}
