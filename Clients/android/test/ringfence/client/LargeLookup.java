// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import ringfence.reader.PackCursor;
import ringfence.reader.PackReader;

/**
 * Looks numbers up in a large pack as an app does, and compares the answers with a walk: LargeLookup FOLDER PACK. Prints the entries, the
 * mistakes, and the time of a look-up in microseconds.
 */
final class LargeLookup {
  public static void main(String[] arguments) throws IOException {
    File folder = new File(arguments[0]);
    PackFolder packs = new PackFolder(folder, Arrays.asList(arguments[1]));
    long[] known = new long[10_000];
    int entries = 0;
    try (PackReader reader = PackReader.open(new File(folder, arguments[1] + ".rfpack"))) {
      reader.verify();
      PackCursor cursor = reader.cursor();
      for (; cursor.next(); entries++) if (entries % 200 == 7 && entries / 200 < known.length) known[entries / 200] = cursor.number();
    }
    int mistakes = 0;
    for (long number : known) if (number > 0 && packs.lookup(number) == null) mistakes++;
    Random random = new Random(5);
    long start = System.nanoTime();
    int found = 0;
    for (int i = 0; i < known.length; i++) if (packs.lookup(known[0] + (long) (random.nextDouble() * 900_000_000)) != null) found++;
    long time = (System.nanoTime() - start) / known.length / 1_000;
    // One number of 450 is in the pack.
    if (found < 5 || found > 60) mistakes++;
    System.out.println(entries + " entries, " + mistakes + " mistakes, " + time + " µs");
  }
}
