// SPDX-License-Identifier: Apache-2.0
package android.telephony;

/** Declares what the example uses of Android's class, for numbers of New Zealand. */
public final class PhoneNumberUtils {
  private PhoneNumberUtils() {}

  public static String formatNumberToE164(String number, String country) {
    if (number.startsWith("+")) return number;
    return country.equals("NZ") && number.startsWith("0") ? "+64" + number.substring(1) : null;
  }
}
