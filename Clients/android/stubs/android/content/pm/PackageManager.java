// SPDX-License-Identifier: Apache-2.0
package android.content.pm;

/** Declares what the library and its example use of Android's class. */
public class PackageManager {
  public static final int PERMISSION_DENIED = -1;
  public static final int PERMISSION_GRANTED = 0;

  /** The version that the phone gives; null for a package that it does not know. */
  public static PackageInfo installed;

  /** An unknown package. */
  public static class NameNotFoundException extends Exception {
    private static final long serialVersionUID = 1;
  }

  public PackageInfo getPackageInfo(String name, int flags) throws NameNotFoundException {
    if (installed == null) throw new NameNotFoundException();
    return installed;
  }
}
