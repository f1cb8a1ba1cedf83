// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import static ringfence.client.Checks.same;
import static ringfence.client.Checks.that;

import android.Manifest;
import android.app.NotificationManager;
import android.content.ContentResolver;
import android.content.Context;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.res.Resources;
import android.database.Cursor;
import android.net.Uri;
import android.os.Build;
import android.telecom.Call;
import android.telecom.CallScreeningService;
import android.telecom.Connection;
import android.telephony.TelephonyManager;
import androidx.work.ListenableWorker;
import androidx.work.NetworkType;
import androidx.work.PeriodicWorkRequest;
import androidx.work.WorkManager;
import androidx.work.WorkRequest;
import androidx.work.WorkerParameters;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import ringfence.client.Checks;
import ringfence.client.Environment;
import ringfence.client.Report;
import ringfence.client.Transport;

/**
 * The service and the work of an app on a phone of stubs: RunScreening PACK BLOCKED IDENTIFIED ROOT, a pack of kind both, two
 * numbers of it, and the root of a publication.
 */
public final class RunScreening {
  private static File pack;
  private static byte[] root;
  private static String blocked;
  private static String identified;
  private static final NotificationManager NOTIFICATIONS = new NotificationManager();
  private static final TelephonyManager TELEPHONY = new TelephonyManager();

  /** The machine of a test may be slow. */
  private static long longest = 60_000;

  static final class Service extends RingfenceScreeningService {
    @Override
    protected long longestDecision() { return longest; }
  }

  public static void main(String[] arguments) throws IOException {
    pack = new File(arguments[0]);
    root = Files.readAllBytes(new File(arguments[3]).toPath());
    blocked = arguments[1];
    identified = arguments[2];
    Checks.run("a blocked number is rejected", folder -> {
      start(folder);
      same(rejected(call("tel:+" + blocked)), true, "international");
      same(rejected(call("tel:+999999999999")), false, "another number");
      for (String other : new String[] {"sip:" + blocked, "voicemail:", "tel:", "tel:x", "tel:112", "tel:+"}) same(rejected(call(other)), false, other);
      same(rejected(new Call.Details(Call.Details.DIRECTION_OUTGOING, Uri.parse("tel:+" + blocked), 0)), false, "outgoing");
      same(rejected(new Call.Details(0, null, 0)), false, "withheld");
      Ringfence.get().options.rejectsHidden = true;
      same(rejected(new Call.Details(0, null, 0)), true, "withheld, if the app says so");
      same(rejected(new Call.Details(Call.Details.DIRECTION_OUTGOING, null, 0)), false, "outgoing without a number");
      same(rejected(call("sip:ada@ringfence.example")), false, "an address that is no telephone number");
    });
    Checks.run("a national number has the country of the phone", folder -> {
      start(folder);
      Ringfence.get().personal().block(493023125000L);
      for (String[] place : new String[][] {{"de", "", "true"}, {"", "DE", "true"}, {"fr", "de", "false"}, {"", "", "false"}, {null, null, "false"}}) {
        TELEPHONY.network = place[0];
        TELEPHONY.sim = place[1];
        same("" + rejected(call("tel:030 23125000")), place[2], place[0] + " " + place[1]);
      }
      Context.services.remove(Context.TELEPHONY_SERVICE);
      same(rejected(call("tel:030 23125000")), false, "a tablet");
    });
    Checks.run("a contact is never touched", folder -> {
      start(folder);
      Context.granted.add(Manifest.permission.READ_CONTACTS);
      Context.resolver = contacts(true);
      same(rejected(call("tel:+" + blocked)), false, "a contact");
      Context.resolver = contacts(false);
      same(rejected(call("tel:+" + blocked)), true, "no contact");
      for (RuntimeException fault : new RuntimeException[] {new SecurityException(), new IllegalStateException()}) {
        Context.resolver = faulty(fault);
        same(rejected(call("tel:+" + blocked)), false, "contacts that cannot be read");
      }
      Context.resolver = faulty(null);
      same(rejected(call("tel:+" + blocked)), false, "contacts that do not answer");
      Context.granted.clear();
      same(rejected(call("tel:+" + blocked)), true, "without the permission Android asks about no contact");
    });
    Checks.run("the user's own list comes first", folder -> {
      start(folder);
      PersonalList personal = Ringfence.get().personal();
      personal.allow(Long.parseLong(blocked));
      same(rejected(call("tel:+" + blocked)), false, "allowed");
      personal.forget(Long.parseLong(blocked));
      same(rejected(call("tel:+" + blocked)), true, "forgotten");
      personal.name(Long.parseLong(identified), " Dr.\nNo ");
      shown("tel:+" + identified, 0, "Dr. No");
      personal.block(Long.parseLong(identified));
      same(rejected(call("tel:+" + identified)), true, "blocked");
      Files.write(new File(folder, "ringfence/personal").toPath(), new byte[] {1, 2, '\n', '5', ' ', '\n'});
      same(rejected(call("tel:+" + blocked)), true, "a damaged list");
    });
    Checks.run("the verification of the network is known from API 30 on", folder -> {
      start(folder);
      same(NOTIFICATIONS.last, null, "a notification");
      String label = shown("tel:+" + identified, Connection.VERIFICATION_STATUS_PASSED, null);
      that(!label.isEmpty() && !label.equals("not verified"), "the label is shown: " + label);
      shown("tel:+" + identified, Connection.VERIFICATION_STATUS_NOT_VERIFIED, label);
      shown("tel:+" + identified, Connection.VERIFICATION_STATUS_FAILED, "not verified");
      same(rejected(new Call.Details(0, Uri.parse("tel:+" + blocked), Connection.VERIFICATION_STATUS_PASSED)), true, "a true number that is blocked");
      Build.VERSION.SDK_INT = 29;
      shown("tel:+" + identified, Connection.VERIFICATION_STATUS_FAILED, label);
      Build.VERSION.SDK_INT = 25;
      shown("tel:+" + identified, Connection.VERIFICATION_STATUS_FAILED, label);
      Build.VERSION.SDK_INT = 34;
      Ringfence.Options options = options();
      options.rejectsFailedVerification = true;
      Ringfence.start(new Service(), options);
      same(rejected(new Call.Details(0, Uri.parse("tel:+" + identified), Connection.VERIFICATION_STATUS_FAILED)), true, "rejected");
    });
    Checks.run("the user may block a number that cannot exist", folder -> {
      start(folder);
      Ringfence.get().personal().block(337000004704017L);
      same(rejected(call("tel:+337000004704017")), true, "14 digits");
      same(rejected(call("tel:+337000004704018")), false, "another number");
    });
    Checks.run("a phone that asks twice about a call counts one", folder -> {
      start(folder).countsCalls = true;
      Call.Details call = call("tel:+" + blocked);
      call.created = 5;
      for (int i = 0; i < 6; i++) same(rejected(call), true, "each answer");
      drain();
      same(new String(Files.readAllBytes(new File(folder, "ringfence/outbox").toPath()), "UTF-8").split("\"named\":1", -1).length, 2, "counts");
    });
    Checks.run("calls of a pack are counted without numbers, if the app says so", folder -> {
      for (boolean isCounted : new boolean[] {true, false}) {
        Checks.empty(folder);
        start(folder).countsRemediations = isCounted;
        rejected(call("tel:+" + blocked));
        rejected(call("tel:+" + identified));
        rejected(new Call.Details(0, Uri.parse("tel:+" + identified), Connection.VERIFICATION_STATUS_FAILED));
        rejected(call("tel:+493023125999"));
        drain();
        for (int i = 0; i < 2; i++) Ringfence.get().allow(Long.parseLong(blocked));
        Ringfence.get().allow(493023125999L);
        rejected(call("tel:+" + blocked));
        drain();
        String text = isCounted ? new String(Files.readAllBytes(new File(folder, "ringfence/outbox").toPath()), "UTF-8") : "";
        same(text.contains("30231"), false, "a number in the counts");
        for (String outcome : new String[] {"BLOCKED", "LABELED", "MATCHED", "OVERRIDDEN"}) {
          String type = outcome.equals("BLOCKED") || outcome.equals("OVERRIDDEN") ? "block" : "identify";
          String item = outcome + " {\"number_type\":\"fixed_line\",\"pack\":\"both\",\"treatment\":\"" + type + "\"}";
          same(text.split(java.util.regex.Pattern.quote(item), -1).length, isCounted ? 2 : 1, item + " in " + text);
        }
        same(new File(folder, "ringfence/outbox").exists(), isCounted, "the file");
      }
    });
    Checks.run("the server is told the app and its version, if the app says so", folder -> {
      PackageInfo none = null;
      PackageInfo unnamed = new PackageInfo();
      PackageInfo beta = new PackageInfo();
      beta.versionName = "2.1 (beta)";
      for (PackageInfo installed : new PackageInfo[] {none, unnamed, beta}) {
        for (boolean isStated : new boolean[] {true, false}) {
          PackageManager.installed = installed;
          Ringfence.Options options = options();
          options.statesVersion = isStated;
          String[] said = {"no request"};
          options.transport = (request, receiver) -> {
            if (request.url.getPath().endsWith("/manifest.json")) said[0] = request.fields.get("Ringfence-Client");
            receiver.head(new Transport.Head(404, new java.util.HashMap<>()));
          };
          Ringfence.start(new Service(), options);
          new RingfenceWork.Update(new Service(), new WorkerParameters()).doWork();
          String version = installed == beta ? "2.1beta" : "0";
          same(said[0], isStated ? "org.example.caller/" + version + "; serial=0" : null, "the field");
        }
      }
    });
    Checks.run("nothing makes the service throw", folder -> {
      start(folder);
      Files.write(new File(folder, "ringfence/packs/both.rfpack").toPath(), new byte[200]);
      same(rejected(call("tel:+" + blocked)), false, "a damaged pack");
      same(rejected(null), false, "no details");
      Context.services.remove(Context.NOTIFICATION_SERVICE);
      install(folder);
      same(rejected(call("tel:+" + identified)), false, "no notifications");
      drain();
      java.lang.reflect.Field field = Ringfence.class.getDeclaredField("started");
      field.setAccessible(true);
      field.set(null, null);
      same(rejected(call("tel:+" + blocked)), false, "an app that was not started");
    });
    Checks.run("a disk that stalls lets the call ring", folder -> {
      start(folder);
      CountDownLatch end = new CountDownLatch(1);
      Ringfence.get().background.execute(() -> {
        try {
          end.await();
        } catch (InterruptedException exception) {
          // The test is over.
        }
      });
      longest = 50;
      Ringfence.get().options.showsRejected = true;
      Ringfence.get().options.countsRemediations = true;
      Service service = new Service();
      service.onScreenCall(call("tel:+" + blocked));
      longest = 60_000;
      same(service.responses.poll(20, TimeUnit.SECONDS).isDisallowed, false, "the call");
      end.countDown();
      drain();
      that(service.responses.isEmpty(), "a call is answered once");
      same(NOTIFICATIONS.last, null, "a call that rang is not shown as rejected");
      that(!new File(folder, "ringfence/outbox").exists(), "and not counted as blocked");
    });
    Checks.run("calls are counted only if the app says so", folder -> {
      Ringfence.Options options = start(folder);
      rejected(call("tel:+" + blocked));
      drain();
      that(!new File(folder, "ringfence/outbox").exists(), "no outbox");
      options.countsCalls = true;
      Context.granted.add(Manifest.permission.READ_CONTACTS);
      Context.resolver = contacts(true);
      rejected(call("tel:+" + blocked));
      drain();
      that(!new File(folder, "ringfence/outbox").exists(), "a contact is not counted");
      Context.granted.clear();
      rejected(call("tel:+" + blocked));
      drain();
      that(new String(Files.readAllBytes(new File(folder, "ringfence/outbox").toPath()), "UTF-8").contains("+" + blocked), "the count");
    });
    Checks.run("work has the rules of the app", folder -> {
      for (boolean isUnmetered : new boolean[] {true, false}) {
        WorkManager.INSTANCE.requests.clear();
        Ringfence.Options options = options();
        options.isUnmeteredOnly = isUnmetered;
        Context.folder = folder;
        Ringfence.start(new Service(), options).schedule();
        WorkRequest daily = WorkManager.INSTANCE.requests.get("ringfence-update");
        same(daily.constraints.network, isUnmetered ? NetworkType.UNMETERED : NetworkType.CONNECTED, "the network");
        same(((PeriodicWorkRequest) daily).periodMilliseconds, 86_400_000L, "the period");
        same(daily.delayMilliseconds, 21_600_000L, "a quarter of a day, by the clock of the test");
        that(daily.backoffMilliseconds > 0 && WorkManager.INSTANCE.requests.containsKey("ringfence-first-update"), "the first update");
        Ringfence.get().report(new Report("+493023125000", null, "fraud", "Ada", null));
        same(WorkManager.INSTANCE.requests.get("ringfence-send").constraints.network, NetworkType.CONNECTED, "reports use any network");
        install(folder);
        WorkManager.INSTANCE.requests.clear();
        Ringfence.get().schedule();
        same(WorkManager.INSTANCE.requests.keySet().toString(), "[ringfence-update]", "a phone that has packs");
        Checks.empty(folder);
      }
    });
    Checks.run("a process without WorkManager stores reports", folder -> {
      start(folder);
      WorkManager.isStarted = false;
      Ringfence.get().schedule().report(new Report("+493023125000", null, "fraud", "Ada", null));
      WorkManager.isStarted = true;
      same(Ringfence.get().client().waiting(), 1, "waiting");
    });
    Checks.run("work ends by what the server says", folder -> {
      Ringfence.Options options = start(folder);
      Object[][] cases = {
        {200, "{\"results\":[{\"status\":\"created\"}]}", "success"}, {503, "", "retry"}, {401, "", "retry"}};
      for (Object[] entry : cases) {
        options.transport = (request, receiver) -> {
          byte[] body = ((String) entry[1]).getBytes("UTF-8");
          if (receiver.head(new Transport.Head((Integer) entry[0], new java.util.HashMap<>()))) receiver.body(body, body.length);
        };
        Checks.empty(folder);
        Ringfence.start(new Service(), options).report(new Report("+493023125000", null, "fraud", "Ada", null));
        ListenableWorker.Result result = new RingfenceWork.Send(new Service(), new WorkerParameters()).doWork();
        same(result.toString(), entry[2], "status " + entry[0]);
        // No publication: tomorrow's update may have one.
        String update = new RingfenceWork.Update(new Service(), new WorkerParameters()).doWork().toString();
        same(update, "retry", "the update");
      }
    });
    Checks.end();
  }

  private static Ringfence.Options options() {
    Ringfence.Options options = new Ringfence.Options("https://ringfence.example/v1", "rf_key", root, "both");
    options.environment = new Environment() {
      @Override
      public double chance() {
        return 0.25;
      }

      @Override
      public void sleep(long milliseconds) {}
    };
    return options;
  }

  private static void install(File folder) throws IOException {
    File packs = new File(folder, "ringfence/packs");
    packs.mkdirs();
    Files.write(new File(packs, "both.rfpack").toPath(), Files.readAllBytes(pack.toPath()));
  }

  private static Ringfence.Options start(File folder) throws IOException {
    Context.folder = folder;
    Context.granted.clear();
    Context.services.put(Context.NOTIFICATION_SERVICE, NOTIFICATIONS);
    Context.services.put(Context.TELEPHONY_SERVICE, TELEPHONY);
    Resources.TEXTS.put(R.string.ringfence_not_verified, "not verified");
    NOTIFICATIONS.last = null;
    install(folder);
    Ringfence.Options options = options();
    Ringfence.start(new Service(), options);
    return options;
  }

  private static Call.Details call(String handle) {
    return new Call.Details(Call.Details.DIRECTION_INCOMING, Uri.parse(handle), 0);
  }

  private static boolean rejected(Call.Details call) throws Exception {
    Service service = new Service();
    service.onScreenCall(call);
    CallScreeningService.CallResponse response = service.responses.poll(20, TimeUnit.SECONDS);
    that(response != null, "the service answers");
    same(response.isRejected && response.skipsNotification, response.isDisallowed, "the parts of the answer");
    that(!response.skipsCallLog, "the call stays in the log");
    return response.isDisallowed;
  }

  private static String shown(String handle, int verification, String expected) throws Exception {
    same(rejected(new Call.Details(0, Uri.parse(handle), verification)), false, handle);
    drain();
    String title = "" + NOTIFICATIONS.last.title;
    if (expected != null) same(title, expected, "the notification");
    return title;
  }

  /** Waits for the work behind the answer. */
  private static void drain() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    Ringfence.get().background.execute(done::countDown);
    that(done.await(20, TimeUnit.SECONDS), "the work ends");
  }

  private static ContentResolver contacts(boolean has) {
    return new ContentResolver() {
      @Override
      public Cursor query(Uri address, String[] columns, String selection, String[] arguments, String order) {
        that(address.toString().endsWith("phone_lookup/%2B" + blocked), "the address " + address);
        return new Cursor() {
          @Override
          public boolean moveToFirst() {
            return has;
          }

          @Override
          public void close() {}
        };
      }
    };
  }

  private static ContentResolver faulty(RuntimeException fault) {
    return new ContentResolver() {
      @Override
      public Cursor query(Uri address, String[] columns, String selection, String[] arguments, String order) {
        if (fault != null) throw fault;
        return null;
      }
    };
  }
}
