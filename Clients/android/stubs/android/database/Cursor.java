// SPDX-License-Identifier: Apache-2.0
package android.database;

import java.io.Closeable;

/** Declares what the library and its example use of Android's class. */
public interface Cursor extends Closeable {
  boolean moveToFirst();

  @Override
  void close();
}
