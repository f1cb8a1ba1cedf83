// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import static ringfence.client.Checks.same;
import static ringfence.client.Checks.that;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import ringfence.reader.Json;

/** The faults of the outbox: power cuts, full disks, damaged files, several processes. */
final class RunOutbox {
  private static final Consumer<ClientEvent> NOBODY = event -> {};

  public static void main(String[] arguments) throws IOException {
    for (FaultyDisk.Rest rest : FaultyDisk.Rest.values()) {
      Checks.run("a power cut at each step, after which the disk has " + rest, folder -> powerCuts(folder, rest));
    }
    Checks.run("a disk that is full from each step on", RunOutbox::fullDisk);
    Checks.run("a file that is cut at each byte", RunOutbox::cuts);
    Checks.run("a file with damage at each byte", RunOutbox::damage);
    Checks.run("two processes with one file", RunOutbox::processes);
    Checks.run("a file that stays small", RunOutbox::size);
    Checks.run("a full outbox keeps what it has", RunOutbox::fullOutbox);
    Checks.run("counts of a settled batch do not return when its record is damaged", RunOutbox::settledBatch);
    Checks.end();
  }

  private static Outbox open(File folder, Disk disk) {
    return new Outbox(folder, 1 << 20, disk, NOBODY);
  }

  /** The promises to an app: everything here must survive, and nothing else may come. */
  private static final class Promises {
    final Set<UUID> waiting = new HashSet<>();
    final Set<UUID> everAccepted = new HashSet<>();
    final Set<UUID> withdrawn = new HashSet<>();
    final Set<UUID> settledBatches = new HashSet<>();
    int calls;
    /** The possible effect of the interrupted step. */
    UUID doubtful;
    int doubtfulCalls;
    int matches;
    boolean hasDoubtfulMatch;
  }

  private static int calls(Outbox outbox, Set<UUID> without) throws IOException {
    int calls = 0;
    for (int[] sums : outbox.counts.values()) calls += sums[0] + sums[1];
    for (Map.Entry<UUID, byte[]> batch : outbox.batches.entrySet()) {
      for (Object item : (List<?>) Json.object(batch.getValue()).get("items")) {
        if (!without.contains(batch.getKey())) calls += Json.integer((Map<?, ?>) item, "named") + Json.integer((Map<?, ?>) item, "unknown");
      }
    }
    return calls;
  }

  private static void step(Outbox outbox, Random random, Promises promises) throws IOException {
    int[] batchCalls = new int[1];
    UUID id = new UUID(1, random.nextInt(1 << 20));
    int what = random.nextInt(11);
    List<UUID> known = new ArrayList<>(promises.waiting);
    known.sort(null);
    UUID one = known.isEmpty() ? null : known.get(random.nextInt(known.size()));
    promises.doubtful = what < 3 ? id : what > 7 ? one : null;
    promises.hasDoubtfulMatch = what == 10;
    promises.doubtfulCalls = what >= 3 && what < 6 ? 1 : 0;
    if (what < 3) {
      Report report = new Report("+493023125000", null, "fraud", "Ada", "x".repeat(random.nextInt(40)), Phone.START, id, null);
      outbox.change(() -> outbox.accept(report));
      promises.everAccepted.add(id);
      promises.waiting.add(id);
    } else if (what < 6) {
      int number = random.nextInt(5);
      int day = random.nextInt(3);
      outbox.change(() -> outbox.accept("+" + (493023125000L + number), null, true, "2026-11-1" + day));
      promises.calls++;
    } else if (what == 6) {
      outbox.change(() -> outbox.seal("2026-11-11"));
    } else if (what == 7) {
      outbox.change(() -> {
        if (outbox.batches.isEmpty()) return;
        UUID batch = outbox.batches.keySet().iterator().next();
        int before = calls(outbox, new HashSet<>());
        promises.settledBatches.add(batch);
        batchCalls[0] = before - calls(outbox, promises.settledBatches);
        promises.doubtfulCalls = batchCalls[0];
        outbox.settle(Outbox.BATCH_SETTLED, batch);
      });
      promises.calls -= batchCalls[0];
      promises.doubtfulCalls = 0;
    } else if (what == 10) {
      Remediation call = new Remediation("block", true, null, null, null, null, null);
      outbox.change(() -> outbox.accept(call, Remediation.Outcome.BLOCKED, "2026-11-10"));
      promises.matches++;
    } else if (one != null && what == 8) {
      outbox.change(() -> outbox.markSent(Arrays.asList(outbox.reports.get(one))));
      outbox.change(() -> outbox.settle(Outbox.SETTLED, one));
      promises.waiting.remove(one);
    } else if (one != null) {
      outbox.change(() -> outbox.withdraw(one));
      promises.waiting.remove(one);
      promises.withdrawn.add(one);
    }
    promises.doubtful = null;
    promises.doubtfulCalls = 0;
    promises.hasDoubtfulMatch = false;
  }

  private static void powerCuts(File folder, FaultyDisk.Rest rest) throws Exception {
    for (int seed = 1; seed <= 2; seed++) {
      boolean wasCut = true;
      for (int cut = 1; wasCut; cut++) {
        Checks.empty(folder);
        FaultyDisk disk = new FaultyDisk();
        disk.cutAt = cut;
        Promises promises = new Promises();
        if (seed == 2) beginDamaged(folder, disk, promises);
        Random random = new Random(seed);
        wasCut = false;
        try {
          Outbox outbox = open(folder, disk);
          for (int i = 0; i < 20; i++) step(outbox, random, promises);
        } catch (FaultyDisk.PowerCut fault) {
          wasCut = true;
        }
        disk.lose(rest);
        Outbox again = open(folder, new Disk());
        again.change(() -> {});
        String place = "seed " + seed + ", operation " + cut;
        Set<UUID> lost = new HashSet<>(promises.waiting);
        lost.remove(promises.doubtful);
        lost.removeAll(again.reports.keySet());
        that(lost.isEmpty(), place + ": reports are lost");
        Set<UUID> strange = new HashSet<>(again.reports.keySet());
        strange.removeAll(promises.everAccepted);
        strange.remove(promises.doubtful);
        that(strange.isEmpty(), place + ": reports that nobody made");
        for (UUID id : promises.withdrawn) that(!again.reports.containsKey(id) || again.withdrawals.contains(id), place + ": a withdrawal is lost");
        int calls = calls(again, promises.settledBatches);
        that(Math.abs(calls - promises.calls) <= promises.doubtfulCalls, place + ": " + calls + " calls instead of " + promises.calls);
        int more = again.remediations.size() - promises.matches;
        that(more == 0 || more == 1 && promises.hasDoubtfulMatch, place + ": " + more + " more calls of packs");
        again.change(() -> again.accept(Phone.report(9)));
        Outbox third = open(folder, new Disk());
        third.change(() -> {});
        that(third.reports.containsKey(new UUID(7, 9)), place + ": the outbox takes no more");
      }
    }
  }

  /** Begins with a file whose first record is damaged, so that the others are written anew. */
  private static void beginDamaged(File folder, FaultyDisk disk, Promises promises) throws IOException {
    Outbox outbox = open(folder, new Disk());
    for (int i = 0; i < 4; i++) {
      Report report = Phone.report(i);
      outbox.change(() -> outbox.accept(report));
      if (i > 0) promises.waiting.add(report.id);
      promises.everAccepted.add(report.id);
    }
    File file = new File(folder, "outbox");
    byte[] bytes = Files.readAllBytes(file.toPath());
    bytes[40] ^= 1;
    Files.write(file.toPath(), bytes);
    disk.adopt(file);
  }

  private static void fullDisk(File folder) throws Exception {
    for (int full = 1; full < 60; full++) {
      Checks.empty(folder);
      FaultyDisk disk = new FaultyDisk();
      disk.fullFrom = full;
      Outbox outbox = open(folder, disk);
      Set<UUID> accepted = new HashSet<>();
      for (int i = 0; i < 8; i++) {
        Report report = Phone.report(i);
        try {
          outbox.change(() -> outbox.accept(report));
          accepted.add(report.id);
        } catch (IOException refusal) {
          continue;
        }
      }
      disk.fullFrom = 0;
      Report report = Phone.report(9);
      outbox.change(() -> outbox.accept(report));
      accepted.add(report.id);
      Outbox again = open(folder, new Disk());
      again.change(() -> {});
      same(again.reports.keySet(), accepted, "full from operation " + full);
    }
  }

  /** Everything that waits, as a server could see it. */
  private static String picture(Outbox outbox) throws IOException {
    outbox.change(() -> {});
    Map<String, String> counts = new TreeMap<>();
    for (Map.Entry<String, int[]> entry : outbox.counts.entrySet()) counts.put(entry.getKey(), Arrays.toString(entry.getValue()));
    return outbox.reports.keySet() + " " + outbox.withdrawals + " " + outbox.batches.keySet() + " " + counts + " " + outbox.remediations;
  }

  /** Fills an outbox, and returns its pictures by the length that its file then had. */
  private static TreeMap<Integer, String> fill(File folder, int seed) throws IOException {
    Checks.empty(folder);
    File file = new File(folder, "outbox");
    Outbox outbox = open(folder, new Disk());
    Random random = new Random(seed);
    Promises promises = new Promises();
    TreeMap<Integer, String> pictures = new TreeMap<>();
    pictures.put(0, picture(outbox));
    for (int i = 0; i < 25; i++) {
      long before = file.length();
      int what = random.nextInt(3);
      // Steps of one record each, so that every cut is within one of them.
      Random same = new Random(seed * 1_000 + i);
      if (what > 0) step(outbox, same, promises);
      else outbox.change(() -> outbox.accept(Phone.report(same.nextInt(1_000))));
      if (file.length() < before) pictures.clear();
      pictures.put((int) file.length(), picture(outbox));
    }
    return pictures;
  }

  private static void cuts(File folder) throws Exception {
    for (int seed = 1; seed <= 3; seed++) {
      TreeMap<Integer, String> pictures = fill(folder, seed);
      File file = new File(folder, "outbox");
      byte[] whole = Files.readAllBytes(file.toPath());
      for (int length = 0; length <= whole.length; length++) {
        Files.write(file.toPath(), Arrays.copyOf(whole, length));
        Outbox outbox = open(folder, new Disk());
        Map.Entry<Integer, String> expected = pictures.floorEntry(length);
        if (expected != null) same(picture(outbox), expected.getValue(), "cut at " + length);
        int waiting = outbox.reports.size();
        if (length % 5 > 0) continue;
        outbox.change(() -> outbox.accept(Phone.report(5_000)));
        Outbox again = open(folder, new Disk());
        again.change(() -> {});
        same(again.reports.size(), waiting + 1, "reports after a cut at " + length);
      }
    }
  }

  private static void damage(File folder) throws Exception {
    File file = new File(folder, "outbox");
    Outbox outbox = open(folder, new Disk());
    for (int i = 0; i < 6; i++) {
      Report report = Phone.report(i);
      outbox.change(() -> outbox.accept(report));
    }
    byte[] whole = Files.readAllBytes(file.toPath());
    int size = Outbox.record(Outbox.REPORT, new byte[16 + Phone.report(0).json.length]).length;
    Random random = new Random(4);
    for (int place = 0; place < whole.length; place++) {
      for (int count : new int[] {1, 1 + random.nextInt(2 * size)}) {
        byte[] damaged = whole.clone();
        for (int i = place; i < Math.min(whole.length, place + count); i++) damaged[i] = count == 1 ? (byte) (damaged[i] ^ 1 << place % 8) : 0;
        Files.write(file.toPath(), damaged);
        List<String> events = new ArrayList<>();
        Outbox found = new Outbox(folder, 1 << 20, new Disk(), event -> events.add(event.kind + " " + event.reason));
        found.change(() -> {});
        Set<UUID> expected = new HashSet<>();
        for (int i = 0; i < 6; i++) {
          int from = whole.length - (6 - i) * size;
          boolean isWhole = Arrays.equals(Arrays.copyOfRange(whole, from, from + size), Arrays.copyOfRange(damaged, from, from + size));
          if (isWhole) expected.add(new UUID(7, i));
        }
        same(found.reports.keySet(), expected, count + " bytes at " + place);
        boolean isGeneration = Arrays.equals(Arrays.copyOf(damaged, 8), Arrays.copyOf(whole, 8)) && expected.size() == 6;
        boolean isTorn = expected.size() == 5 && !expected.contains(new UUID(7, 5));
        same(events.isEmpty() || isTorn, isGeneration || isTorn, "the events of " + count + " bytes at " + place);
        Outbox again = new Outbox(folder, 1 << 20, new Disk(), event -> events.add("again"));
        again.change(() -> {});
        that(again.reports.keySet().equals(expected) && !events.contains("again"), "damage is reported once");
        again.change(() -> again.settle(Outbox.SETTLED, expected.toArray(new UUID[0])));
        that(!new File(folder, "outbox.damaged").exists(), "the copy goes with the last report");
      }
    }
  }

  private static void processes(File folder) throws Exception {
    Outbox one = open(folder, new Disk());
    Outbox other = open(folder, new Disk());
    for (int i = 0; i < 30; i++) {
      Report report = Phone.report(i);
      Outbox next = i % 2 == 0 ? one : other;
      next.change(() -> next.accept(report));
    }
    other.change(() -> {});
    same(other.reports.size(), 30, "reports of both");
    one.change(() -> one.markSent(one.reports.values()));
    UUID sent = new UUID(7, 3);
    other.change(() -> other.withdraw(sent));
    that(other.withdrawals.contains(sent), "a report that the other one sent needs the server");
    other.change(() -> other.settle(Outbox.WITHDRAWAL_SETTLED, sent));
    UUID[] all = new ArrayList<>(one.reports.keySet()).toArray(new UUID[0]);
    one.change(() -> one.settle(Outbox.SETTLED, all));
    that(new File(folder, "outbox").length() < 100, "nothing is left of what was sent");
    other.change(() -> other.accept(Phone.report(1)));
    one.change(() -> {});
    same(one.reports.keySet(), new HashSet<>(Arrays.asList(new UUID(7, 1))), "the file is read again");
  }

  private static void size(File folder) throws Exception {
    Outbox outbox = open(folder, new Disk());
    outbox.change(() -> outbox.accept(Phone.report(0)));
    Remediation call = new Remediation("block", true, null, null, null, null, null);
    outbox.change(() -> outbox.accept(call, Remediation.Outcome.BLOCKED, "2026-11-10"));
    long largest = 0;
    for (int i = 1; i < 1_500; i++) {
      Report report = new Report("+493023125000", null, "fraud", "Ada", "x".repeat(300), Phone.START, new UUID(2, i), null);
      outbox.change(() -> outbox.accept(report));
      outbox.change(() -> outbox.settle(Outbox.SETTLED, report.id));
      largest = Math.max(largest, new File(folder, "outbox").length());
    }
    that(largest < 80_000 && largest > 60_000, "the file has " + largest + " bytes");
    Outbox again = open(folder, new Disk());
    that(again.reports.isEmpty(), "nothing is read before it is needed");
    again.change(() -> {});
    same(again.reports.size() + " " + again.remediations.size(), "1 1", "what waits is in each shorter file");
  }

  private static void fullOutbox(File folder) throws Exception {
    Outbox outbox = new Outbox(folder, 4_096, new Disk(), NOBODY);
    int count = 0;
    try {
      for (; count < 1_000; count++) {
        Report report = Phone.report(count);
        outbox.change(() -> outbox.accept(report));
      }
    } catch (ClientException refusal) {
      same(refusal.kind, ClientException.Kind.FULL, "the refusal");
    }
    that(count > 5 && count < 40, count + " reports fit");
    same(outbox.reports.size(), count, "reports that stay");
    outbox.change(() -> outbox.withdraw(new UUID(9, 9)));
    try {
      outbox.change(() -> outbox.accept(new Report("+493023125777", null, "fraud", "Ada", null, Phone.START, new UUID(7, 1), null)));
      that(false, "another report with a known id");
    } catch (ClientException refusal) {
      same(refusal.kind, ClientException.Kind.INVALID, "the refusal");
    }
    outbox.change(() -> outbox.accept(Phone.report(1)));
    same(outbox.reports.size(), count, "the same report again");
  }

  private static void settledBatch(File folder) throws Exception {
    Map<String, Integer> places = new HashMap<>();
    File file = new File(folder, "outbox");
    Outbox outbox = open(folder, new Disk());
    outbox.change(() -> outbox.accept(Phone.report(1)));
    outbox.change(() -> outbox.accept("+493023125000", null, true, "2026-11-10"));
    outbox.change(() -> outbox.accept("+493023125000", null, true, "2026-11-12"));
    places.put("sealed", (int) file.length());
    outbox.change(() -> outbox.seal("2026-11-11"));
    UUID batch = outbox.batches.keySet().iterator().next();
    outbox.change(() -> outbox.settle(Outbox.BATCH_SETTLED, batch));
    byte[] damaged = Files.readAllBytes(file.toPath());
    damaged[places.get("sealed") + 20] ^= 1;
    Files.write(file.toPath(), damaged);
    Outbox again = open(folder, new Disk());
    again.change(() -> {});
    same(again.counts.keySet(), new HashSet<>(Arrays.asList("2026-11-12\t\t+493023125000")), "the counts");
  }
}
