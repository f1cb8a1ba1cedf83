// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import ringfence.client.Transport.Answer;
import ringfence.client.Transport.Request;
import ringfence.reader.Json;

/**
 * An app's client of a Ringfence server: reports with an outbox that survives crashes, counts of calls, and packs.
 *
 * <p>When {@link #report}, {@link #withdraw} or a count returns, the data is on the disk and will reach the server, even if
 * the app is killed. It counts once, however often it is sent. Methods wait for the disk or the network: call them from a background
 * thread. Several threads and processes of an app may use one folder.
 */
public final class RingfenceClient {
  /** Adds what a phone proves about an installation to requests with a body. */
  public interface Installation {
    /** Returns header fields for the next request; none where something fails. */
    Map<String, String> fields();

    /** Receives the response. */
    void answered(Transport.Head head);
  }

  /** The outcome of one attempt to send. */
  public static final class FlushResult {
    /** The number of reports that the server has stored. */ public int delivered;
    /** The number of reports and batches that the server will never accept. */ public int dropped;
    /** The number of reports, withdrawals and batches that still wait. */ public int waiting;
    /** The time of the next attempt in milliseconds since 1970; 0 when nothing waits. */ public long nextAttempt;
  }

  private static final int LARGEST_BATCH = 100;
  /** The field with a token of the installation, and the form of a token. */
  private static final String TOKEN = "Ringfence-Installation", TOKEN_FORM = "[!-~]{1,1000}";
  private static final Map<String, String> NO_FIELDS = Collections.emptyMap();

  private final ClientConfiguration configuration;
  private final Transport transport;
  private final Environment environment;
  private final Consumer<ClientEvent> listener;
  private final Disk disk;
  private final Outbox outbox;
  private final Pause pause;
  /** The token without attestation. */ private final File plain;
  private int batchSize = LARGEST_BATCH;
  private volatile Installation installation;

  /** Creates a client with a transport of the JVM and of Android. */
  public RingfenceClient(ClientConfiguration configuration) throws IOException {
    this(configuration, new UrlTransport(), new Environment(), new Disk(), event -> {});
  }

  /** Creates a client. The listener receives events on any thread, and must return at once. */
  public RingfenceClient(ClientConfiguration configuration, Transport transport, Environment environment, Disk disk,
      Consumer<ClientEvent> listener) throws IOException {
    this.configuration = configuration;
    this.transport = transport;
    this.environment = environment;
    this.listener = listener;
    this.disk = disk;
    Disk.makeFolder(configuration.folder);
    outbox = new Outbox(configuration.folder, configuration.outboxLimit, disk, listener);
    plain = new File(configuration.folder, "token");
    pause = new Pause(new File(configuration.folder, "pause"), disk, environment);
  }

  /** Sends reports with what the phone proves from now on. */
  public void attest(Installation installation) { this.installation = installation; }
  /** Accepts a report. The same report again has no effect. */
  public void report(Report report) throws IOException { outbox.change(() -> outbox.accept(report)); }
  /** Withdraws a report, whether it was sent already or not. */
  public void withdraw(UUID id) throws IOException { outbox.change(() -> outbox.withdraw(id)); }

  /** Counts a call, named or blocked by the phone or not. A day's counts are sent after its end (UTC): with numbers, so ask the user. */
  public void countCall(String number, String region, boolean isNamed) throws IOException {
    Report.checkNumber(number, region);
    outbox.change(() -> outbox.accept(number, region, isNamed, Codec.day(environment.now())));
  }

  /**
   * Counts a call whose number a pack has, or an override, without the number. A day's counts are sent after its end (UTC), with a token of
   * the installation that names nobody. After 10 calls and 10 overrides of a day, more are ignored: no phone changes a sum much.
   */
  public void countRemediation(Remediation call, Remediation.Outcome outcome) throws IOException {
    outbox.change(() -> outbox.accept(call, outcome, Codec.day(environment.now())));
  }

  /** Returns the number of reports, withdrawals and batches that wait. */
  public int waiting() throws IOException {
    FlushResult result = new FlushResult();
    outbox.change(() -> result.waiting = outbox.waiting());
    return result.waiting;
  }

  /** Updates the packs of the configuration, see {@link PackUpdater}. */
  public PackUpdater.Result updatePacks() throws IOException {
    return new PackUpdater(configuration, transport, environment, disk).update();
  }

  /** Returns the packs on this phone, for look-ups without the network. */
  public PackFolder packs() { return PackUpdater.folder(configuration); }

  /** Sends a request to the API, such as one of the protocol of attestation, and returns a response of at most 64 KB. */
  public Answer post(String path, byte[] body) throws IOException {
    return Answer.of(transport, new Request("POST", configuration.server, path, configuration.key, body), 65_536);
  }

  // Sending.

  /**
   * Sends everything that waits, up to the first failure. While another thread or process sends, it sends nothing.
   * @param isUrgent whether to try also in the client's own pause after a failure. A pause of the server's {@code Retry-After} stays
   */
  public FlushResult flush(boolean isUrgent) throws IOException {
    FlushResult result = new FlushResult();
    try (Closeable sending = Disk.lock(new File(configuration.folder, "sending"), false)) {
      if (sending != null && pause.isOver(isUrgent)) {
        if (sendReports(result) && sendWithdrawals() && sendCounts(result)) sendRemediations(result);
      }
    } finally {
      outbox.change(() -> summarize(result));
    }
    return result;
  }

  private void summarize(FlushResult result) {
    result.waiting = outbox.waiting();
    long next = Long.MAX_VALUE;
    for (Outbox.Waiting report : outbox.reports.values()) next = Math.min(next, report.notBefore);
    boolean isDue = !outbox.batches.isEmpty();
    // A withdrawal follows its report, which may wait for another day.
    for (UUID id : outbox.withdrawals) isDue |= !outbox.reports.containsKey(id);
    if (isDue || next < Long.MAX_VALUE) result.nextAttempt = Math.max(environment.now(), Math.max(isDue ? 0 : next, pause.until()));
  }

  /** Sends a request. Returns null where it may succeed later; content is dropped only on a response of the server itself. */
  private Answer send(String method, String path, byte[] body) throws IOException {
    Answer answer = exchange(method, path, body, body == null ? NO_FIELDS : installationFields());
    if (answer != null && answer.head.keyRefusal(true) != null) {
      listener.accept(new ClientEvent(ClientEvent.Kind.KEY_REFUSED, null, "" + answer.head.keyRefusal(true)));
    } else if (answer != null && (answer.head.isSuccess() || isRefusal(answer.head, method))) {
      pause.end();
      return answer;
    } else if (answer != null && answer.head.status == 413) {
      batchSize = Math.max(1, batchSize / 2);
    }
    pause.begin(answer == null ? 0 : answer.head.retryAfter(environment.now()));
    return null;
  }

  /** Sends a request, and returns null where there was no complete response. */
  private Answer exchange(String method, String path, byte[] body, Map<String, String> fields) throws IOException {
    Request request = new Request(method, configuration.server, path, configuration.key, body);
    request.fields.putAll(fields);
    try {
      Answer answer = Answer.of(transport, request, 1 << 20);
      if (body != null && installation != null) installation.answered(answer.head);
      return answer;
    } catch (ClientException exception) {
      return null;
    }
  }

  private Map<String, String> installationFields() { return installation == null ? NO_FIELDS : installation.fields(); }

  private static boolean isRefusal(Transport.Head head, String method) {
    boolean isFinal = Arrays.asList(400, 409, 410, 413, 422).contains(head.status) || head.status == 404 && method.equals("DELETE");
    return isFinal && head.isProblem();
  }

  private static String reason(Transport.Head head) {
    return head.status == 409 ? "conflict" : head.status == 410 ? "withdrawn" : "status " + head.status;
  }

  private boolean sendReports(FlushResult result) throws IOException {
    while (true) {
      List<Outbox.Waiting> batch = new ArrayList<Outbox.Waiting>();
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      outbox.change(() -> {
        for (Outbox.Waiting report : outbox.reports.values()) {
          if (batch.size() == batchSize || report.notBefore > environment.now()) continue;
          body.write(batch.isEmpty() ? '[' : ',');
          body.write(report.json);
          batch.add(report);
        }
        body.write(']');
        outbox.markSent(batch);
      });
      if (batch.isEmpty()) return true;
      Answer answer = send("POST", "reports", body.toByteArray());
      if (answer == null) return false;
      if (answer.head.isSuccess()) {
        if (!settle(batch, answer.body(), result)) return false;
        batchSize = Math.min(LARGEST_BATCH, batchSize * 2);
      } else if (batch.size() > 1) {
        // Halves the batch until the report at fault is alone.
        batchSize = batch.size() / 2;
      } else {
        drop(batch.get(0).id, reason(answer.head), result);
        batchSize = LARGEST_BATCH;
      }
    }
  }

  /** Applies the server's results for each report; false where the response is not complete. */
  private boolean settle(List<Outbox.Waiting> batch, byte[] body, FlushResult result) throws IOException {
    List<?> items = null;
    try {
      Object found = Json.object(body).get("results");
      if (found instanceof List) items = (List<?>) found;
    } catch (IOException exception) {
      // Not an answer of the server.
    }
    boolean isComplete = items != null && items.size() == batch.size();
    for (int i = 0; isComplete && i < batch.size(); i++) isComplete = items.get(i) instanceof Map;
    boolean hasFailed = !isComplete;
    List<UUID> taken = new ArrayList<UUID>();
    for (int i = 0; isComplete && i < batch.size(); i++) {
      Map<?, ?> item = (Map<?, ?>) items.get(i);
      Outbox.Waiting report = batch.get(i);
      Object status = item.get("status");
      if ("created".equals(status) || "duplicate".equals(status)) {
        taken.add(report.id);
      } else if ("limited".equals(status)) {
        // The server's limit of a reporter is reset at the end of the day.
        long now = environment.now();
        report.notBefore = now - now % Codec.DAY + Codec.DAY + (long) (600_000 * environment.chance());
      } else if ("conflict".equals(status) || "withdrawn".equals(status)) {
        drop(report.id, (String) status, result);
      } else if ("invalid".equals(status)) {
        drop(report.id, rules(item.get("errors")), result);
      } else {
        hasFailed = true;
      }
    }
    outbox.change(() -> outbox.settle(Outbox.SETTLED, taken.toArray(new UUID[0])));
    result.delivered += taken.size();
    for (UUID id : taken) listener.accept(new ClientEvent(ClientEvent.Kind.DELIVERED, id, null));
    if (hasFailed) pause.begin(0);
    return !hasFailed;
  }

  /** Returns the names of fields and rules, without values. */
  private static String rules(Object errors) {
    StringBuilder text = new StringBuilder();
    for (Object error : errors instanceof List ? (List<?>) errors : new ArrayList<Object>()) {
      if (!(error instanceof Map)) continue;
      String pointer = "" + ((Map<?, ?>) error).get("pointer");
      text.append(text.length() > 0 ? ", " : "").append(pointer.replaceAll("^/+", "")).append(": ").append(((Map<?, ?>) error).get("code"));
    }
    return text.toString();
  }

  private void drop(UUID id, String reason, FlushResult result) throws IOException {
    outbox.change(() -> {
      // Under this id the server has another report, or none.
      if (!reason.equals("withdrawn") && outbox.withdrawals.contains(id)) outbox.settle(Outbox.WITHDRAWAL_SETTLED, id);
      outbox.settle(Outbox.SETTLED, id);
    });
    result.dropped++;
    listener.accept(new ClientEvent(ClientEvent.Kind.DROPPED, id, reason));
  }

  private boolean sendWithdrawals() throws IOException {
    List<UUID> ids = new ArrayList<UUID>();
    outbox.change(() -> {
      for (UUID id : outbox.withdrawals) if (!outbox.reports.containsKey(id)) ids.add(id);
    });
    for (UUID id : ids) {
      if (send("DELETE", "reports/" + id, null) == null) return false;
      outbox.change(() -> outbox.settle(Outbox.WITHDRAWAL_SETTLED, id));
      listener.accept(new ClientEvent(ClientEvent.Kind.WITHDRAWN, id, null));
    }
    return true;
  }

  private boolean sendCounts(FlushResult result) throws IOException {
    List<UUID> ids = new ArrayList<UUID>();
    outbox.change(() -> {
      outbox.seal(Codec.day(environment.now()));
      ids.addAll(outbox.batches.keySet());
    });
    for (UUID id : ids) {
      byte[][] body = new byte[1][];
      outbox.change(() -> body[0] = outbox.batches.get(id));
      Answer answer = body[0] == null ? null : send("POST", "identifications", body[0]);
      if (answer == null) return false;
      outbox.change(() -> outbox.settle(Outbox.BATCH_SETTLED, id));
      boolean isCounted = answer.head.isSuccess();
      if (!isCounted) result.dropped++;
      ClientEvent.Kind kind = isCounted ? ClientEvent.Kind.COUNTED : ClientEvent.Kind.BATCH_DROPPED;
      listener.accept(new ClientEvent(kind, id, isCounted ? null : reason(answer.head)));
    }
    return true;
  }

  /**
   * Sends the counts of days that have ended. The server counts the first of a day and installation. After a failure they wait for the next
   * pass and delay no report: a server may have no such counts.
   */
  private void sendRemediations(FlushResult result) throws IOException {
    String today = Codec.day(environment.now());
    String oldest = Codec.day(environment.now() - Remediation.MAXIMUM_AGE_IN_DAYS * Codec.DAY);
    Map<String, byte[]> bodies = new TreeMap<String, byte[]>();
    outbox.change(() -> {
      for (String item : outbox.remediations) {
        String day = item.substring(0, 10);
        if (day.compareTo(today) < 0) bodies.put(day, Remediation.body(outbox.remediations, day));
      }
    });
    for (Map.Entry<String, byte[]> day : bodies.entrySet()) {
      if (day.getKey().compareTo(oldest) >= 0 && !sendRemediations(day.getValue(), result)) return;
      outbox.change(() -> outbox.settle(Outbox.REMEDIATIONS_SETTLED, day.getKey().getBytes(Json.UTF8)));
    }
  }

  /** Sends the counts of a day; false where they wait. */
  private boolean sendRemediations(byte[] body, FlushResult result) throws IOException {
    Map<String, String> proof = installationFields();
    String token = proof.isEmpty() ? plainToken() : null;
    if (proof.isEmpty() && token == null) return false;
    Answer answer = exchange("POST", "remediations", body, token == null ? proof : Collections.singletonMap(TOKEN, token));
    if (answer == null) return false;
    String word = answer.head.field("Ringfence-Attestation");
    boolean isTokenRefused = word != null && !word.equals("ok");
    if (isTokenRefused) disk.delete(plain);
    if (answer.head.isSuccess()) return true;
    long asked = answer.head.retryAfter(environment.now());
    if (isTokenRefused || !isRefusal(answer.head, "POST")) {
      if (asked > 0) pause.begin(asked);
      return false;
    }
    result.dropped++;
    return true;
  }

  /** Returns a token without attestation, which this installation keeps; null where the server gives none. */
  private String plainToken() throws IOException {
    byte[] kept = Disk.read(plain, 1_024);
    if (kept != null && new String(kept, Json.UTF8).matches(TOKEN_FORM)) return new String(kept, Json.UTF8);
    Answer answer = exchange("POST", "installations", null, NO_FIELDS);
    if (answer == null || !answer.head.isSuccess()) return null;
    try {
      String token = Json.text(Json.object(answer.body()), "token");
      if (!token.matches(TOKEN_FORM)) return null;
      disk.replace(plain, token.getBytes(Json.UTF8));
      return token;
    } catch (IOException exception) {
      // Not an answer of the server, or a full disk: without the file the installation would count twice.
      return null;
    }
  }
}
