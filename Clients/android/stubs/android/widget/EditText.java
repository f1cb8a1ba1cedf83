// SPDX-License-Identifier: Apache-2.0
package android.widget;

import android.content.Context;
import android.view.View;

/** Declares what the library and its example use of Android's class, with the text of a test. */
public class EditText extends View {
  public static String typed = "";

  public EditText(Context context) {
    super(context);
  }

  public CharSequence getText() {
    return typed;
  }
}
