// SPDX-License-Identifier: Apache-2.0
package android.content;

import android.database.Cursor;
import android.net.Uri;

/** Declares what the library and its example use of Android's class, for a phone with one contact. */
public abstract class ContentResolver {
  public abstract Cursor query(Uri address, String[] columns, String selection, String[] arguments, String order);
}
