// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.util.UUID;
import ringfence.reader.PackEntry;

/** A client and a real server: RunServer SERVER KEY FOLDER PACK COMMAND…. Commands are update, number:…, report:…, withdraw:…, flush, count:…, match:…. */
final class RunServer {
  public static void main(String[] arguments) throws IOException {
    ClientConfiguration configuration = new ClientConfiguration(arguments[0], arguments[1], new File(arguments[2])).packs(arguments[3]);
    Transport transport = new UrlTransport();
    URL server = new URL(arguments[0] + "/");
    configuration.trustRoot(Transport.Answer.of(transport, new Transport.Request("GET", server, "root.json", null, null), 1 << 20).body());
    long[] shift = new long[1];
    Environment clock = new Environment() {
      @Override
      public long now() {
        return System.currentTimeMillis() + shift[0];
      }
    };
    RingfenceClient client =
        new RingfenceClient(configuration, transport, clock, new Disk(), event -> System.out.println(event.kind + " " + event.reason));
    for (int i = 4; i < arguments.length; i++) {
      String[] words = arguments[i].split(":", 3);
      if (words[0].equals("update")) {
        System.out.println("update " + client.updatePacks().changed);
      } else if (words[0].equals("number")) {
        PackEntry entry = client.packs().lookup(Long.parseLong(words[1]));
        System.out.println(words[1] + " " + (entry == null ? "none" : entry.blocks() ? "blocked" : entry.label()));
      } else if (words[0].equals("report")) {
        client.report(new Report(words[1], "DE", "fraud", "Ada", null, System.currentTimeMillis(), new UUID(3, Long.parseLong(words[2])), null));
      } else if (words[0].equals("withdraw")) {
        client.withdraw(new UUID(3, Long.parseLong(words[1])));
      } else if (words[0].equals("count")) {
        client.countCall(words[1], "DE", true);
      } else if (words[0].equals("match")) {
        client.countRemediation(new Remediation(words[1], true, null, null, null, null, "mobile"), Remediation.Outcome.BLOCKED);
      } else if (words[0].equals("tomorrow")) {
        shift[0] += Codec.DAY;
      } else {
        System.out.println("waiting " + client.flush(true).waiting);
      }
    }
  }
}
