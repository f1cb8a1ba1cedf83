// SPDX-License-Identifier: Apache-2.0
package android.widget;

import android.content.Context;

/** Declares what the library and its example use of Android's class, and keeps the adapter. */
public class ListView extends AdapterView<ListAdapter> {
  public ListAdapter adapter;

  public ListView(Context context) {
    super(context);
  }

  public void setAdapter(ListAdapter adapter) {
    this.adapter = adapter;
  }
}
