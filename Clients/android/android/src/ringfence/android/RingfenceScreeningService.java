// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import android.Manifest;
import android.app.Notification;
import android.app.NotificationChannel;
import android.app.NotificationManager;
import android.content.Context;
import android.content.pm.PackageManager;
import android.database.Cursor;
import android.net.Uri;
import android.os.Build;
import android.provider.ContactsContract;
import android.telecom.Call;
import android.telecom.CallScreeningService;
import android.telecom.Connection;
import android.telephony.TelephonyManager;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import ringfence.client.Remediation.Outcome;

/**
 * Answers Android's question about each incoming call: rejects it, or lets it ring and shows who calls. It never throws, and a call that
 * cannot be checked rings. A decision reads the user's list, and the header and one block of each pack. If the disk stalls, the call
 * rings after four seconds; Android itself waits for five. Extend it, and declare the class in the manifest.
 */
public abstract class RingfenceScreeningService extends CallScreeningService {
  private static final String CHANNEL = "ringfence";
  /** The creation of the last call: some phones ask more than once about a call. */
  private static final AtomicLong LAST = new AtomicLong(-1);

  /** Answers the call, on a thread of its own: files may be slow, and this is the app's main thread. */
  @Override
  public final void onScreenCall(Call.Details call) {
    AtomicBoolean isAnswered = new AtomicBoolean();
    Timer timer = new Timer("ringfence-call", true);
    timer.schedule(new TimerTask() {
      @Override
      public void run() {
        answer(call, CallScreener.ring(CallDecision.Reason.ERROR, 0), isAnswered);
      }
    }, longestDecision());
    Runnable work = () -> quietly(() -> {
      CallDecision decision = decide(call);
      timer.cancel();
      if (!answer(call, decision, isAnswered) || isRepeated(call)) return;
      quietly(() -> count(decision));
      onDecision(decision);
    });
    try {
      Ringfence.get().background.execute(work);
    } catch (RuntimeException | LinkageError exception) {
      work.run();
    }
  }

  /**
   * Receives each decision after the call was answered, on a background thread. By default shows a notification with the label, or that
   * the network did not confirm the number, or that the call was rejected if the app's options say so.
   */
  protected void onDecision(CallDecision decision) {
    String title = decision.label;
    if (decision.action == CallDecision.Action.REJECT) {
      if (!Ringfence.get().options.showsRejected) return;
      title = getString(R.string.ringfence_blocked);
    } else if (decision.reason == CallDecision.Reason.NOT_VERIFIED) {
      title = getString(R.string.ringfence_not_verified);
    }
    if (title != null && !title.isEmpty()) notify(title, "+" + decision.number);
  }

  /** Says whether a caller is a contact. Without the permission READ_CONTACTS, Android asks about no contact at all. */
  protected boolean isContact(String number) {
    if (checkSelfPermission(Manifest.permission.READ_CONTACTS) != PackageManager.PERMISSION_GRANTED) return false;
    Uri address = Uri.withAppendedPath(ContactsContract.PhoneLookup.CONTENT_FILTER_URI, Uri.encode(number));
    try (Cursor found = getContentResolver().query(address, new String[] {"_id"}, null, null, null)) {
      if (found == null) throw new IllegalStateException("The contacts cannot be read.");
      return found.moveToFirst();
    }
  }

  /** Returns the country of the phone, which completes national numbers: of its network, or else of its SIM. */
  protected String country() {
    TelephonyManager telephony = (TelephonyManager) getSystemService(Context.TELEPHONY_SERVICE);
    if (telephony == null) return null;
    String network = telephony.getNetworkCountryIso();
    return network == null || network.isEmpty() ? telephony.getSimCountryIso() : network;
  }

  /** Returns the milliseconds after which a call rings without a decision. */
  protected long longestDecision() { return 4_000; }

  private CallDecision decide(Call.Details call) {
    try {
      boolean isIncoming = Build.VERSION.SDK_INT < 29 || call.getCallDirection() == Call.Details.DIRECTION_INCOMING;
      Uri handle = call.getHandle();
      boolean isTelephone = handle == null || "tel".equals(handle.getScheme());
      if (!isIncoming || !isTelephone) return CallScreener.ring(CallDecision.Reason.NO_NUMBER, 0);
      String number = handle == null ? null : handle.getSchemeSpecificPart();
      boolean hasFailed =
          Build.VERSION.SDK_INT >= 30 && call.getCallerNumberVerificationStatus() == Connection.VERIFICATION_STATUS_FAILED;
      return Ringfence.get().screener().decide(number, country(), hasFailed, this::isContact);
    } catch (Exception | LinkageError | StackOverflowError | OutOfMemoryError exception) {
      return CallScreener.ring(CallDecision.Reason.ERROR, 0);
    }
  }

  /** Answers a call once; false when it was answered before, or the service was unbound. */
  private boolean answer(Call.Details call, CallDecision decision, AtomicBoolean isAnswered) {
    if (!isAnswered.compareAndSet(false, true)) return false;
    boolean isRejected = decision.action == CallDecision.Action.REJECT;
    try {
      respondToCall(call, new CallResponse.Builder().setDisallowCall(isRejected).setRejectCall(isRejected).setSkipNotification(isRejected)
          .setSkipCallLog(false).build());
      return true;
    } catch (RuntimeException exception) {
      return false;
    }
  }

  private static boolean isRepeated(Call.Details call) {
    long created = call == null ? 0 : call.getCreationTimeMillis();
    return created > 0 && LAST.getAndSet(created) == created;
  }

  private void count(CallDecision decision) throws Exception {
    Outcome rang = decision.action == CallDecision.Action.LABEL ? Outcome.LABELED : Outcome.MATCHED;
    Ringfence.get().count(decision.match, decision.action == CallDecision.Action.REJECT ? Outcome.BLOCKED : rang);
    if (!Ringfence.get().options.countsCalls || decision.number == 0 || isContact("+" + decision.number)) return;
    Ringfence.get().client().countCall("+" + decision.number, null, decision.action != CallDecision.Action.RING);
  }

  private void notify(String title, String text) {
    NotificationManager manager = (NotificationManager) getSystemService(Context.NOTIFICATION_SERVICE);
    String name = getString(R.string.ringfence_channel);
    manager.createNotificationChannel(new NotificationChannel(CHANNEL, name, NotificationManager.IMPORTANCE_HIGH));
    Notification.Builder builder = new Notification.Builder(this, CHANNEL);
    builder.setContentTitle(title).setContentText(text).setSmallIcon(android.R.drawable.sym_call_incoming).setAutoCancel(true);
    // Without the permission POST_NOTIFICATIONS, Android shows none.
    manager.notify(CHANNEL, 1, builder.build());
  }

  private interface Work { void run() throws Exception; }

  private static void quietly(Work work) {
    try {
      work.run();
    } catch (Exception | LinkageError | OutOfMemoryError exception) {
      // The call was answered; nothing else is as important.
    }
  }
}
