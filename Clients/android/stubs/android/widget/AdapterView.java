// SPDX-License-Identifier: Apache-2.0
package android.widget;

import android.content.Context;
import android.view.View;

/** Declares what the library and its example use of Android's class, and keeps the listener. */
public abstract class AdapterView<T> extends View {
  public OnItemClickListener listener;

  public AdapterView(Context context) {
    super(context);
  }

  public void setOnItemClickListener(OnItemClickListener listener) {
    this.listener = listener;
  }

  /** Declares what the library and its example use of Android's class. */
  public interface OnItemClickListener {
    void onItemClick(AdapterView<?> parent, View view, int position, long id);
  }
}
