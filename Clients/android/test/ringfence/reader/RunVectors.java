// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs every vector of a folder and prints their number: RunVectors FOLDER LIST. The exit code is 1 when one fails. The
 * list has a line for each vector: its kind, then names and values of its fields, with tabs between.
 */
final class RunVectors {
  private static File folder;
  private static int failures;

  private interface Work {
    void run() throws IOException;
  }

  static byte[] readFile(File file) throws IOException {
    try (InputStream in = new FileInputStream(file)) {
      byte[] bytes = new byte[(int) file.length()];
      for (int at = 0; at < bytes.length; ) at += in.read(bytes, at, bytes.length - at);
      return bytes;
    }
  }

  private static byte[] file(String name) throws IOException {
    return readFile(new File(folder, name));
  }

  private static PackReader pack(byte[] bytes) throws IOException {
    return PackReader.open(PackSource.of(bytes), Long.MAX_VALUE);
  }

  private static PackDelta delta(byte[] bytes) throws IOException {
    return PackDelta.open(PackSource.of(bytes), Long.MAX_VALUE);
  }

  static byte[] apply(byte[] base, byte[] delta) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    delta(delta).apply(pack(base), out);
    return out.toByteArray();
  }

  private static void accepted(String name, Work work) throws IOException {
    try {
      work.run();
    } catch (FormatException refusal) {
      fail(name + ": refused: " + refusal.getMessage());
    }
  }

  private static void refused(Map<String, String> vector, Work work) throws IOException {
    try {
      work.run();
      fail(vector.get("file") + ": accepted, but breaks " + vector.get("rule") + " (" + vector.get("reason") + ")");
    } catch (FormatException refusal) {
      if (refusal.getMessage().isEmpty()) fail(vector.get("file") + ": refused without a reason");
    }
  }

  private static void fail(String text) {
    failures++;
    System.out.println(text);
  }

  private static void same(String name, byte[] found, byte[] expected) {
    if (!Arrays.equals(found, expected)) fail(name + ": the result is another one");
  }

  private static void same(Map<String, String> vector, String time, long found) {
    String expected = vector.getOrDefault(time, "" + found);
    if (!expected.equals("" + found)) fail(vector.get("file") + ": " + time + " is " + found);
  }

  public static void main(String[] arguments) throws IOException {
    folder = new File(arguments[0]);
    int count = 0;
    long now = 0;
    byte[] key = {};
    for (String line : new String(readFile(new File(arguments[1])), Json.UTF8).split("\n")) {
      String[] cells = line.split("\t", -1);
      Map<String, String> vector = new HashMap<>();
      for (int i = 1; i + 1 < cells.length; i += 2) vector.put(cells[i], cells[i + 1]);
      if (cells[0].equals("settings")) {
        now = Long.parseLong(vector.get("now"));
        key = Fields.base64(vector.get("key"));
        continue;
      }
      run(cells[0], vector, now);
      count++;
    }
    byte[] trusted = key;
    long time = now;
    accepted("publication", () -> publication(trusted, time));
    System.out.println(count + " vectors, " + failures + " failures");
    System.exit(failures == 0 ? 0 : 1);
  }

  private static void run(String kind, Map<String, String> vector, long now) throws IOException {
    String name = vector.get("file");
    switch (kind) {
      case "packs":
        accepted(name, () -> checkPack(name, vector));
        break;
      case "lookups":
        accepted(name, () -> lookUp(name, pack(file(vector.get("pack")))));
        break;
      case "refused_lookups":
        refused(vector, () -> pack(file(name)).lookup(Long.parseLong(vector.get("number"))));
        break;
      case "deltas":
        accepted(name, () -> same(name, apply(file(vector.get("base")), file(name)), file(vector.get("result"))));
        break;
      case "refused_packs":
        refused(vector, () -> pack(file(name)).verify());
        break;
      case "refused_deltas":
        refused(vector, () -> apply(file(vector.get("base")), file(name)));
        break;
      case "accepted_documents":
        accepted(name, () -> document(vector, now));
        break;
      case "refused_documents":
        refused(vector, () -> document(vector, now));
        break;
      default:
        fail("unknown kind " + kind);
    }
  }

  private static void checkPack(String name, Map<String, String> vector) throws IOException {
    PackReader pack = pack(file(name));
    pack.verify();
    same(name, PackDump.bytes(pack), file(vector.get("dump")));
    same(name, Digests.hex(pack.contentDigest()).getBytes(), vector.get("content_sha256").getBytes());
    checkLookups(name, pack);
  }

  /** Every entry is found by its number, and the numbers beside it only when they are in the pack. */
  private static void checkLookups(String name, PackReader pack) throws IOException {
    Map<Long, PackEntry> entries = new HashMap<>();
    PackCursor walk = pack.cursor();
    while (walk.next()) entries.put(walk.number(), walk.entry());
    PackCursor cursor = pack.cursor();
    for (long number : entries.keySet()) {
      for (long asked = number - 1; asked <= number + 1; asked++) {
        String expected = text(entries.get(asked));
        if (!text(pack.lookup(asked)).equals(expected)) fail(name + ": lookup of " + asked);
        if (!text(cursor.lookup(asked)).equals(expected)) fail(name + ": lookup of " + asked + " with a cursor");
      }
    }
    for (long asked : new long[] {Long.MIN_VALUE, -1, 0, PackHeader.MAXIMUM_NUMBER, Long.MAX_VALUE}) {
      if (!text(pack.lookup(asked)).equals(text(entries.get(asked)))) fail(name + ": lookup of " + asked);
    }
  }

  /** Each line of the table is the answer of a lookup: the number, its roles and its label. */
  private static void lookUp(String name, PackReader pack) throws IOException {
    PackCursor cursor = pack.cursor();
    for (String line : new String(file(name), Json.UTF8).split("\n")) {
      long number = Long.parseLong(line.substring(0, line.indexOf('\t')));
      if (!PackDump.answer(number, pack.lookup(number)).equals(line)) fail(name + ": lookup of " + number);
      if (!PackDump.answer(number, cursor.lookup(number)).equals(line)) fail(name + ": lookup of " + number + " with a cursor");
    }
  }

  private static String text(PackEntry entry) {
    return entry == null ? "none" : entry.number() + " " + entry.blocks() + " " + entry.identifies() + " " + entry.label();
  }

  private static void document(Map<String, String> vector, long now) throws IOException {
    byte[] bytes = file(vector.get("file"));
    switch (vector.get("as")) {
      case "manifest":
        SeenManifest seen = null;
        if (vector.containsKey("seen")) {
          String[] parts = vector.get("seen").split(" ");
          seen = new SeenManifest(Long.parseLong(parts[0]), parts[1]);
        }
        Manifest manifest = TrustStore.ofRoot(file("publication/root.json")).verify(bytes, now, seen);
        same(vector, "issued", manifest.issued());
        same(vector, "expires", manifest.expires());
        break;
      case "root":
        TrustStore.ofRoot(file("publication/roots/1.root.json")).follow(bytes);
        break;
      case "bin":
        int index = Integer.parseInt(vector.getOrDefault("index", "0"));
        Manifest.readBin(index, Integer.parseInt(vector.getOrDefault("count", "1")), bytes);
        break;
      default:
        PackDescription pack = new PackDescription(bytes, vector.get("name"), 2);
        if (vector.containsKey("pack")) pack.check(pack(file(vector.get("pack"))));
    }
  }

  private static void publication(byte[] key, long now) throws IOException {
    TrustStore store = TrustStore.ofKey(key);
    for (File root = next(store); root.exists(); root = next(store)) store.follow(readFile(root));
    if (store.nextRoot() != 3) fail("publication: not all roots were followed");
    Manifest manifest = store.verify(file("publication/manifest.json"), now, null);
    store.verify(file("publication/manifest.json"), now, manifest.identity());
    TrustStore again = TrustStore.ofRoot(store.root());
    again.verify(file("publication/manifest.json"), now, manifest.identity());
    int packs = 0;
    for (int bin = 0; bin < manifest.bins(); bin++) {
      for (Map.Entry<String, String> item : manifest.readBin(bin, file("publication/" + manifest.binPath(bin))).entrySet()) {
        if (manifest.bin(item.getKey()) != bin) fail("publication: the bin of " + item.getKey());
        byte[] bytes = file("publication/" + Manifest.descriptionPath(item.getValue()));
        PackDescription pack = manifest.readDescription(item.getKey(), item.getValue(), bytes);
        byte[] newest = file("publication/" + pack.file().path());
        pack.check(pack(newest));
        packs++;
        byte[] old = file("publication/packs/" + item.getKey() + "-1.rfpack");
        PackDescription.Delta delta = pack.deltaFrom(Digests.hex(Digests.sha256(old)));
        if (delta == null) continue;
        byte[] bytesOfDelta = file("publication/" + delta.path());
        delta.check(PackSource.of(bytesOfDelta));
        same(delta.path(), apply(old, bytesOfDelta), newest);
      }
    }
    if (packs != 3) fail("publication: " + packs + " packs");
  }

  private static File next(TrustStore store) {
    return new File(folder, "publication/roots/" + store.nextRoot() + ".root.json");
  }
}
