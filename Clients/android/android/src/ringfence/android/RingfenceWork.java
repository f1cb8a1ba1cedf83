// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import android.content.Context;
import androidx.work.BackoffPolicy;
import androidx.work.Constraints;
import androidx.work.ExistingPeriodicWorkPolicy;
import androidx.work.ExistingWorkPolicy;
import androidx.work.NetworkType;
import androidx.work.OneTimeWorkRequest;
import androidx.work.PeriodicWorkRequest;
import androidx.work.WorkManager;
import androidx.work.Worker;
import androidx.work.WorkerParameters;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import ringfence.client.Codec;
import ringfence.client.RingfenceClient;

/** The rules by which WorkManager updates packs and sends reports. */
final class RingfenceWork {
  private static final String UPDATE = "ringfence-update", FIRST = "ringfence-first-update", SEND = "ringfence-send";

  private RingfenceWork() {}

  static void schedule(Context context, Ringfence.Options options, boolean hasPacks) {
    WorkManager manager = manager(context);
    if (manager == null) return;
    Constraints network = network(options.isUnmeteredOnly);
    // Phones that are switched on at the same hour must not ask at the same hour.
    long delay = (long) (Codec.DAY * options.environment.chance());
    PeriodicWorkRequest daily = new PeriodicWorkRequest.Builder(Update.class, 1, TimeUnit.DAYS).setConstraints(network)
        .setInitialDelay(delay, TimeUnit.MILLISECONDS).setBackoffCriteria(BackoffPolicy.EXPONENTIAL, 10, TimeUnit.MINUTES).build();
    // A work of an earlier start stays, and with it its hour, unless the rule of networks changed: UPDATE keeps the hour too.
    manager.enqueueUniquePeriodicWork(UPDATE, ExistingPeriodicWorkPolicy.UPDATE, daily);
    if (hasPacks) return;
    OneTimeWorkRequest first = new OneTimeWorkRequest.Builder(Update.class)
        .setConstraints(network).setBackoffCriteria(BackoffPolicy.EXPONENTIAL, 1, TimeUnit.MINUTES).build();
    manager.enqueueUniqueWork(FIRST, ExistingWorkPolicy.KEEP, first);
  }

  static void send(Context context) {
    OneTimeWorkRequest request = new OneTimeWorkRequest.Builder(Send.class)
        .setConstraints(network(false)).setBackoffCriteria(BackoffPolicy.EXPONENTIAL, 1, TimeUnit.MINUTES).build();
    // One that waits would wait longer, and one that runs may have read the outbox before this report.
    WorkManager manager = manager(context);
    if (manager != null) manager.enqueueUniqueWork(SEND, ExistingWorkPolicy.REPLACE, request);
  }

  /** Returns null in a process where the app does not start WorkManager; then the daily work sends. */
  private static WorkManager manager(Context context) {
    try {
      return WorkManager.getInstance(context);
    } catch (IllegalStateException exception) {
      return null;
    }
  }

  private static Constraints network(boolean isUnmetered) {
    return new Constraints.Builder().setRequiredNetworkType(isUnmetered ? NetworkType.UNMETERED : NetworkType.CONNECTED).build();
  }

  /** Work that ends when WorkManager stops it. */
  abstract static class Stoppable extends Worker {
    private volatile Thread thread;

    Stoppable(Context context, WorkerParameters parameters) { super(context, parameters); }

    abstract boolean isDone(RingfenceClient client) throws IOException;

    @Override
    public Result doWork() {
      thread = Thread.currentThread();
      try {
        return isDone(Ringfence.get().client()) ? Result.success() : Result.retry();
      } catch (IOException exception) {
        // Also a refused publication, or a full disk: the next one may be better, and waiting reports stay.
        return Result.retry();
      } catch (RuntimeException exception) {
        return Result.failure();
      } finally {
        thread = null;
        Thread.interrupted();
      }
    }

    @Override
    public void onStopped() {
      Thread running = thread;
      if (running != null) running.interrupt();
    }
  }

  /** Sends what waits, then updates packs. */
  public static final class Update extends Stoppable {
    public Update(Context context, WorkerParameters parameters) { super(context, parameters); }

    @Override
    boolean isDone(RingfenceClient client) throws IOException {
      client.flush(false);
      client.updatePacks();
      return true;
    }
  }

  /** Sends what waits. */
  public static final class Send extends Stoppable {
    public Send(Context context, WorkerParameters parameters) { super(context, parameters); }

    @Override
    boolean isDone(RingfenceClient client) throws IOException {
      RingfenceClient.FlushResult result = client.flush(true);
      // The daily work sends the rest.
      return result.nextAttempt == 0 || result.nextAttempt > Ringfence.get().options.environment.now() + Codec.DAY / 24;
    }
  }
}
