// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import static ringfence.client.Checks.same;
import static ringfence.client.Checks.that;
import static ringfence.client.Phone.PROBLEM;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.TreeSet;
import ringfence.client.Phone.Response;
import ringfence.reader.FormatException;
import ringfence.reader.PackReader;

/** The faults of updates, with the publication of Tests/Vectors: RunUpdates PUBLICATION NOW. */
final class RunUpdates {
  private static File publication;
  private static long now;

  public static void main(String[] arguments) throws IOException {
    publication = new File(arguments[0]);
    now = Long.parseLong(arguments[1]);
    Checks.run("an update uses a delta, the next one nothing", folder -> {
      Phone phone = phone(folder);
      PackUpdater.Result result = phone.client().updatePacks();
      same(result.changed + " " + result.serial, "[both] 2", "the update");
      that(requested(phone, ".rfdelta") && !requested(phone, ".rfpack"), "the delta alone");
      that(phone.client().packs().lookup(1) == null, "a look-up");
      int before = phone.requests.size();
      result = phone.client().updatePacks();
      same(result.changed + " " + result.fetchedBytes, "[] 0", "the second update");
      same(phone.requests.size() - before, 4, "requests of the second update: the next root, manifest, bin, description");
      same(new File(folder, "partial").list().length, 0, "files that are left");
    });
    Checks.run("a request for the manifest says who asks and which publication it has", folder -> {
      Phone phone = phone(folder);
      phone.configuration.product("org.example.caller of a café, with a long name", "2.1 (beta)");
      phone.client().updatePacks();
      phone.client().updatePacks();
      phone.configuration.product(null, null);
      phone.client().updatePacks();
      phone.configuration.product("Calls", "()");
      phone.client().updatePacks();
      StringBuilder said = new StringBuilder();
      for (Transport.Request request : phone.requests) {
        String value = request.fields.get("Ringfence-Client");
        that(value == null || path(request).equals("manifest.json"), "the field in a request for " + path(request));
        if (path(request).equals("manifest.json")) said.append(value).append('\n');
      }
      String product = "org.example.callerofacafwithalongname/2.1beta; serial=";
      same(said.toString(), product + "0\n" + product + "2\nnull\nnull\n", "the requests");
      that(new Phone(folder).configuration.product.matches("ringfence-client/[0-9.]+"), "by default the library");
    });
    for (FaultyDisk.Rest rest : FaultyDisk.Rest.values()) {
      Checks.run("a power cut at each step of an update, after which the disk has " + rest, folder -> powerCuts(folder, rest));
    }
    Checks.run("a disk that is full from each step on", RunUpdates::fullDisk);
    Checks.run("every changed byte of a manifest is refused", folder -> {
      byte[] manifest = read("manifest.json");
      Phone phone = phone(folder);
      Response[] wrong = new Response[1];
      phone.otherwise = request -> path(request).equals("manifest.json") ? wrong[0] : answer(request);
      for (int i = 0; i < manifest.length; i += 23) {
        byte[] changed = manifest.clone();
        changed[i] ^= 1 << i % 7;
        wrong[0] = new Response(200, changed);
        same(failure(phone), FormatException.class, "byte " + i);
        wrong[0] = new Response(200, Arrays.copyOf(manifest, i));
        same(failure(phone), FormatException.class, i + " bytes");
      }
      checkPack(folder, "the end");
    });
    Checks.run("a server that lies about packs leaves the old ones", folder -> {
      byte[] pack = read("packs/both-2.rfpack");
      byte[] changed = pack.clone();
      changed[pack.length / 2] ^= 1;
      Object[][] cases = {
        {new Response(200, changed), FormatException.class}, {new Response(200, read("packs/block-1.rfpack")), IOException.class},
        {new Response(200, Arrays.copyOf(pack, pack.length + 1)), ClientException.class},
        {new Response(200, ""), ClientException.class}, {new Response(200, Arrays.copyOf(pack, 100)), ClientException.class},
        {new Response(206, pack, "Content-Range", "bytes 0-"), ClientException.class},
        {new Response(200, pack, "Content-Encoding", "gzip"), ClientException.class},
        {new Response(200, pack, "Content-Length", "999999"), ClientException.class},
        {new Response(302, "", "Location", "https://stranger.example/"), ClientException.class},
        {new Response(200, "<html>"), ClientException.class}, {new Response(404, "", PROBLEM), ClientException.class},
        {new Response(401, "", PROBLEM), ClientException.class}, {new Response(503, ""), ClientException.class}};
      for (Object[] entry : cases) refused(folder, "packs/both-2.rfpack", (Response) entry[0], (Class<?>) entry[1]);
    });
    Checks.run("a server that lies about documents leaves the old packs", folder -> {
      for (String path : new String[] {"bins/", "descriptions/", "roots/2.root.json"}) {
        refused(folder, path, new Response(200, "{}\n"), FormatException.class);
        refused(folder, path, new Response(200, new byte[2 << 20]), ClientException.class);
        refused(folder, path, new Response(200, "{}\n", "Content-Encoding", "br"), ClientException.class);
        refused(folder, path, new Response(500, ""), ClientException.class);
      }
      refused(folder, "bins/", new Response(404, ""), ClientException.class);
      refused(folder, "manifest.json", new Response(403, "<html>"), ClientException.class);
    });
    Checks.run("a delta with any error is replaced by the pack", folder -> {
      for (Response answer : new Response[] {
          new Response(200, new byte[read("deltas/both-1-2.rfdelta").length]), new Response(404, ""), new Response(302, ""), new Response(403, "")}) {
        Phone phone = phone(folder);
        phone.otherwise = request -> path(request).startsWith("deltas/") ? answer : answer(request);
        same(phone.client().updatePacks().changed.size(), 1, "changed packs");
        that(requested(phone, "both-2.rfpack"), "the pack");
      }
    });
    Checks.run("a download continues behind what it has", folder -> {
      byte[] pack = read("packs/both-2.rfpack");
      Phone phone = phone(folder);
      Files.delete(new File(folder, "packs/both.rfpack").toPath());
      int[] sent = new int[1];
      phone.otherwise = request -> {
        if (!path(request).startsWith("packs/")) return answer(request);
        String range = request.fields.get("Range");
        int start = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
        same(start, sent[0], "the place");
        sent[0] = Math.min(pack.length, start + 200);
        return new Response(range == null ? 200 : 206, Arrays.copyOfRange(pack, start, sent[0]), "Content-Range", "bytes " + start + "-");
      };
      same(phone.client().updatePacks().changed.size(), 1, "changed packs");
    });
    Checks.run("a continued download with wrong content begins again", folder -> {
      byte[] pack = read("packs/both-2.rfpack");
      Phone phone = phone(folder);
      Files.delete(new File(folder, "packs/both.rfpack").toPath());
      Disk.makeFolder(new File(folder, "partial"));
      String name = ringfence.reader.Digests.hex(ringfence.reader.Digests.sha256(pack));
      Files.write(new File(folder, "partial/" + name).toPath(), new byte[100]);
      phone.otherwise = request -> {
        boolean isRest = request.fields.containsKey("Range");
        Response whole = answer(request);
        return isRest ? new Response(206, Arrays.copyOfRange(whole.body, 100, whole.body.length), "Content-Range", "bytes 100-") : whole;
      };
      same(phone.client().updatePacks().changed.size(), 1, "changed packs");
    });
    Checks.run("small pieces do not keep a phone busy for ever", folder -> {
      byte[] pack = read("packs/both-2.rfpack");
      Phone phone = phone(folder);
      Files.delete(new File(folder, "packs/both.rfpack").toPath());
      phone.otherwise = request -> {
        if (!path(request).startsWith("packs/")) return answer(request);
        String range = request.fields.get("Range");
        int start = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
        return new Response(range == null ? 200 : 206, Arrays.copyOfRange(pack, start, start + 1), "Content-Range", "bytes " + start + "-");
      };
      same(failure(phone), ClientException.class, "the failure");
      that(phone.requests.size() < 80, phone.requests.size() + " requests");
    });
    Checks.run("an older, an expired and an unknown manifest are refused", folder -> {
      Phone phone = phone(folder);
      phone.client().updatePacks();
      byte[] now = Files.readAllBytes(new File(folder, "packs/both.rfpack").toPath());
      phone.otherwise = request -> path(request).equals("manifest.json") ? new Response(200, read("manifests/1.json")) : answer(request);
      same(failure(phone), FormatException.class, "an older manifest");
      phone.otherwise = RunUpdates::answer;
      phone.time += 400 * Codec.DAY;
      same(failure(phone), FormatException.class, "an expired manifest");
      phone.time -= 400 * Codec.DAY;
      // Another anchor has its own history.
      phone.configuration.trustRoot(read("roots/2.root.json"));
      phone.client().updatePacks();
      that(Arrays.equals(Files.readAllBytes(new File(folder, "packs/both.rfpack").toPath()), now), "the pack stays");
    });
    Checks.run("the key is sent to its own server only", folder -> {
      Phone phone = phone(folder);
      phone.configuration.publications("https://objects.example/packs");
      phone.client().updatePacks();
      for (Transport.Request request : phone.requests) that(!request.fields.containsKey("Authorization"), "the key at another address");
      phone.otherwise = request -> new Response(401, "", PROBLEM);
      try {
        phone.client().updatePacks();
      } catch (ClientException refusal) {
        same(refusal.kind, ClientException.Kind.KEY_NOT_SENT, "the refusal");
      }
      phone.configuration.publications("https://ringfence.example:443/v1/");
      phone.requests.clear();
      failure(phone);
      same(phone.requests.get(0).fields.get("Authorization"), "Bearer rf_key", "the key at the server's address");
    });
    Checks.run("a pack that the publication no longer has is removed", folder -> {
      Phone phone = phone(folder);
      Files.copy(new File(folder, "packs/both.rfpack").toPath(), new File(folder, "packs/gone.rfpack").toPath());
      phone.configuration.packs("gone", "both", "block");
      PackUpdater.Result result = phone.client().updatePacks();
      same(result.missing + " " + result.changed, "[gone] [both, block]", "the update");
      same(new TreeSet<>(Arrays.asList(new File(folder, "packs").list())).toString(), "[block.rfpack, both.rfpack]", "the packs");
    });
    Checks.run("a reader sees the next pack, and none that is damaged", folder -> {
      Phone phone = phone(folder);
      File file = new File(folder, "packs/both.rfpack");
      PackFolder packs = phone.client().packs();
      long old = first(file);
      that(packs.lookup(old) != null, "a number of the old pack");
      phone.client().updatePacks();
      for (long number : new long[] {old, first(file)}) {
        try (PackReader reader = PackReader.open(file)) {
          same(packs.lookup(number) != null, reader.lookup(number) != null, "the next pack's answer about " + number);
        }
      }
      Files.delete(file.toPath());
      same(packs.lookup(old), null, "without a pack");
      for (int length = 0; length < 140; length += 20) {
        Files.write(file.toPath(), Arrays.copyOf(read("packs/both-2.rfpack"), length));
        try {
          packs.lookup(old);
          that(false, length + " bytes were read");
        } catch (IOException refusal) {
          phone.client().updatePacks();
          packs.lookup(old);
        }
      }
    });
    Checks.run("two updates at once are one", folder -> {
      Phone phone = phone(folder);
      phone.otherwise = request -> {
        ClientException[] busy = new ClientException[1];
        Thread other = new Thread(() -> {
          try {
            phone(folder).client().updatePacks();
          } catch (ClientException exception) {
            busy[0] = exception;
          } catch (IOException exception) {
            // Found below.
          }
        });
        other.start();
        try {
          other.join();
        } catch (InterruptedException exception) {
          throw new IOException(exception);
        }
        same(busy[0] == null ? null : busy[0].kind, ClientException.Kind.BUSY, "the other one");
        return answer(request);
      };
      phone.client().updatePacks();
    });
    Checks.end();
  }

  private static long first(File file) throws IOException {
    try (PackReader reader = PackReader.open(file)) {
      return reader.firstNumber();
    }
  }

  private static byte[] read(String path) throws IOException {
    return Files.readAllBytes(new File(publication, path).toPath());
  }

  private static String path(Transport.Request request) {
    return request.url.getPath().replaceFirst("/(v1|packs)/", "");
  }

  private static Response answer(Transport.Request request) throws IOException {
    File file = new File(publication, path(request));
    return file.isFile() ? new Response(200, Files.readAllBytes(file.toPath())) : new Response(404, "", PROBLEM);
  }

  private static boolean requested(Phone phone, String end) {
    for (Transport.Request request : phone.requests) if (request.url.getPath().endsWith(end)) return true;
    return false;
  }

  /** A phone that has the first version of the pack "both". */
  private static Phone phone(File folder) throws IOException {
    Checks.empty(folder);
    File packs = new File(folder, "packs");
    Disk.makeFolder(packs);
    Files.write(new File(packs, "both.rfpack").toPath(), read("packs/both-1.rfpack"));
    Phone phone = new Phone(folder);
    phone.configuration.trustRoot(read("roots/1.root.json")).packs("both");
    phone.time = now * 1_000;
    phone.otherwise = RunUpdates::answer;
    return phone;
  }

  private static Class<?> failure(Phone phone) {
    try {
      phone.client().updatePacks();
      return null;
    } catch (IOException failure) {
      return failure.getClass();
    }
  }

  /** Expects that a wrong answer for one path is refused, and that the old pack stays; without a delta. */
  private static void refused(File folder, String wrong, Response answer, Class<?> expected) throws IOException {
    Phone phone = phone(folder);
    phone.otherwise = request -> {
      String path = path(request);
      if (path.startsWith("deltas/")) return new Response(404, "");
      return path.startsWith(wrong) ? answer : answer(request);
    };
    Class<?> found = failure(phone);
    that(found != null && expected.isAssignableFrom(found), wrong + " with status " + answer.status + ": " + found);
    that(Arrays.equals(Files.readAllBytes(new File(folder, "packs/both.rfpack").toPath()), read("packs/both-1.rfpack")), "the old pack");
    phone.otherwise = RunUpdates::answer;
    same(failure(phone), null, "an honest server later");
  }

  private static void checkPack(File folder, String place) throws IOException {
    byte[] found = Files.readAllBytes(new File(folder, "packs/both.rfpack").toPath());
    boolean isWhole = Arrays.equals(found, read("packs/both-1.rfpack")) || Arrays.equals(found, read("packs/both-2.rfpack"));
    that(isWhole, place + ": the pack is neither the old nor the new one");
  }

  private static void powerCuts(File folder, FaultyDisk.Rest rest) throws IOException {
    for (boolean hasDelta : new boolean[] {true, false}) {
      boolean wasCut = true;
      for (int cut = 1; wasCut; cut++) {
        Phone phone = phone(folder);
        FaultyDisk disk = new FaultyDisk();
        disk.adopt(new File(folder, "packs/both.rfpack"));
        disk.cutAt = cut;
        phone.disk = disk;
        phone.otherwise = request -> !hasDelta && path(request).startsWith("deltas/") ? new Response(404, "") : answer(request);
        wasCut = false;
        try {
          phone.client().updatePacks();
        } catch (FaultyDisk.PowerCut fault) {
          wasCut = true;
        }
        disk.lose(rest);
        String place = "operation " + cut;
        checkPack(folder, place);
        phone.disk = new Disk();
        phone.client().updatePacks();
        that(Arrays.equals(Files.readAllBytes(new File(folder, "packs/both.rfpack").toPath()), read("packs/both-2.rfpack")), place + ": the next update");
        if (cut % 6 > 0) continue;
        phone.otherwise = request -> path(request).equals("manifest.json") ? new Response(200, read("manifests/1.json")) : answer(request);
        same(failure(phone), FormatException.class, place + ": an older manifest");
      }
    }
  }

  private static void fullDisk(File folder) throws IOException {
    for (int full = 1; full < 25; full += 2) {
      Phone phone = phone(folder);
      FaultyDisk disk = new FaultyDisk();
      disk.adopt(new File(folder, "packs/both.rfpack"));
      disk.fullFrom = full;
      phone.disk = disk;
      failure(phone);
      checkPack(folder, "full from operation " + full);
      disk.fullFrom = 0;
      phone.client().updatePacks();
      that(Arrays.equals(Files.readAllBytes(new File(folder, "packs/both.rfpack").toPath()), read("packs/both-2.rfpack")), "the next update");
    }
  }
}
