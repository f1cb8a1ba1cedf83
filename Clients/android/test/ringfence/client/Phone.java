// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.File;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import ringfence.reader.Json;

/** A client with a clock and a scripted server. */
final class Phone extends Environment {
  /** A response of the script. */
  interface Script {
    Response to(Transport.Request request) throws IOException;
  }

  /** Status, fields and body of a response. */
  static final class Response {
    final int status;
    final Map<String, String> fields = new HashMap<>();
    byte[] body;

    Response(int status, String body, String... fields) {
      this(status, body.getBytes(Json.UTF8), fields);
    }

    Response(int status, byte[] body, String... fields) {
      this.status = status;
      this.body = body;
      for (int i = 0; i < fields.length; i += 2) this.fields.put(fields[i], fields[i + 1]);
    }
  }

  static final String[] PROBLEM = {"Content-Type", "application/problem+json"};
  static final long START = 1_795_000_000_000L;

  final List<Transport.Request> requests = new ArrayList<>();
  final List<String> events = new ArrayList<>();
  final Deque<Script> script = new ArrayDeque<>();
  final ClientConfiguration configuration;
  long time = START;
  Disk disk = new Disk();
  /** Answers requests behind the script. */
  Script otherwise = request -> new Response(500, "");

  Phone(File folder) {
    configuration = new ClientConfiguration("https://ringfence.example/v1", "rf_key", folder);
  }

  @Override
  public long now() {
    return time;
  }

  @Override
  public void sleep(long milliseconds) {
    time += milliseconds;
  }

  @Override
  public double chance() {
    return 0.5;
  }

  RingfenceClient client() throws IOException {
    return new RingfenceClient(configuration, this::send, this, disk, event -> events.add(event.kind + " " + event.reason));
  }

  void send(Transport.Request request, Transport.Receiver receiver) throws IOException {
    requests.add(request);
    Script next = script.isEmpty() ? otherwise : script.remove();
    Response response = next.to(request);
    if (!receiver.head(new Transport.Head(response.status, response.fields))) return;
    for (int at = 0; at < response.body.length; at += 1_000) {
      int count = Math.min(1_000, response.body.length - at);
      byte[] piece = new byte[count];
      System.arraycopy(response.body, at, piece, 0, count);
      receiver.body(piece, count);
    }
  }

  /** Answers each report of a batch with a status. */
  static Response results(Transport.Request request, String... statuses) throws IOException {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < reports(request).size(); i++) items.add("{\"status\":\"" + statuses[Math.min(i, statuses.length - 1)] + "\"}");
    return new Response(200, "{\"results\":" + items + "}");
  }

  /** Returns the reports of a request. */
  static List<?> reports(Transport.Request request) throws IOException {
    return (List<?>) Json.object(("{\"all\":" + new String(request.body, Json.UTF8) + "}").getBytes(Json.UTF8)).get("all");
  }

  static Report report(int number) throws IOException {
    return new Report("+" + (493023125000L + number % 1_000), null, "fraud", "Ada", null, START, new UUID(7, number), null);
  }
}
