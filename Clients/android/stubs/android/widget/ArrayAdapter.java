// SPDX-License-Identifier: Apache-2.0
package android.widget;

import android.content.Context;
import java.util.List;

/** Declares what the library and its example use of Android's class, and keeps the items. */
public class ArrayAdapter<T> implements ListAdapter {
  public final List<T> items;

  public ArrayAdapter(Context context, int layout, List<T> items) {
    this.items = items;
  }
}
