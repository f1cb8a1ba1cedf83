// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import ringfence.client.Transport.Answer;
import ringfence.client.Transport.Head;
import ringfence.client.Transport.Request;
import ringfence.reader.Digests;
import ringfence.reader.FormatException;
import ringfence.reader.Json;
import ringfence.reader.Manifest;
import ringfence.reader.PackDelta;
import ringfence.reader.PackDescription;
import ringfence.reader.PackReader;
import ringfence.reader.PackSource;
import ringfence.reader.SeenManifest;
import ringfence.reader.TrustStore;

/**
 * Updates packs by Publication.md, section 9: roots, manifest, bins and descriptions, deltas or packs, checks, and moves into place.
 *
 * <p>The state is saved before packs are moved. If the process dies in between, older publications stay refused, and the next update
 * compares the files themselves and fetches the rest. A refused publication is a {@link FormatException}; the packs of before stay.
 */
public final class PackUpdater {
  /** The outcome of an update. */
  public static final class Result {
    /** The serial of the publication. */ public final long serial;
    /** The end of its validity, in seconds since 1970. Update before. */ public final long expires;
    /** The names of packs that changed. */ public final List<String> changed = new ArrayList<String>();
    /** The names of packs that the publication no longer has. They are deleted: nothing in them is listed any more. */
    public final List<String> missing = new ArrayList<String>();
    /** The bytes of packs and deltas that were fetched. */ public long fetchedBytes;

    private Result(Manifest manifest) {
      serial = manifest.identity().serial();
      expires = manifest.expires();
    }
  }

  /** The most failures in a row, the most requests for one file, and the most bytes of documents. */
  private static final int ATTEMPTS = 4, REQUESTS = 64, DOCUMENT = 1 << 20, ENVELOPE = 1_406_293;

  private static final String MANIFEST = "manifest.json";

  private final ClientConfiguration configuration;
  private final Transport transport;
  private final Environment environment;
  private final Disk disk;
  private final String key;
  private final File partial, state;
  /** The serial of the last update; 0 for none. */ private long heldSerial;

  PackUpdater(ClientConfiguration configuration, Transport transport, Environment environment, Disk disk) {
    if (configuration.root == null && configuration.publicKey == null) {
      throw new IllegalStateException("Give the client a root or a key: without one no pack can be trusted.");
    }
    this.configuration = configuration;
    this.transport = transport;
    this.environment = environment;
    this.disk = disk;
    key = configuration.publicationsAreTheServers() ? configuration.key : null;
    partial = new File(configuration.folder, "partial");
    state = new File(configuration.folder, "seen.json");
  }

  /** Returns the packs of a configuration on this phone, for look-ups without the network. */
  public static PackFolder folder(ClientConfiguration configuration) {
    return new PackFolder(packs(configuration.folder), configuration.packs);
  }

  private static File packs(File folder) { return new File(folder, "packs"); }

  Result update() throws IOException {
    Disk.makeFolder(packs(configuration.folder));
    Disk.makeFolder(partial);
    try (Closeable lock = Disk.lock(new File(configuration.folder, "updating"), false)) {
      if (lock == null) throw new ClientException(ClientException.Kind.BUSY, "Another update is running.");
      return updateAlone();
    }
  }

  private Result updateAlone() throws IOException {
    String anchor = Digests.hex(Digests.sha256(configuration.root != null ? configuration.root : configuration.publicKey));
    TrustStore trust = configuration.root != null ? TrustStore.ofRoot(configuration.root) : TrustStore.ofKey(configuration.publicKey);
    SeenManifest seen = null;
    try {
      byte[] saved = Disk.read(state, 8 << 20);
      Map<?, ?> known = saved == null ? null : Json.object(saved);
      if (known != null && anchor.equals(known.get("anchor"))) {
        if (known.get("root") != null) trust = TrustStore.ofRoot(Base64.getDecoder().decode(Json.text(known, "root")));
        seen = new SeenManifest(Long.parseLong(Json.text(known, "serial")), Json.text(known, "sha256"));
      }
    } catch (IOException | RuntimeException exception) {
      // A damaged state begins again: a root in it was signed, and without one the anchor is trusted.
      seen = null;
    }
    heldSerial = seen == null ? 0 : seen.serial();
    followRoots(trust);
    Manifest manifest = trust.verify(document(MANIFEST, ENVELOPE), environment.now() / 1_000, seen);
    Result result = new Result(manifest);
    for (String name : configuration.packs) {
      int bin = manifest.bin(name);
      String digest = manifest.readBin(bin, document(manifest.binPath(bin), DOCUMENT)).get(name);
      if (digest == null) {
        result.missing.add(name);
        continue;
      }
      byte[] description = document(Manifest.descriptionPath(digest), DOCUMENT);
      if (stage(manifest.readDescription(name, digest, description), result)) result.changed.add(name);
    }
    String root = trust.root() == null ? null : Base64.getEncoder().encodeToString(trust.root());
    SeenManifest next = manifest.identity();
    String saved = Json.object("anchor", anchor, "root", root, "serial", "" + next.serial(), "sha256", next.sha256());
    disk.replace(state, saved.getBytes(Json.UTF8));
    for (String name : result.changed) disk.rename(staged(name), pack(name));
    for (String name : result.missing) disk.delete(pack(name));
    disk.syncFolder(packs(configuration.folder));
    // No update needs these any more.
    File[] rest = partial.listFiles();
    for (File file : rest == null ? new File[0] : rest) disk.delete(file);
    return result;
  }

  private void followRoots(TrustStore trust) throws IOException {
    // With only a key, roots before it are skipped: the key may have come with a later one.
    for (int i = 0; i < 1_000; i++) {
      byte[] root = documentOrNull("roots/" + trust.nextRoot() + ".root.json", DOCUMENT);
      if (root == null) return;
      trust.follow(root);
    }
  }

  private File pack(String name) { return new File(packs(configuration.folder), name + ".rfpack"); }
  private File staged(String name) { return new File(partial, name + ".staged"); }

  /** Fetches a pack or its delta to a file beside it, and checks it; false when the phone has the pack already. */
  private boolean stage(PackDescription pack, Result result) throws IOException {
    File held = pack(pack.name());
    String sha256 = held.exists() ? sha256(held) : "";
    if (sha256.equals(pack.file().sha256())) return false;
    PackDescription.Delta delta = pack.deltaFrom(sha256);
    if (delta != null) {
      try {
        apply(delta, held, pack);
        result.fetchedBytes += delta.bytes();
        return true;
      } catch (FormatException | ClientException exception) {
        // The complete pack replaces a delta with any error of its own.
        if (exception instanceof ClientException && ((ClientException) exception).kind != ClientException.Kind.STATUS) throw exception;
      }
    }
    File file = fetch(pack.file(), source -> {
      try (PackReader reader = PackReader.open(source, Long.MAX_VALUE)) {
        pack.check(reader);
      }
    });
    try (Disk.Appender written = disk.append(file, file.length())) {
      written.sync();
    }
    disk.rename(file, staged(pack.name()));
    result.fetchedBytes += pack.file().bytes();
    return true;
  }

  private void apply(PackDescription.Delta delta, File base, PackDescription pack) throws IOException {
    File file = fetch(delta, delta::check);
    File result = staged(pack.name());
    try (PackReader reader = PackReader.open(base); Disk.Appender written = disk.append(result, 0)) {
      BufferedOutputStream out = new BufferedOutputStream(written, 8_192);
      PackDelta.open(file).apply(reader, out);
      out.flush();
      written.sync();
      try (PackReader made = PackReader.open(result)) {
        pack.check(made);
      }
    } catch (IOException exception) {
      disk.delete(result);
      throw exception;
    } finally {
      disk.delete(file);
    }
  }

  private static String sha256(File file) throws IOException {
    try (PackSource source = PackSource.open(file)) {
      return Digests.hex(source.sha256());
    }
  }

  // Downloads.

  private interface Check { void of(PackSource source) throws IOException; }

  private byte[] document(String path, int limit) throws IOException {
    byte[] bytes = documentOrNull(path, limit);
    if (bytes == null) throw new ClientException(ClientException.Kind.STATUS, "The publication has no file " + path + ".");
    return bytes;
  }

  private byte[] documentOrNull(String path, int limit) throws IOException {
    for (int attempt = 1; ; attempt++) {
      long asked = 0;
      try {
        Request request = new Request("GET", configuration.publications, path, key, null);
        if (path.equals(MANIFEST) && configuration.product != null) {
          request.fields.put("Ringfence-Client", configuration.product + "; serial=" + heldSerial);
        }
        Answer answer = Answer.of(transport, request, limit);
        checkKey(answer.head);
        if (answer.head.status == 200) return answer.body();
        // An object store answers 403 for a missing file.
        if (answer.head.status == 403 || answer.head.status == 404 || answer.head.status == 410) return null;
        asked = retry(answer.head);
      } catch (ClientException exception) {
        if (exception.kind != ClientException.Kind.NETWORK) throw exception;
      }
      pause(attempt, asked);
    }
  }

  /** Fetches a file of known length, and continues an interrupted download; a continued one with wrong content begins once more. */
  private File fetch(PackDescription.Part part, Check check) throws IOException {
    File file = new File(partial, part.sha256());
    if (file.length() > part.bytes()) disk.delete(file);
    while (true) {
      boolean isNew = file.length() == 0;
      int failures = 0;
      for (int requests = 0; file.length() < part.bytes(); requests++) {
        long before = file.length();
        if (requests == REQUESTS) throw ClientException.network("The publication sends small pieces.");
        long asked = new Download(file, part.bytes()).run(part.path());
        if (file.length() == part.bytes()) break;
        failures = file.length() > before ? 1 : failures + 1;
        pause(failures, asked);
      }
      try (PackSource source = PackSource.open(file)) {
        check.of(source);
        return file;
      } catch (FormatException exception) {
        disk.delete(file);
        if (isNew) throw exception;
      }
    }
  }

  /** A response that is written behind what a file has. */
  private final class Download implements Transport.Receiver {
    private final File file;
    private final long bytes, start;
    private Disk.Appender out;
    private long left, asked;
    private boolean isDiskFault;

    private Download(File file, long bytes) {
      this.file = file;
      this.bytes = bytes;
      start = file.length();
    }

    /** Sends a request, and returns the pause that the server asks for, in milliseconds. */
    private long run(String path) throws IOException {
      Request request = new Request("GET", configuration.publications, path, key, null);
      if (start > 0) request.fields.put("Range", "bytes=" + start + "-");
      try {
        transport.send(request, this);
      } catch (ClientException exception) {
        // A server that refuses the rest gets a request for all of it next time.
        if (exception.kind == ClientException.Kind.STATUS) disk.delete(file);
        if (exception.kind != ClientException.Kind.NETWORK) throw exception;
      } catch (IOException exception) {
        // A full disk is not kept full.
        if (isDiskFault) disk.delete(file);
        if (isDiskFault || Thread.currentThread().isInterrupted()) throw exception;
      } finally {
        if (out != null) out.close();
      }
      return asked;
    }

    @Override
    public boolean head(Head head) throws IOException {
      checkKey(head);
      String range = head.field("Content-Range");
      boolean isRest = head.status == 206 && start > 0 && range != null && range.startsWith("bytes " + start + "-");
      if (head.status != 200 && !isRest) {
        asked = retry(head);
        return false;
      }
      head.checkBody(bytes);
      left = bytes - (isRest ? start : 0);
      isDiskFault = true;
      out = disk.append(file, isRest ? start : 0);
      isDiskFault = false;
      return true;
    }

    @Override
    public void body(byte[] piece, int count) throws IOException {
      left -= count;
      if (left < 0) throw ClientException.network("The response is longer than announced.");
      isDiskFault = true;
      out.write(piece, 0, count);
      isDiskFault = false;
    }
  }

  private void checkKey(Head head) throws ClientException {
    ClientException.Kind refusal = head.keyRefusal(key != null);
    if (refusal != null) throw ClientException.key(refusal);
  }

  /** Returns the pause that the server asks for, or fails where waiting does not help. */
  private long retry(Head head) throws ClientException {
    boolean mayHelp = head.status >= 500 || head.status == 429 || head.status == 408;
    if (!mayHelp) throw new ClientException(ClientException.Kind.STATUS, "The server answered with status " + head.status + ".");
    return head.retryAfter(environment.now());
  }

  private void pause(int attempt, long asked) throws IOException {
    long pause = Math.max(asked, Pause.own(attempt, environment.chance()));
    if (attempt >= ATTEMPTS || pause > 60_000) throw ClientException.network("The publication cannot be fetched now.");
    try {
      environment.sleep(pause);
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("The update was canceled.");
    }
  }
}
