// SPDX-License-Identifier: Apache-2.0
package android.content;

import java.io.File;

/** Declares what the example uses of Android's class. */
public abstract class Context {
  public static final String TELEPHONY_SERVICE = "phone";

  public abstract File getFilesDir();

  public abstract Object getSystemService(String name);
}
