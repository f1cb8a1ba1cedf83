// SPDX-License-Identifier: Apache-2.0
package android.view;

import android.content.Context;

/** Declares what the library and its example use of Android's class. */
public class View {
  public View(Context context) {}
}
