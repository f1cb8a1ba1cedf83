// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import com.sun.management.ThreadMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/**
 * Walks over a pack twice and looks its last number up: WalkPack FILE. Prints the entries, the bytes that the second walk
 * and the lookup allocated, and the bytes that the header promises.
 */
final class WalkPack {
  public static void main(String[] arguments) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    File file = new File(arguments[0]);
    long entries = walk(file);
    long before = threads.getThreadAllocatedBytes(thread);
    entries = walk(file);
    long walked = threads.getThreadAllocatedBytes(thread) - before;
    try (PackReader pack = PackReader.open(file)) {
      pack.lookup(1);
      before = threads.getThreadAllocatedBytes(thread);
      if (pack.lookup(pack.header().lastNumber()) == null) throw new IllegalStateException("The last number is not found.");
      long found = threads.getThreadAllocatedBytes(thread) - before;
      long[] ranges = {0, 0};
      pack.forEachRange((first, last, blocks, label) -> {
        ranges[0]++;
        ranges[1] += last - first + 1;
      });
      if (ranges[1] != entries || ranges[0] > entries) throw new IllegalStateException("Ranges have other numbers.");
      if (arguments.length > 1) System.out.println(ranges[0] + " ranges");
      System.out.println(entries + " " + walked + " " + found + " " + pack.header().readerBytes());
    }
  }

  private static long walk(File file) throws IOException {
    long entries = 0;
    try (PackReader pack = PackReader.open(file)) {
      for (PackCursor cursor = pack.cursor(); cursor.next(); ) entries++;
    }
    return entries;
  }
}
