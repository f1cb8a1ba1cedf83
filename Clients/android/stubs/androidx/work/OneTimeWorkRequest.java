// SPDX-License-Identifier: Apache-2.0
package androidx.work;

/** Declares what the library uses of Jetpack's class. */
public final class OneTimeWorkRequest extends WorkRequest {
  private OneTimeWorkRequest() {}

  /** Declares what the library uses of Jetpack's class. */
  public static final class Builder extends WorkRequest.Builder<Builder, OneTimeWorkRequest> {
    public Builder(Class<? extends ListenableWorker> worker) {
      super(new OneTimeWorkRequest(), worker);
    }
  }
}
