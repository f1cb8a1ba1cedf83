// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import android.content.Context;
import android.content.pm.PackageManager;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import ringfence.client.ClientConfiguration;
import ringfence.client.Disk;
import ringfence.client.Environment;
import ringfence.client.PackUpdater;
import ringfence.client.Remediation;
import ringfence.client.Report;
import ringfence.client.RingfenceClient;
import ringfence.client.Transport;
import ringfence.client.UrlTransport;

/**
 * The client of an app. Call {@link #start} in {@code Application.onCreate}, which runs in each process before its services and workers;
 * it reads files in the background only. The folder is {@code ringfence} in {@code getNoBackupFilesDir}: a copy on another phone would
 * send reports twice.
 */
public final class Ringfence {
  /** The settings of an app. */
  public static final class Options {
    final String server, key;
    final byte[] root;
    final String[] packs;
    /** Whether packs are fetched only on networks without a price, such as Wi-Fi. */ public boolean isUnmeteredOnly;
    /** Whether calls are rejected whose number the network knows to be false. */ public boolean rejectsFailedVerification;
    /** Whether calls without a number are rejected. */ public boolean rejectsHidden;
    /** Whether a notification says that a call was rejected. */ public boolean showsRejected;
    /** Whether calls are counted, which tells the server their numbers: only after the user agreed. */ public boolean countsCalls;
    /** Whether calls that a pack has are counted by day and class, without numbers and times. */ public boolean countsRemediations;
    /** Whether the server is told the app's package and version with each request for the manifest, and the serial of the packs. */
    public boolean statesVersion = true;
    /** Whether the phone proves that a genuine app reports; the key needs the scope install. */ public boolean attests;
    /** The address of the packs, if it is not the server's. */ public String publications;
    /** Sends the requests. */ public Transport transport = new UrlTransport();
    /** The clock and random numbers. */ public Environment environment = new Environment();

    /**
     * Creates options: the address of the API, which ends in /v1, the app's key with the scopes report and fetch, the bytes of the
     * server's root.json, and the names of packs. Of two that have a number, the first one counts.
     */
    public Options(String server, String key, byte[] root, String... packs) {
      this.server = server;
      this.key = key;
      this.root = root;
      this.packs = packs;
    }
  }

  private static volatile Ringfence started;

  /** The settings of the app. */ public final Options options;
  final Context context;
  /** Runs short work on files, in the order in which it comes. */ final ExecutorService background;
  private final ClientConfiguration configuration;
  private final Disk disk = new Disk();
  private final File folder;
  private RingfenceClient client;
  private CallScreener screener;

  private Ringfence(Context context, Options options) {
    this.context = context;
    this.options = options;
    folder = new File(context.getNoBackupFilesDir(), "ringfence");
    configuration = new ClientConfiguration(options.server, options.key, folder).trustRoot(options.root).packs(options.packs);
    if (options.publications != null) configuration.publications(options.publications);
    // The thread ends when there is nothing to do.
    ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<Runnable>());
    pool.allowCoreThreadTimeOut(true);
    background = pool;
  }

  /** Sets the client of this process. */
  public static Ringfence start(Context context, Options options) {
    Ringfence ringfence = new Ringfence(context.getApplicationContext(), options);
    started = ringfence;
    // The first decision loads classes, plans and packs. So it is made before the first call, which would wait for it.
    ringfence.background.execute(() -> ringfence.screener().decide("+12015550123", null, false, text -> true));
    return ringfence;
  }

  /** Returns the client of this process. */
  public static Ringfence get() {
    Ringfence ringfence = started;
    if (ringfence == null) throw new IllegalStateException("Call Ringfence.start in the onCreate of your Application.");
    return ringfence;
  }

  /** Updates packs once a day, and now where there are none. Call it as often as you like. */
  public Ringfence schedule() {
    String[] held = new File(folder, "packs").list();
    RingfenceWork.schedule(context, options, held != null && held.length > 0);
    return this;
  }

  /** Returns the client, for a background thread. */
  public synchronized RingfenceClient client() throws IOException {
    if (client == null) {
      configuration.product(options.statesVersion ? context.getPackageName() : null, version());
      RingfenceClient made = new RingfenceClient(configuration, options.transport, options.environment, disk, event -> {});
      if (options.attests) made.attest(new KeystoreAttestation(made, new File(folder, "installation"), disk, options.environment));
      client = made;
    }
    return client;
  }

  /** Returns the user's own list. */
  public PersonalList personal() { return new PersonalList(new File(folder, "personal"), disk); }

  /** Returns what decides about calls. */
  public synchronized CallScreener screener() {
    if (screener == null) screener = new CallScreener(PackUpdater.folder(configuration), personal(), options);
    return screener;
  }

  private String version() {
    try {
      String name = context.getPackageManager().getPackageInfo(context.getPackageName(), 0).versionName;
      return name == null ? "0" : name;
    } catch (PackageManager.NameNotFoundException | RuntimeException exception) {
      return "0";
    }
  }

  /** Lets a number ring from now on, even if a pack has it, which counts as an override; for a background thread. */
  public void allow(long number) throws IOException {
    Remediation ended = screener().decide("+" + number, null, false, text -> false).match;
    personal().allow(number);
    count(ended, Remediation.Outcome.OVERRIDDEN);
  }

  /** Counts a call or an override by its class, or null, if the app's options say so. */
  void count(Remediation call, Remediation.Outcome outcome) throws IOException {
    if (call != null && options.countsRemediations) client().countRemediation(call, outcome);
  }

  /** Accepts a report, and sends it as soon as there is a network; for a background thread. */
  public void report(Report report) throws IOException {
    client().report(report);
    RingfenceWork.send(context);
  }
}
