// SPDX-License-Identifier: Apache-2.0
package android.telephony;

/** Declares what the example uses of Android's class, in a network of New Zealand. */
public class TelephonyManager {
  public String getNetworkCountryIso() {
    return "nz";
  }
}
