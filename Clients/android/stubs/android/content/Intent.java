// SPDX-License-Identifier: Apache-2.0
package android.content;

import android.net.Uri;

/** Declares what the library and its example use of Android's class, and keeps its address. */
public class Intent {
  public static final String ACTION_VIEW = "android.intent.action.VIEW";
  public final String action;
  public final Uri address;

  public Intent(String action) {
    this(action, null);
  }

  public Intent(String action, Uri address) {
    this.action = action;
    this.address = address;
  }
}
