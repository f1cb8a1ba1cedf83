// SPDX-License-Identifier: Apache-2.0
package android.net;

/** Declares what the example uses of Android's class. */
public abstract class Uri {
  public abstract String getScheme();

  public abstract String getSchemeSpecificPart();
}
