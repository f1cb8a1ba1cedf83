// SPDX-License-Identifier: Apache-2.0
package android.app;

/** Declares what the library and its example use of Android's class. */
public final class NotificationChannel {
  public NotificationChannel(String id, CharSequence name, int importance) {}
}
