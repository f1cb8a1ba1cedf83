// SPDX-License-Identifier: Apache-2.0
package android.content;

/** Declares what the library and its example use of Android's class. */
public interface DialogInterface {
  /** Declares what the library and its example use of Android's class. */
  interface OnClickListener {
    void onClick(DialogInterface dialog, int which);
  }
}
