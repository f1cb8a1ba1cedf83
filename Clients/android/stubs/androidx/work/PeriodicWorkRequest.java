// SPDX-License-Identifier: Apache-2.0
package androidx.work;

import java.util.concurrent.TimeUnit;

/** Declares what the library uses of Jetpack's class, and keeps the period. */
public final class PeriodicWorkRequest extends WorkRequest {
  public long periodMilliseconds;

  private PeriodicWorkRequest() {}

  /** Declares what the library uses of Jetpack's class. */
  public static final class Builder extends WorkRequest.Builder<Builder, PeriodicWorkRequest> {
    public Builder(Class<? extends ListenableWorker> worker, long period, TimeUnit unit) {
      super(made(unit.toMillis(period)), worker);
    }

    private static PeriodicWorkRequest made(long period) {
      PeriodicWorkRequest request = new PeriodicWorkRequest();
      request.periodMilliseconds = period;
      return request;
    }
  }
}
