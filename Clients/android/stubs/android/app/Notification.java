// SPDX-License-Identifier: Apache-2.0
package android.app;

import android.content.Context;

/** Declares what the library and its example use of Android's class, and keeps its texts. */
public class Notification {
  public CharSequence title;
  public CharSequence text;

  /** Declares what the library and its example use of Android's class. */
  public static class Builder {
    private final Notification notification = new Notification();

    @Deprecated
    public Builder(Context context) {}

    public Builder(Context context, String channel) {}

    public Builder setContentTitle(CharSequence title) {
      notification.title = title;
      return this;
    }

    public Builder setContentText(CharSequence text) {
      notification.text = text;
      return this;
    }

    public Builder setSmallIcon(int icon) {
      return this;
    }

    public Builder setAutoCancel(boolean isAutomatic) {
      return this;
    }

    public Notification build() {
      return notification;
    }
  }
}
