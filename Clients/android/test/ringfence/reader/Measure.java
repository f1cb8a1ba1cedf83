// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/**
 * The measurements of pack-benchmark with this reader: Measure lookup PACK | verify PACK | apply BASE DELTA OUT. Prints one line of JSON;
 * times are seconds of the processor.
 */
final class Measure {
  private interface Work { void run() throws IOException; }

  public static void main(String[] arguments) throws IOException {
    File file = new File(arguments[1]);
    if (arguments[0].equals("lookup")) {
      lookup(file);
    } else if (arguments[0].equals("verify")) {
      repeatedly(9, () -> verify(file));
    } else {
      File out = new File(arguments[3]);
      repeatedly(3, () -> {
        try (PackReader base = PackReader.open(file); OutputStream result = new BufferedOutputStream(new FileOutputStream(out))) {
          PackDelta.open(new File(arguments[2])).apply(base, result);
        }
        verify(out);
      });
    }
  }

  private static void verify(File file) throws IOException {
    try (PackReader pack = PackReader.open(file)) {
      pack.contentDigest();
    }
  }

  /** Looks up numbers of the pack in random order, and as many that are mostly not in it. */
  private static void lookup(File file) throws IOException {
    PackReader reader = PackReader.open(PackSource.map(file), Long.MAX_VALUE);
    List<Long> numbers = new ArrayList<>();
    PackCursor cursor = reader.cursor();
    for (int rank = 0; cursor.next(); rank++) if (rank % 97 == 0) numbers.add(cursor.number());
    java.util.Random random = new java.util.Random(42);
    int turns = 4_000;
    int found = 0;
    double start = now();
    for (int turn = 0; turn < turns; turn++) {
      long number = numbers.get(random.nextInt(numbers.size()));
      if (cursor.lookup(turn % 2 == 0 ? number : number + 1) != null) found++;
    }
    print("\"per_second\": " + turns / (now() - start) + ", \"found\": " + found);
  }

  private static void repeatedly(int turns, Work work) throws IOException {
    double first = 0;
    double best = Double.MAX_VALUE;
    for (int turn = 0; turn < turns; turn++) {
      double start = now();
      work.run();
      best = Math.min(best, now() - start);
      if (turn == 0) first = now() - start;
    }
    print("\"first\": " + first + ", \"best\": " + best);
  }

  private static double now() { return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9; }

  /** Prints also the peak of the heap, and of the process. */
  private static void print(String fields) throws IOException {
    long heap = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) if (pool.getType() == MemoryType.HEAP) heap += pool.getPeakUsage().getUsed();
    String status = new String(Files.readAllBytes(new File("/proc/self/status").toPath()), Json.UTF8);
    String peak = status.replaceAll("(?s).*VmHWM:\\s*([0-9]+) kB.*", "$1");
    System.out.println("{" + fields + ", \"heap_kb\": " + heap / 1_024 + ", \"peak_kb\": " + peak + "}");
  }
}
