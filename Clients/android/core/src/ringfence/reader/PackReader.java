// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;
import static ringfence.reader.LittleEndian.u32;
import static ringfence.reader.LittleEndian.u64;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Objects;

/**
 * Reads a pack. Opening reads only the header and the index; several threads may share a reader.
 *
 * <p>{@link #verify()} checks all bytes, and so does a walk over all entries. A lookup finds a broken rule only in the
 * block that it reads, so verify a pack once before you look numbers up in it.
 */
public final class PackReader implements Closeable {
  private final PackSource source;
  private final PackHeader header;
  private final long[] firsts;
  private final int[] starts, checksums;
  private PackDictionary dictionary;

  private PackReader(PackSource source, long memoryLimit) throws IOException {
    this.source = source;
    long length = source.length();
    require(length >= PackHeader.BYTES, "the file has " + length + " bytes, fewer than a header");
    byte[] start = new byte[PackHeader.BYTES];
    source.read(0, start, 0, start.length);
    header = new PackHeader(start, 0);
    require(header.length == length, "the file has " + length + " bytes instead of " + header.length);
    require(header.readerBytes() <= memoryLimit, "the pack needs " + header.readerBytes() + " bytes of memory, more than " + memoryLimit);
    int blocks = header.blocks;
    long indexAt = length - 16L * blocks;
    long body = PackHeader.BYTES + header.stored;
    require(body + 4L * blocks <= indexAt, "the parts do not fit the file");
    require(blocks > 0 || body == indexAt, "bytes are between the dictionary and the index");
    firsts = new long[blocks];
    starts = new int[blocks];
    checksums = new int[blocks];
    readIndex(indexAt, body);
  }

  private void readIndex(long indexAt, long body) throws IOException {
    java.util.zip.CRC32 checksum = new java.util.zip.CRC32();
    byte[] rows = new byte[Math.min(4096, 16 * firsts.length)];
    for (int i = 0; i < firsts.length; i++) {
      int at = 16 * i % 4096;
      if (at == 0) {
        int count = Math.min(4096, 16 * (firsts.length - i));
        source.read(indexAt + 16L * i, rows, 0, count);
        checksum.update(rows, 0, count);
      }
      firsts[i] = u64(rows, at);
      starts[i] = (int) u32(rows, at + 8);
      checksums[i] = (int) u32(rows, at + 12);
    }
    require(checksum.getValue() == header.indexChecksum, "the index is corrupt");
    long largest = 0;
    for (int i = 0; i < firsts.length; i++) {
      require(firsts[i] >= 1 && firsts[i] <= header.last, "a first number is out of range");
      require(i == 0 || firsts[i] - firsts[i - 1] >= 1L << header.shift, "first numbers do not ascend by a block");
      require(i > 0 || start(0) == body, "the first block is not after the dictionary");
      long end = i + 1 < firsts.length ? start(i + 1) : indexAt;
      require(start(i) < end, "blocks do not ascend");
      largest = Math.max(largest, end - start(i));
    }
    require(largest == header.maximumBlock, "the maximum block is not exact");
    if (firsts.length == 0) return;
    long room = header.last - firsts[firsts.length - 1];
    int left = entries(firsts.length - 1);
    require(room >= left - 1 && (left > 1 || room == 0), "the last number does not fit the last block");
  }

  /** Opens a file. Close the reader when it is not used any more. */
  public static PackReader open(File file) throws IOException { return open(PackSource.open(file), Long.MAX_VALUE); }

  /**
   * Opens a source, and closes it when it is not a pack.
   * @param memoryLimit the bytes of memory that a reader may need, by {@link PackHeader#readerBytes()}
   * @throws FormatException when this is not a pack, or needs more memory
   */
  public static PackReader open(PackSource source, long memoryLimit) throws IOException {
    try {
      return new PackReader(source, memoryLimit);
    } catch (IOException exception) {
      source.close();
      throw exception;
    }
  }

  /** Returns the header. */
  public PackHeader header() { return header; }
  /** Returns the first number; 0 when there is none. */
  public long firstNumber() { return firsts.length > 0 ? firsts[0] : 0; }
  /** Creates a cursor before the first entry. */
  public PackCursor cursor() throws IOException { return new PackCursor(this); }

  /**
   * Returns the entry of a number, or null. Decodes one block.
   * @param number the country code and the national digits
   */
  public PackEntry lookup(long number) throws IOException { return block(number) < 0 ? null : cursor().lookup(number); }

  /**
   * Visits the numbers of the pack as ranges in ascending order, each as long as possible. A pack of prefixes has few ranges for
   * millions of numbers.
   */
  public void forEachRange(RangeVisitor visitor) throws IOException {
    PackCursor cursor = cursor();
    boolean hasMore = cursor.next();
    while (hasMore) {
      long first = cursor.number();
      int roles = cursor.roles();
      String label = cursor.label();
      long last;
      do {
        cursor.skipFollowing();
        last = cursor.number();
        hasMore = cursor.next();
      } while (hasMore && cursor.number() == last + 1 && cursor.roles() == roles && Objects.equals(label, cursor.label()));
      visitor.range(first, last, (roles & 1) != 0, label);
    }
  }

  /** Checks everything in the pack. */
  public void verify() throws IOException {
    PackCursor cursor = cursor();
    while (cursor.next()) continue;
  }

  /** Computes the SHA-256 of the entries, as a manifest names it, and checks everything in the pack. */
  public byte[] contentDigest() throws IOException {
    MessageDigest digest = Digests.sha256();
    PackCursor cursor = cursor();
    byte[] start = new byte[11];
    while (cursor.next()) {
      LittleEndian.put(start, 0, cursor.number(), 8);
      start[8] = (byte) cursor.roles();
      LittleEndian.put(start, 9, cursor.labelLength(), 2);
      digest.update(start);
      digest.update(cursor.labelBytes(), 0, cursor.labelLength());
    }
    return digest.digest();
  }

  /** Computes the SHA-256 of the file. */
  public byte[] sha256() throws IOException { return source.sha256(); }
  /** Closes the source. */
  @Override
  public void close() throws IOException { source.close(); }
  PackSource source() { return source; }

  /** Returns the dictionary, which is read at the first call; null when there is none. */
  synchronized PackDictionary dictionary() throws IOException {
    if (dictionary == null && header.stored > 0) dictionary = PackDictionary.load(source, PackHeader.BYTES, header);
    return dictionary;
  }

  /** Returns the block that may have a number, or -1. */
  int block(long number) {
    if (number > header.last) return -1;
    int low = 0;
    int high = firsts.length;
    while (low < high) {
      int middle = low + high >>> 1;
      if (firsts[middle] <= number) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  int entries(int block) { return Math.min(1 << header.shift, header.entries - (block << header.shift)); }
  long first(int block) { return firsts[block]; }
  /** Returns the greatest number that a block may have. */
  long high(int block) { return block + 1 < firsts.length ? firsts[block + 1] - 1 : header.last; }
  private long start(int block) { return starts[block] & 0xFFFFFFFFL; }

  /** Reads a block, checks its CRC and returns its length. */
  int read(int block, byte[] into) throws IOException {
    long end = block + 1 < firsts.length ? start(block + 1) : header.length - 16L * firsts.length;
    int count = (int) (end - start(block));
    source.read(start(block), into, 0, count);
    require((int) Digests.crc(into, 0, count) == checksums[block], "a block is corrupt");
    return count;
  }
}
