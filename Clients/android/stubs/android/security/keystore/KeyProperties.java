// SPDX-License-Identifier: Apache-2.0
package android.security.keystore;

/** Declares what the library and its example use of Android's class. */
public abstract class KeyProperties {
  public static final String DIGEST_SHA256 = "SHA-256";
  public static final String KEY_ALGORITHM_EC = "EC";
  public static final int PURPOSE_SIGN = 4;
}
