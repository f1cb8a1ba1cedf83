// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import static ringfence.client.Checks.same;
import static ringfence.client.Checks.that;

import android.Manifest;
import android.app.AlertDialog;
import android.app.Application;
import android.app.NotificationManager;
import android.app.role.RoleManager;
import android.content.ContentResolver;
import android.content.Context;
import android.content.res.Resources;
import android.database.Cursor;
import android.net.Uri;
import android.telecom.Call;
import android.telecom.CallScreeningService;
import android.telephony.TelephonyManager;
import android.widget.ArrayAdapter;
import android.widget.EditText;
import android.widget.ListView;
import androidx.work.WorkManager;
import androidx.work.WorkerParameters;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import ringfence.android.Ringfence;
import ringfence.client.Checks;

/**
 * Runs the example's own code on a phone of stubs, with a server that blocks one number and names another: RunExample HOST KEY BLOCKED
 * NAMED. The last line is the id of the user's report.
 */
public final class RunExample {
  private static final NotificationManager NOTIFICATIONS = new NotificationManager();
  private static Screening service;

  public static void main(String[] arguments) throws IOException {
    String blocked = arguments[2];
    String named = arguments[3];
    Checks.run("the example", folder -> {
      Context.folder = folder;
      Context.services.put(Context.NOTIFICATION_SERVICE, NOTIFICATIONS);
      Context.services.put(Context.ROLE_SERVICE, new RoleManager());
      Context.services.put(Context.TELEPHONY_SERVICE, new TelephonyManager());
      Resources.FILES.put(R.raw.root, fetch(arguments[0] + "/v1/root.json"));
      for (int id = 1; id < 20; id++) Resources.TEXTS.put(id, "text " + id);
      Resources.TEXTS.put(ringfence.android.R.string.ringfence_blocked, "rejected");
      CallsApp.host = arguments[0];
      CallsApp.key = arguments[1];
      Application app = new CallsApp();
      app.onCreate();
      service = new Screening();
      that(WorkManager.INSTANCE.requests.containsKey("ringfence-first-update"), "the first update is ordered");
      same(isRejected(blocked), false, "without a pack");
      same(work("Update"), "success", "the update");

      same(isRejected(blocked), true, "a blocked number");
      same(NOTIFICATIONS.last.title, "rejected", "the notification of the rejected call");
      same(isRejected(named), false, "a labelled number");
      that(NOTIFICATIONS.last.title.toString().contains("survey"), "the label is shown: " + NOTIFICATIONS.last.title);
      Context.granted.add(Manifest.permission.READ_CONTACTS);
      Context.resolver = contact();
      same(isRejected(blocked), false, "a contact");
      Context.granted.clear();
      Context.resolver = null;
      same(isRejected(blocked), true, "a missing permission is no crash");

      CallsActivity.background = Runnable::run;
      CallsActivity activity = new CallsActivity();
      activity.onCreate(null);
      same(activity.started.action, RoleManager.ROLE_CALL_SCREENING, "the request of the role");
      activity.onResume();
      ListView list = (ListView) activity.content;
      String first = ((ArrayAdapter<?>) list.adapter).items.get(0).toString();
      same(first, "+" + blocked + " reject", "the list");
      act(list, 1);
      same(isRejected(blocked), false, "allowed by the user");
      act(list, 0);
      same(isRejected(blocked), true, "blocked by the user");
      EditText.typed = "The bank";
      act(list, 2);
      AlertDialog.last.listener.onClick(null, 0);
      isRejected(blocked);
      same(NOTIFICATIONS.last.title, "The bank", "the name by the user");
      act(list, 4);
      same(activity.started.address.toString(), arguments[0] + "/appeal?number=" + blocked, "the page for the owner");
      act(list, 3);
      that(WorkManager.INSTANCE.requests.containsKey("ringfence-send"), "the report is ordered");
      same(Ringfence.get().client().waiting(), 1, "the report waits");
      same(work("Send"), "success", "the report is sent");
      same(Ringfence.get().client().waiting(), 0, "nothing waits");
    });
    Checks.end();
  }

  private static void act(ListView list, int which) {
    list.listener.onItemClick(list, null, 0, 0);
    AlertDialog.last.listener.onClick(null, which);
  }

  private static String work(String name) throws Exception {
    Class<?> type = Class.forName("ringfence.android.RingfenceWork$" + name);
    Object worker = type.getConstructor(Context.class, WorkerParameters.class).newInstance(service, new WorkerParameters());
    return ((androidx.work.Worker) worker).doWork().toString();
  }

  private static boolean isRejected(String number) throws Exception {
    service.onScreenCall(new Call.Details(Call.Details.DIRECTION_INCOMING, Uri.parse("tel:+" + number), 0));
    CallScreeningService.CallResponse response = service.responses.poll(20, TimeUnit.SECONDS);
    // The notification and the list of calls come behind the answer, on the same thread as this decision.
    CountDownLatch done = new CountDownLatch(1);
    service.onScreenCall(new Call.Details(Call.Details.DIRECTION_INCOMING, null, 0) {
      @Override
      public int getCallerNumberVerificationStatus() {
        done.countDown();
        return 0;
      }
    });
    that(done.await(20, TimeUnit.SECONDS) && service.responses.poll(20, TimeUnit.SECONDS) != null, "the service answers");
    return response.isDisallowed;
  }

  private static ContentResolver contact() {
    return new ContentResolver() {
      @Override
      public Cursor query(Uri address, String[] columns, String selection, String[] arguments, String order) {
        return new Cursor() {
          @Override
          public boolean moveToFirst() {
            return true;
          }

          @Override
          public void close() {}
        };
      }
    };
  }

  private static byte[] fetch(String address) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (InputStream in = new URL(address).openStream()) {
      in.transferTo(out);
    }
    return out.toByteArray();
  }
}
