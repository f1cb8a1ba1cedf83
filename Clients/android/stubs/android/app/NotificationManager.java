// SPDX-License-Identifier: Apache-2.0
package android.app;

/** Declares what the library and its example use of Android's class, and keeps the last notification. */
public class NotificationManager {
  public static final int IMPORTANCE_HIGH = 4;
  public Notification last;

  public void createNotificationChannel(NotificationChannel channel) {}

  public void notify(String tag, int id, Notification notification) {
    last = notification;
  }
}
