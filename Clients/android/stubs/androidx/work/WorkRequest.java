// SPDX-License-Identifier: Apache-2.0
package androidx.work;

import java.util.concurrent.TimeUnit;

/** Declares what the library uses of Jetpack's class, and keeps the rules. */
public abstract class WorkRequest {
  public Class<? extends ListenableWorker> worker;
  public Constraints constraints;
  public long delayMilliseconds;
  public long backoffMilliseconds;

  /** Declares what the library uses of Jetpack's class. */
  public abstract static class Builder<B extends Builder<B, W>, W extends WorkRequest> {
    private final W request;

    Builder(W request, Class<? extends ListenableWorker> worker) {
      this.request = request;
      request.worker = worker;
    }

    @SuppressWarnings("unchecked")
    private B self() {
      return (B) this;
    }

    public final B setConstraints(Constraints constraints) {
      request.constraints = constraints;
      return self();
    }

    public B setInitialDelay(long duration, TimeUnit unit) {
      request.delayMilliseconds = unit.toMillis(duration);
      return self();
    }

    public final B setBackoffCriteria(BackoffPolicy policy, long delay, TimeUnit unit) {
      request.backoffMilliseconds = unit.toMillis(delay);
      return self();
    }

    public final W build() {
      return request;
    }
  }
}
