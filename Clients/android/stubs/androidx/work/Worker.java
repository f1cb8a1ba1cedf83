// SPDX-License-Identifier: Apache-2.0
package androidx.work;

import android.content.Context;

/** Declares what the library uses of Jetpack's class. */
public abstract class Worker extends ListenableWorker {
  public Worker(Context context, WorkerParameters parameters) {
    super(context, parameters);
  }

  public abstract Result doWork();
}
