// SPDX-License-Identifier: Apache-2.0
package androidx.work;

import android.content.Context;
import java.util.LinkedHashMap;
import java.util.Map;

/** Declares what the library uses of Jetpack's class, and keeps the requests by name. */
public class WorkManager {
  public static final WorkManager INSTANCE = new WorkManager();
  public static boolean isStarted = true;
  public final Map<String, WorkRequest> requests = new LinkedHashMap<>();

  public static WorkManager getInstance(Context context) {
    if (!isStarted) throw new IllegalStateException("WorkManager is not initialized properly.");
    return INSTANCE;
  }

  public Operation enqueueUniquePeriodicWork(String name, ExistingPeriodicWorkPolicy policy, PeriodicWorkRequest request) {
    requests.put(name, request);
    return null;
  }

  public Operation enqueueUniqueWork(String name, ExistingWorkPolicy policy, OneTimeWorkRequest request) {
    requests.put(name, request);
    return null;
  }
}
