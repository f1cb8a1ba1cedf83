// SPDX-License-Identifier: Apache-2.0
package android.app;

import android.content.Context;
import android.content.DialogInterface;
import android.view.View;

/** Declares what the library and its example use of Android's class, and keeps the last one. */
public class AlertDialog {
  public static AlertDialog last;
  public CharSequence title;
  public CharSequence[] items;
  public View view;
  public DialogInterface.OnClickListener listener;

  /** Declares what the library and its example use of Android's class. */
  public static class Builder {
    private final AlertDialog dialog = new AlertDialog();

    public Builder(Context context) {}

    public Builder setTitle(CharSequence title) {
      dialog.title = title;
      return this;
    }

    public Builder setItems(CharSequence[] items, DialogInterface.OnClickListener listener) {
      dialog.items = items;
      dialog.listener = listener;
      return this;
    }

    public Builder setView(View view) {
      dialog.view = view;
      return this;
    }

    public Builder setPositiveButton(int text, DialogInterface.OnClickListener listener) {
      dialog.listener = listener;
      return this;
    }

    public AlertDialog show() {
      last = dialog;
      return dialog;
    }
  }
}
