// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.io.IOException;

/** Walks over the entries of a pack in ascending order, in the memory of one block. A cursor belongs to one thread. */
public final class PackCursor {
  private final PackReader reader;
  private final PackHeader header;
  private final byte[] bytes;
  private final NumberColumn numbers = new NumberColumn();
  private final LabelColumn labels;
  private int block = -1;
  private int left;
  private boolean isFirst;
  private boolean isWalk = true;
  private long number, entries, blocking, identifying;
  private int longest;

  PackCursor(PackReader reader) throws IOException {
    this.reader = reader;
    header = reader.header();
    PackDictionary dictionary = reader.dictionary();
    bytes = new byte[header.maximumBlock];
    labels = dictionary == null ? null : new LabelColumn(dictionary, header);
  }

  /**
   * Moves to the next entry.
   * @return false after the last entry
   * @throws FormatException when the pack breaks a rule; discard then also the entries before
   */
  public boolean next() throws IOException {
    if (left == 0) {
      finish();
      if (block + 1 >= header.blocks) {
        if (isWalk) checkTotals();
        return false;
      }
      load(block + 1);
    }
    nextNumber();
    if (labels != null) labels.next();
    entries++;
    blocking += roles() & 1;
    identifying += roles() >> 1;
    longest = Math.max(longest, labelLength());
    return true;
  }

  /** Moves to the last of the entries that follow the current one without a gap in its block, where the pack has no labels. */
  void skipFollowing() throws IOException {
    if (labels != null) return;
    for (int run; left > 0 && (run = numbers.run(number)) > 0; ) {
      numbers.skip(run);
      number += run;
      left -= run;
      entries += run;
      blocking += run;
    }
  }

  /**
   * Returns the entry of a number, or null, and ends the walk. For many lookups, one cursor saves memory.
   * @param wanted the country code and the national digits
   */
  public PackEntry lookup(long wanted) throws IOException {
    int found = reader.block(wanted);
    if (found < 0) return null;
    isWalk = false;
    left = 0;
    load(found);
    PackEntry entry = null;
    while (left > 0 && number < wanted) {
      nextNumber();
      if (labels != null) labels.next();
      if (number == wanted) entry = entry();
    }
    // The rest of the column is decoded, because a lookup checks its end and the last number as well.
    int rest = left;
    for (int i = 0; i < rest; i++) nextNumber();
    numbers.finish();
    require(found + 1 < header.blocks || number == header.last, "the last number is not exact");
    block = header.blocks;
    return entry;
  }

  /** Returns the number of the entry. */
  public long number() { return number; }
  /** Says whether calls from the number are to be blocked. */
  public boolean blocks() { return (roles() & 1) != 0; }
  /** Says whether calls from the number are to be shown with the label. */
  public boolean identifies() { return (roles() & 2) != 0; }
  /** Returns the label of an entry that identifies, else null. */
  public String label() { return identifies() ? new String(labels.bytes(), 0, labels.length(), Json.UTF8) : null; }
  /** Returns the entry as a value. */
  public PackEntry entry() { return new PackEntry(number, roles(), label()); }
  int roles() { return labels == null ? 1 : labels.roles(); }
  /** Returns an array whose first bytes are the label of an entry that identifies. */
  byte[] labelBytes() { return labels == null ? LabelColumn.NONE : labels.bytes(); }
  int labelLength() { return identifies() ? labels.length() : 0; }

  private void load(int next) throws IOException {
    block = next;
    int count = reader.read(next, bytes);
    require(count >= 4, "a block is shorter than its start");
    int size = LittleEndian.u16(bytes, 1) | (bytes[3] & 0xFF) << 16;
    require(size <= count - 4, "the number column is longer than its block");
    left = reader.entries(next);
    long first = reader.first(next);
    numbers.start(bytes, 4, 4 + size, bytes[0], left - 1, first + 1, reader.high(next));
    require(labels != null || 4 + size == count, "bytes follow the numbers");
    if (labels != null) labels.start(bytes, 4 + size, count);
    number = 0;
    isFirst = true;
  }

  private void nextNumber() throws IOException {
    number = isFirst ? reader.first(block) : numbers.next();
    isFirst = false;
    left--;
  }

  private void finish() throws IOException {
    if (block < 0 || block >= header.blocks) return;
    numbers.finish();
    if (labels != null) labels.finish();
  }

  private void checkTotals() throws FormatException {
    isWalk = false;
    require(entries == header.entries && number == header.last, "the last number is not exact");
    require(blocking == header.blocking, "the count of blocking entries is not exact");
    require(identifying == header.identifying, "the count of identifying entries is not exact");
    require(longest == header.maximumLabel, "the maximum label is not exact");
  }
}
