// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.HttpURLConnection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;

/** Sends requests with HttpURLConnection: no cookies, no cache, no redirects, and a limit for the time of a response. */
public final class UrlTransport implements Transport {
  private final int idle, whole;

  /** Creates a transport that waits 30 seconds for a piece, and 10 minutes for a response. */
  public UrlTransport() { this(30_000, 600_000); }

  /** Creates a transport with the longest pause of a response, and its longest time, in milliseconds. */
  public UrlTransport(int idle, int whole) {
    this.idle = idle;
    this.whole = whole;
  }

  @Override
  public void send(Request request, Receiver receiver) throws IOException {
    final HttpURLConnection connection = (HttpURLConnection) request.url.openConnection();
    connection.setRequestMethod(request.method);
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setConnectTimeout(idle);
    connection.setReadTimeout(idle);
    for (Map.Entry<String, String> field : request.fields.entrySet()) connection.setRequestProperty(field.getKey(), field.getValue());
    connection.setRequestProperty("Accept-Encoding", "identity");
    connection.setRequestProperty("User-Agent", "ringfence-client");
    // A server that sends a byte now and then would keep the thread for ever.
    Timer timer = new Timer("ringfence-transport", true);
    timer.schedule(new TimerTask() {
      @Override
      public void run() { connection.disconnect(); }
    }, whole);
    try {
      if (request.body != null) {
        connection.setDoOutput(true);
        connection.getOutputStream().write(request.body);
        connection.getOutputStream().close();
      }
      Head head = new Head(connection.getResponseCode(), fields(connection));
      if (head.status < 100) throw ClientException.network("This is not a response.");
      if (receiver.head(head)) copy(connection, head, receiver);
    } catch (RuntimeException exception) {
      // Some implementations throw these for a response that is not HTTP.
      throw ClientException.network("The response cannot be read.");
    } finally {
      timer.cancel();
      connection.disconnect();
    }
  }

  private static Map<String, String> fields(HttpURLConnection connection) {
    Map<String, String> fields = new HashMap<String, String>();
    for (Map.Entry<String, List<String>> field : connection.getHeaderFields().entrySet()) {
      if (field.getKey() != null && !field.getValue().isEmpty()) fields.put(field.getKey(), field.getValue().get(0));
    }
    return fields;
  }

  private static void copy(HttpURLConnection connection, Head head, Receiver receiver) throws IOException {
    long received = 0;
    try (InputStream in = head.status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
      byte[] piece = new byte[8_192];
      for (int count = in == null ? -1 : in.read(piece); count >= 0; count = in.read(piece)) {
        if (Thread.currentThread().isInterrupted()) throw new InterruptedIOException("The work was canceled.");
        received += count;
        receiver.body(piece, count);
      }
    }
    String length = head.field("Content-Length");
    // A broken connection may look like an end.
    boolean isShort = length != null && length.matches("[0-9]{1,18}") && received < Long.parseLong(length);
    if (isShort) throw ClientException.network("The answer ended early.");
  }
}
