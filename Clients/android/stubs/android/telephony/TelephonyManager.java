// SPDX-License-Identifier: Apache-2.0
package android.telephony;

/** Declares what the library and its example use of Android's class, in a country of a test. */
public class TelephonyManager {
  public String network = "";
  public String sim = "";

  public String getNetworkCountryIso() {
    return network;
  }

  public String getSimCountryIso() {
    return sim;
  }
}
