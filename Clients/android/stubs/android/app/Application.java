// SPDX-License-Identifier: Apache-2.0
package android.app;

import android.content.Context;

/** Declares what the library and its example use of Android's class. */
public class Application extends Context {
  public void onCreate() {}
}
