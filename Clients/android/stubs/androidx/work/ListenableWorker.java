// SPDX-License-Identifier: Apache-2.0
package androidx.work;

import android.content.Context;

/** Declares what the library uses of Jetpack's class. */
public abstract class ListenableWorker {
  public ListenableWorker(Context context, WorkerParameters parameters) {}

  public void onStopped() {}

  /** Declares what the library uses of Jetpack's class, by name. */
  public abstract static class Result {
    public static Result success() {
      return named("success");
    }

    public static Result retry() {
      return named("retry");
    }

    public static Result failure() {
      return named("failure");
    }

    private static Result named(final String name) {
      return new Result() {
        @Override
        public String toString() {
          return name;
        }
      };
    }
  }
}
