// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.File;
import java.io.IOException;
import java.util.UUID;

/** Accepts reports and prints the id of each, until it is killed: RunWriter FOLDER FIRST COUNT. Without a count, prints all that wait. */
final class RunWriter {
  public static void main(String[] arguments) throws IOException {
    Outbox outbox = new Outbox(new File(arguments[0]), 8 << 20, new Disk(), event -> System.out.println("damaged " + event.reason));
    if (arguments.length < 3) {
      outbox.change(() -> {
        for (UUID id : outbox.reports.keySet()) System.out.println(id);
      });
      return;
    }
    int first = Integer.parseInt(arguments[1]);
    for (int i = first; i < first + Integer.parseInt(arguments[2]); i++) {
      Report report = Phone.report(i);
      outbox.change(() -> outbox.accept(report));
      System.out.println(report.id);
    }
  }
}
