// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The description of one pack in a publication (Publication.md, section 7). */
public final class PackDescription {
  /** A file of a publication. */
  public static class Part {
    private final String path;
    private final long bytes;
    private final String sha256;

    Part(Fields fields) throws FormatException {
      path = fields.path("path");
      bytes = fields.integer("bytes", 0, 0xFFFFFFFFL);
      sha256 = fields.digest("sha256");
    }

    /** Returns the path, relative to the folder of the manifest. */
    public String path() { return path; }
    /** Returns the length of the file. */
    public long bytes() { return bytes; }
    /** Returns the SHA-256 of the file. */
    public String sha256() { return sha256; }

    /** Checks length and SHA-256 of a file that was fetched, before anything else is read of it. */
    public void check(PackSource file) throws IOException {
      require(file.length() == bytes, path + " has " + file.length() + " bytes instead of " + bytes);
      require(Digests.hex(file.sha256()).equals(sha256), path + " has another SHA-256");
    }
  }

  /** A delta to the pack. */
  public static final class Delta extends Part {
    private final String from;

    private Delta(Fields fields, long serial) throws FormatException {
      super(fields);
      from = fields.digest("from_sha256");
      fields.integer("from_serial", 1, serial - 1);
    }

    /** Checks also the size of the result, which the delta's header has. */
    @Override
    public void check(PackSource file) throws IOException {
      super.check(file);
      byte[] result = new byte[PackHeader.BYTES];
      require(file.length() >= 132 + result.length, path() + " is shorter than a delta's header");
      file.read(132, result, 0, result.length);
      new PackHeader(result, 0).checkContent();
    }

    /** Returns the SHA-256 of the file that the delta starts from. */
    public String from() { return from; }
  }

  private final String name;
  private final PackKind kind;
  private final String region;
  private final long serial, entries, first, last;
  private final String contentDigest;
  private final Part file;
  private final List<Delta> deltas = new ArrayList<Delta>();

  PackDescription(byte[] bytes, String name, long newest) throws FormatException {
    Fields pack = Fields.document(bytes, "pack", 1);
    this.name = name;
    require(pack.text("name").equals(name), "the description is of another pack");
    kind = kind(pack.text("kind"));
    region = pack.has("region") ? pack.text("region") : "";
    serial = pack.integer("serial", 1, newest);
    entries = pack.integer("entries", 0, 16_777_216);
    if (pack.has("shard")) pack.integer("shard", 1, Long.MAX_VALUE);
    require(pack.has("first") == entries > 0 && pack.has("last") == entries > 0, "first and last do not fit the entries");
    first = entries > 0 ? pack.integer("first", 1, PackHeader.MAXIMUM_NUMBER) : 0;
    last = entries > 0 ? pack.integer("last", first, PackHeader.MAXIMUM_NUMBER) : 0;
    file = new Part(pack);
    contentDigest = pack.digest("content_sha256");
    for (Object item : pack.list("deltas")) deltas.add(new Delta(Fields.of(item), serial));
    for (Object item : pack.list("formats")) {
      Fields.name(Fields.of(item).text("format"));
      new Part(Fields.of(item));
    }
  }

  private static PackKind kind(String text) throws FormatException {
    for (PackKind kind : PackKind.values()) if (kind.name().toLowerCase(Locale.ROOT).equals(text)) return kind;
    throw new FormatException("the kind of the pack is unknown");
  }

  /** Returns the name of the pack. */
  public String name() { return name; }
  /** Returns the number of entries. */
  public long entries() { return entries; }
  /** Returns the complete pack. */
  public Part file() { return file; }

  /**
   * Returns the shortest delta from a file that is shorter than the complete pack, or null.
   * @param sha256 the SHA-256 of the file held, in hexadecimal digits
   */
  public Delta deltaFrom(String sha256) {
    Delta best = null;
    for (Delta delta : deltas) {
      long most = best == null ? file.bytes() : best.bytes();
      if (delta.from().equals(sha256) && delta.bytes() < most) best = delta;
    }
    return best;
  }

  /** Checks a pack that was fetched or that a delta made: file, header, every entry, and that these are the described ones. */
  public void check(PackReader pack) throws IOException {
    file.check(pack.source());
    PackHeader header = pack.header();
    header.checkContent();
    require(header.kind() == kind && header.region().equals(region), "the pack has another kind or region");
    require(header.serial() == serial && header.entries() == entries, "the pack has another serial or count");
    require(pack.firstNumber() == first && header.lastNumber() == last, "the pack has another first or last number");
    require(Digests.hex(pack.contentDigest()).equals(contentDigest), "the pack has other entries");
  }
}
