// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import static ringfence.client.Checks.same;
import static ringfence.client.Checks.that;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;

/** Servers that are slow, endless, broken or no servers, and their effect on UrlTransport. */
final class RunTransport {
  private interface Server {
    void answer(Socket socket, OutputStream out) throws Exception;
  }

  public static void main(String[] arguments) throws IOException {
    String head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    complete("an answer", out -> head + "hello", 200);
    complete("an answer without a length", out -> "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello", 200);
    complete("a redirect is not followed", out -> "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 302);
    complete("a status without a body", out -> "HTTP/1.1 204 No Content\r\n\r\n", 204);
    complete("a refusal without a challenge", out -> "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", 401);
    complete("an interim response", out -> "HTTP/1.1 100 Continue\r\n\r\n" + head + "hello", 200);
    failing("an answer that ends early", (socket, out) -> out.write((head + "hel").getBytes("UTF-8")));
    failing("a longer answer than allowed", (socket, out) -> out.write("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n".getBytes("UTF-8")));
    failing("an answer that is not HTTP", (socket, out) -> out.write("SSH-2.0-OpenSSH\r\n".getBytes("UTF-8")));
    failing("a connection that closes", (socket, out) -> {});
    failing("an answer that never comes", (socket, out) -> socket.getInputStream().transferTo(OutputStream.nullOutputStream()));
    failing("a body without an end", (socket, out) -> {
      out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes("UTF-8"));
      while (true) out.write(new byte[1 << 16]);
    });
    failing("a body that drips", (socket, out) -> {
      out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes("UTF-8"));
      drip(out, 'x');
    });
    failing("a head that drips", (socket, out) -> {
      out.write("HTTP/1.1 200 OK\r\nX: ".getBytes("UTF-8"));
      drip(out, 'y');
    });
    Checks.end();
  }

  private static void drip(OutputStream out, int part) throws Exception {
    while (true) {
      out.write(part);
      out.flush();
      Thread.sleep(20);
    }
  }

  private interface Text {
    String of(OutputStream out);
  }

  private static void complete(String name, Text text, int status) throws IOException {
    Checks.run(name, folder -> same(ask((socket, out) -> out.write(text.of(out).getBytes("UTF-8"))), status, "the status"));
  }

  private static void failing(String name, Server server) throws IOException {
    Checks.run(name, folder -> {
      try {
        that(false, "the status " + ask(server));
      } catch (ClientException failure) {
        same(failure.kind, ClientException.Kind.NETWORK, "the kind");
      }
    });
  }

  /** Sends a request to a server, and returns the status. */
  private static int ask(Server server) throws IOException {
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
      Thread thread = new Thread(() -> {
        while (true) {
          try (Socket socket = listener.accept(); OutputStream out = socket.getOutputStream()) {
            int last = 0;
            for (int count = 0; count < 4; ) {
              int part = socket.getInputStream().read();
              count = part == '\r' || part == '\n' ? count + 1 : 0;
              if (part < 0) break;
              last = part;
            }
            if (last > 0) server.answer(socket, out);
          } catch (Exception exception) {
            if (listener.isClosed()) return;
          }
        }
      });
      thread.setDaemon(true);
      thread.start();
      URL address = new URL("http://127.0.0.1:" + listener.getLocalPort() + "/");
      Transport transport = new UrlTransport(400, 800);
      return Transport.Answer.of(transport, new Transport.Request("GET", address, "v1", "rf_key", null), 20).head.status;
    }
  }
}
