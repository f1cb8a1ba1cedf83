import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Runs every vector of a folder and prints their number; the exit code is 1 when one fails. */
final class RunVectors {
  private static Path folder;
  private static int failures;

  private static byte[] file(String name) throws Exception {
    return Files.readAllBytes(folder.resolve(name));
  }

  private interface Work {
    void run() throws Exception;
  }

  private static void accepted(String name, Work work) throws Exception {
    try {
      work.run();
    } catch (PackReader.Refused refusal) {
      fail(name + ": refused: " + refusal.getMessage());
    }
  }

  private static void refused(Map<String, String> vector, Work work) throws Exception {
    try {
      work.run();
      fail(vector.get("file") + ": accepted, but breaks " + vector.get("rule") + " (" + vector.get("reason") + ")");
    } catch (PackReader.Refused refusal) {
      // As it must be.
    }
  }

  private static void fail(String text) {
    failures++;
    System.out.println(text);
  }

  private static void same(String name, byte[] found, byte[] expected) {
    if (!Arrays.equals(found, expected)) fail(name + ": the result is another one");
  }

  /** Lines of the list, each a kind and fields with tabs between; run_vectors.py writes it from vectors.json. */
  public static void main(String[] arguments) throws Exception {
    folder = Path.of(arguments[0]);
    int count = 0;
    long now = 0;
    byte[] key = {};
    for (String line : Files.readAllLines(Path.of(arguments[1]))) {
      String[] cells = line.split("\t", -1);
      Map<String, String> vector = new java.util.HashMap<>();
      for (int i = 1; i + 1 < cells.length; i += 2) vector.put(cells[i], cells[i + 1]);
      String name = vector.get("file");
      long time = now;
      count++;
      switch (cells[0]) {
        case "settings" -> {
          now = Long.parseLong(vector.get("now"));
          key = Base64.getDecoder().decode(vector.get("key"));
          count--;
        }
        case "packs" -> accepted(name, () -> {
          PackReader.Pack pack = PackReader.read(file(name));
          same(name, PackReader.dump(pack.entries()), file(vector.get("dump")));
          same(name, PublicationReader.hex(PackReader.contentDigest(pack.entries())).getBytes(), vector.get("content_sha256").getBytes());
        });
        case "deltas" -> accepted(name, () -> same(name, PackReader.apply(file(vector.get("base")), file(name)), file(vector.get("result"))));
        case "refused_packs" -> refused(vector, () -> PackReader.read(file(name)));
        case "refused_deltas" -> refused(vector, () -> PackReader.apply(file(vector.get("base")), file(name)));
        case "accepted_documents" -> accepted(name, () -> document(vector, time));
        case "refused_documents" -> refused(vector, () -> document(vector, time));
        default -> fail("unknown kind " + cells[0]);
      }
    }
    byte[] trusted = key;
    long time = now;
    accepted("publication", () -> publication(trusted, time));
    System.out.println(count + " vectors, " + failures + " failures");
    System.exit(failures == 0 ? 0 : 1);
  }

  private static void document(Map<String, String> vector, long now) throws Exception {
    byte[] bytes = file(vector.get("file"));
    switch (vector.get("as")) {
      case "manifest" -> {
        PublicationReader.Seen seen = null;
        if (vector.containsKey("seen")) {
          String[] parts = vector.get("seen").split(" ");
          seen = new PublicationReader.Seen(Long.parseLong(parts[0]), parts[1]);
        }
        PublicationReader.ofRoot(file("publication/root.json")).verify(bytes, now, seen);
      }
      case "root" -> PublicationReader.ofRoot(file("publication/roots/1.root.json")).follow(bytes);
      case "bin" -> PublicationReader.bin(bytes, 0, 1);
      default -> {
        Map<String, Object> pack = PublicationReader.description(bytes, vector.get("name"), 2);
        if (vector.containsKey("pack")) PublicationReader.check(pack, file(vector.get("pack")));
      }
    }
  }

  private static void publication(byte[] key, long now) throws Exception {
    PublicationReader reader = new PublicationReader(key);
    reader.follow(file("publication/roots/1.root.json"));
    reader.follow(file("publication/roots/2.root.json"));
    Map<String, Object> head = reader.verify(file("publication/manifest.json"), now, null);
    List<?> bins = PublicationReader.list(head, "bins");
    for (int i = 0; i < bins.size(); i++) {
      for (Map.Entry<String, Object> item : PublicationReader.bin(part("bins", bins.get(i)), i, bins.size()).entrySet()) {
        byte[] bytes = part("descriptions", item.getValue());
        Map<String, Object> pack = PublicationReader.description(bytes, item.getKey(), PublicationReader.integer(head, "serial"));
        PublicationReader.check(pack, file("publication/" + pack.get("path")));
      }
    }
  }

  private static byte[] part(String kind, Object digest) throws Exception {
    byte[] bytes = file("publication/" + kind + "/" + digest + ".json");
    PackReader.must(PublicationReader.hex(PackReader.sha256(bytes)).equals(digest), "a part has another content");
    return bytes;
  }
}
