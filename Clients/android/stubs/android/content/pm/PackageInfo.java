// SPDX-License-Identifier: Apache-2.0
package android.content.pm;

/** Declares what the library and its example use of Android's class. */
public class PackageInfo {
  public String versionName;
}
