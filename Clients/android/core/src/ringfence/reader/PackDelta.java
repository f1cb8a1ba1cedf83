// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;
import static ringfence.reader.LittleEndian.u16;
import static ringfence.reader.LittleEndian.u32;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;

/** A delta, which turns one pack into its successor bit for bit (section 8). Its payload is in memory. */
public final class PackDelta {
  private static final byte[] MAGIC = {0x52, 0x46, 0x44, 0x4C, 0x54, 0x41, 0x1A, 0x0A};
  private static final int START = 264;
  private final byte[] data;
  private final PackHeader header;
  private final long baseEntries;
  private final int removed, added, changed;
  /** Where each column starts, and where the last one ends: removed, changed, added, dictionary, labels. */
  private final int[] at = new int[6];

  private PackDelta(PackSource source, long memoryLimit) throws IOException {
    long length = source.length();
    require(length >= START, "the file has " + length + " bytes, fewer than a delta's header");
    byte[] start = new byte[START];
    source.read(0, start, 0, START);
    require(Bytes.equal(MAGIC, start, 0), "this is not a delta");
    require(u16(start, 8) == 1, "the delta's version is unknown");
    require(u32(start, 260) == Digests.crc(start, 0, 260), "the delta's header is corrupt");
    require(u16(start, 10) == 0 && u32(start, 128) == 0, "a flag or a reserved byte is not 0");
    header = new PackHeader(start, 132);
    long end = START;
    for (int i = 0; i < 5; i++) end += u32(start, 100 + 4 * i);
    require(end == length && u32(start, 124) == length, "the file has another length than its header declares");
    require(length - START <= 67_108_864, "the delta has more than 67108864 bytes");
    require(length <= memoryLimit, "the delta needs " + length + " bytes of memory, more than " + memoryLimit);
    baseEntries = u32(start, 12);
    require(baseEntries <= 16_777_216, "the base has too many entries");
    long gone = u32(start, 88);
    long fresh = u32(start, 92);
    long other = u32(start, 96);
    require(baseEntries - gone >= other && baseEntries - gone + fresh == header.entries, "the counts do not add up");
    require(header.kind != 1 || other == 0, "an entry that only blocks changes");
    removed = (int) gone;
    added = (int) fresh;
    changed = (int) other;
    at[0] = START;
    for (int i = 0; i < 5; i++) at[i + 1] = at[i] + (int) u32(start, 100 + 4 * i);
    require(has(0) == removed > 0 && has(1) == changed > 0 && has(2) == added > 0, "a column is missing");
    require(!has(3) || at[4] - at[3] == header.stored, "the dictionary has another length");
    require(has(4) == (header.stored > 0 && added + changed > 0), "the label column does not fit the counts");
    data = new byte[(int) length];
    source.read(0, data, 0, data.length);
    require(u32(data, 120) == Digests.crc(data, START, data.length), "the delta is corrupt");
  }

  private boolean has(int column) { return at[column + 1] > at[column]; }

  /** Opens a file and reads it. */
  public static PackDelta open(File file) throws IOException {
    PackSource source = PackSource.open(file);
    try {
      return open(source, Long.MAX_VALUE);
    } finally {
      source.close();
    }
  }

  /**
   * Reads a source.
   * @param memoryLimit the most bytes that the delta may have
   */
  public static PackDelta open(PackSource source, long memoryLimit) throws IOException {
    return new PackDelta(source, memoryLimit);
  }

  /**
   * Writes the result.
   * @param out what it has after an exception is not a pack: discard it
   * @throws FormatException when the base is another file, or a file breaks a rule
   */
  public void apply(PackReader base, OutputStream out) throws IOException {
    require(Bytes.equal(base.sha256(), data, 24), "this is not the delta's base");
    require(base.header().kind == header.kind && base.header().entries == baseEntries, "the base has another kind or count");
    require(base.header().serial == LittleEndian.u64(data, 16), "the base has another serial");
    PackSource stored = has(3) ? PackSource.of(data) : base.source();
    long storedAt = has(3) ? at[3] : PackHeader.BYTES;
    PackDictionary dictionary = null;
    if (header.stored > 0) {
      require(has(3) || base.header().stored == header.stored, "the base has another dictionary");
      dictionary = PackDictionary.load(stored, storedAt, header);
    }
    NumberColumn gone = column(0, removed, 0, baseEntries - 1);
    NumberColumn other = column(1, changed, 0, baseEntries - 1);
    NumberColumn fresh = column(2, added, 1, header.last);
    LabelColumn labels = dictionary == null ? null : new LabelColumn(dictionary, header);
    if (labels != null) labels.start(data, at[4], at[5]);
    PackWriter writer = new PackWriter(header, dictionary, stored, storedAt, out);
    merge(base.cursor(), new Positions(gone, removed), new Positions(other, changed), new Positions(fresh, added), labels, writer);
    for (NumberColumn column : new NumberColumn[] {gone, other, fresh}) if (column != null) column.finish();
    if (labels != null) labels.finish();
    writer.finish(data, 56);
  }

  private NumberColumn column(int column, int count, long low, long high) throws FormatException {
    if (count == 0) return null;
    NumberColumn numbers = new NumberColumn();
    numbers.start(data, at[column] + 1, at[column + 1], data[at[column]], count, low, high);
    return numbers;
  }

  /** The values of a column, of which the first that is left can be seen. */
  private static final class Positions {
    private final NumberColumn column;
    private int left;
    private long value = Long.MAX_VALUE;

    Positions(NumberColumn column, int count) throws FormatException {
      this.column = column;
      left = count;
      step();
    }

    void step() throws FormatException { value = left-- > 0 ? column.next() : Long.MAX_VALUE; }
  }

  private static void merge(PackCursor base, Positions gone, Positions other, Positions fresh, LabelColumn labels, PackWriter writer)
      throws IOException {
    for (long rank = 0; base.next(); rank++) {
      while (fresh.value < base.number()) add(fresh, labels, writer);
      require(fresh.value != base.number(), "an added number is in the base");
      if (gone.value == rank) {
        require(other.value != rank, "an entry is removed and changed");
        gone.step();
      } else if (other.value == rank) {
        other.step();
        if (labels != null) labels.next();
        boolean isSame = base.roles() == roles(labels)
            && Bytes.equal(base.labelBytes(), base.labelLength(), bytes(labels), length(labels));
        require(!isSame, "an entry changes into itself");
        writer.add(base.number(), roles(labels), bytes(labels), length(labels));
      } else {
        writer.add(base.number(), base.roles(), base.labelBytes(), base.labelLength());
      }
    }
    while (fresh.value != Long.MAX_VALUE) add(fresh, labels, writer);
  }

  private static void add(Positions fresh, LabelColumn labels, PackWriter writer) throws IOException {
    if (labels != null) labels.next();
    writer.add(fresh.value, roles(labels), bytes(labels), length(labels));
    fresh.step();
  }

  private static int roles(LabelColumn labels) { return labels == null ? 1 : labels.roles(); }
  private static byte[] bytes(LabelColumn labels) { return labels == null ? LabelColumn.NONE : labels.bytes(); }
  private static int length(LabelColumn labels) { return (roles(labels) & 2) == 0 ? 0 : labels.length(); }
}
