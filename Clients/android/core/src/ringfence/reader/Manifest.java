// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The head of a publication, verified (Publication.md, sections 5 and 6). */
public final class Manifest {
  static final String TYPE = "application/vnd.ringfence.manifest+json";
  private final SeenManifest identity, previous;
  private final long issued, expires;
  private final List<String> bins = new ArrayList<String>();

  Manifest(byte[] payload) throws FormatException {
    Fields head = Fields.document(payload, "manifest", 3);
    identity = new SeenManifest(head.integer("serial"), Digests.hex(Digests.sha256(payload)));
    issued = head.time("issued");
    expires = head.time("expires");
    require(head.time("as_of") <= issued && issued < expires, "the times of the manifest are not in order");
    if (head.has("previous")) {
      Fields link = head.object("previous");
      previous = new SeenManifest(link.integer("serial", 1, identity.serial() - 1), link.digest("sha256"));
    } else {
      previous = null;
    }
    for (Object digest : head.list("bins")) bins.add(Fields.digestOf(digest));
    require(bins.size() <= 4_096 && Integer.bitCount(bins.size()) == 1, "the number of bins is not a power of two");
  }

  void check(long now, SeenManifest seen) throws FormatException {
    if (seen != null && !seen.isSame(identity)) {
      require(identity.serial() > seen.serial(), "the manifest is older than the one seen last");
      boolean continues = previous != null && previous.serial() >= seen.serial();
      require(continues && (previous.serial() > seen.serial() || previous.isSame(seen)), "the manifest continues another one");
    }
    require(now < expires, "the manifest has expired");
  }

  /** Returns the serial and the digest, which the next {@link TrustStore#verify} takes. */
  public SeenManifest identity() { return identity; }
  /** Returns the time of the publication, in seconds since 1970. */
  public long issued() { return issued; }
  /** Returns the time from which on the manifest must not be used, in seconds since 1970. */
  public long expires() { return expires; }
  /** Returns the number of bins, a power of two. */
  public int bins() { return bins.size(); }
  /** Returns the index of the bin that has a pack. */
  public int bin(String pack) { return bin(pack, bins.size()); }
  /** Returns the path of a bin, relative to the folder of the manifest. */
  public String binPath(int index) { return "bins/" + bins.get(index) + ".json"; }

  /** Returns the digests of the descriptions of a bin's packs, by name. */
  public Map<String, String> readBin(int index, byte[] file) throws FormatException {
    require(Digests.hex(Digests.sha256(file)).equals(bins.get(index)), "the bin has another SHA-256");
    return readBin(index, bins.size(), file);
  }

  /** Returns the path of a description, relative to the folder of the manifest. */
  public static String descriptionPath(String digest) { return "descriptions/" + digest + ".json"; }

  /**
   * Reads the description of a pack.
   * @param digest the digest that the bin has for the name
   */
  public PackDescription readDescription(String name, String digest, byte[] file) throws FormatException {
    require(Digests.hex(Digests.sha256(file)).equals(digest), "the description has another SHA-256");
    return new PackDescription(file, name, identity.serial());
  }

  static Map<String, String> readBin(int index, int count, byte[] file) throws FormatException {
    Map<String, String> packs = new TreeMap<String, String>();
    for (Map.Entry<?, ?> item : Fields.document(file, "bin", 1).object("packs").values().entrySet()) {
      String name = Fields.name(item.getKey());
      require(bin(name, count) == index, "a pack is in the bin of another name");
      packs.put(name, Fields.digestOf(item.getValue()));
    }
    return Collections.unmodifiableMap(packs);
  }

  private static int bin(String name, int count) {
    byte[] digest = Digests.sha256(name.getBytes(Json.UTF8));
    long start = 0;
    for (int i = 0; i < 4; i++) start = start << 8 | digest[i] & 0xFF;
    return (int) (start >> 32 - Integer.numberOfTrailingZeros(count));
  }
}
