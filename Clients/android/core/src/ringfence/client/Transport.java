// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.TreeMap;

/** Sends requests. An app may provide its own transport. */
public interface Transport {
  /**
   * Sends a request, and passes the response on piece by piece. A redirect is not followed: it is the response.
   * @throws IOException what the receiver throws, or any other where there was no complete response
   */
  void send(Request request, Receiver receiver) throws IOException;

  /** Receives a response. */
  interface Receiver {
    /** Receives status and fields, and says whether the body is needed. */
    boolean head(Head head) throws IOException;

    /** Receives the next bytes of the body. */
    void body(byte[] piece, int count) throws IOException;
  }

  /** A request. */
  final class Request {
    /** The method, such as POST. */ public final String method;
    /** The address. */ public final URL url;
    /** The header fields by name. */
    public final Map<String, String> fields = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    /** The body, or null. */ public final byte[] body;

    Request(String method, URL base, String path, String key, byte[] body) throws IOException {
      this.method = method;
      this.url = new URL(base, path);
      this.body = body;
      if (key != null) fields.put("Authorization", "Bearer " + key);
      if (body != null) fields.put("Content-Type", "application/json");
    }
  }

  /** Status and fields of a response. */
  final class Head {
    /** The status, such as 200. */ public final int status;
    private final Map<String, String> fields = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);

    /** Creates a head; the names of fields may have either case. */
    public Head(int status, Map<String, String> fields) {
      this.status = status;
      this.fields.putAll(fields);
    }

    /** Returns the value of a field, or null. */
    public String field(String name) { return fields.get(name); }
    /** Says whether the status is 2xx. */
    public boolean isSuccess() { return status >= 200 && status < 300; }

    /** Says whether the response comes from the server itself: a proxy may return the same statuses. */
    public boolean isProblem() {
      String type = field("Content-Type");
      return type != null && type.startsWith("application/problem+json");
    }

    /** Returns how the server refused the key, or null. A 403 of an object store is about a missing file. */
    ClientException.Kind keyRefusal(boolean hasKey) {
      if (status != 401 && !(status == 403 && isProblem())) return null;
      if (!hasKey) return ClientException.Kind.KEY_NOT_SENT;
      return status == 401 ? ClientException.Kind.KEY_UNKNOWN : ClientException.Kind.KEY_SCOPE;
    }

    /** Refuses a body that is compressed, because its length does not limit what it becomes, or that is too long. */
    void checkBody(long limit) throws ClientException {
      String encoding = field("Content-Encoding");
      if (encoding != null && !encoding.equalsIgnoreCase("identity")) throw ClientException.network("The answer is compressed.");
      String length = field("Content-Length");
      boolean isLong = length != null && !(length.matches("[0-9]{1,18}") && Long.parseLong(length) <= limit);
      if (isLong) throw ClientException.network("The answer is too long.");
    }

    /** Returns the milliseconds that the server asks to wait; 0 when it does not. */
    long retryAfter(long now) {
      String text = field("Retry-After");
      if (text == null) return 0;
      if (text.matches("[0-9]{1,12}")) return 1_000 * Long.parseLong(text);
      try {
        return Math.max(0, ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().toEpochMilli() - now);
      } catch (DateTimeParseException exception) {
        return 0;
      }
    }
  }

  /** A short response in memory. */
  final class Answer implements Receiver {
    private final int limit;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    /** Status and fields. */ public Head head;

    private Answer(int limit) { this.limit = limit; }

    /** Sends a request; the body is empty unless the status is 2xx. */
    static Answer of(Transport transport, Request request, int limit) throws IOException {
      Answer answer = new Answer(limit);
      try {
        transport.send(request, answer);
      } catch (ClientException exception) {
        throw exception;
      } catch (IOException exception) {
        // The text of the exception may contain an address, and an address a number.
        if (exception instanceof java.io.InterruptedIOException && Thread.currentThread().isInterrupted()) throw exception;
        throw ClientException.network("The connection failed.");
      }
      if (answer.head == null) throw ClientException.network("There was no answer.");
      return answer;
    }

    /** Returns the body. */
    public byte[] body() { return bytes.toByteArray(); }

    @Override
    public boolean head(Head head) throws IOException {
      this.head = head;
      if (head.isSuccess()) head.checkBody(limit);
      return head.isSuccess();
    }

    @Override
    public void body(byte[] piece, int count) throws IOException {
      if (count > limit - bytes.size()) throw ClientException.network("The answer is too long.");
      bytes.write(piece, 0, count);
    }
  }
}
