// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;

/** Writes the entries of a delta's result with the header that the delta has, block by block (section 8.5). */
final class PackWriter {
  private final PackHeader header;
  private final OutputStream out;
  private final MessageDigest digest = Digests.sha256();
  private final LabelEncoder encoder;
  private final BitWriter labels = new BitWriter();
  private final BitWriter[] columns = {new BitWriter(), new BitWriter()};
  private final ByteArrayOutputStream index = new ByteArrayOutputStream();
  private final long[] numbers;
  private int count, roles;
  private long at, last, entries, blocking, identifying;
  private int maximumBlock, maximumLabel;

  PackWriter(PackHeader header, PackDictionary dictionary, PackSource stored, long storedAt, OutputStream out) throws IOException {
    this.header = header;
    this.out = out;
    encoder = dictionary == null ? null : new LabelEncoder(dictionary);
    numbers = new long[1 << header.shift];
    write(header.bytes, PackHeader.BYTES);
    byte[] piece = new byte[4096];
    for (int from = 0; from < header.stored; from += piece.length) {
      int part = Math.min(piece.length, header.stored - from);
      stored.read(storedAt + from, piece, 0, part);
      write(piece, part);
    }
    startBlock();
  }

  private void write(byte[] bytes, int length) throws IOException {
    out.write(bytes, 0, length);
    digest.update(bytes, 0, length);
    at += length;
  }

  private void startBlock() {
    count = 0;
    roles = 2;
    labels.clear();
    if (encoder != null) encoder.startBlock();
  }

  void add(long number, int newRoles, byte[] label, int length) throws IOException {
    if (count == numbers.length) writeBlock(number - 1);
    numbers[count++] = number;
    last = number;
    entries++;
    blocking += newRoles & 1;
    identifying += newRoles >> 1;
    maximumLabel = Math.max(maximumLabel, length);
    if (encoder == null) return;
    if (header.kind == 3) {
      int step = (newRoles - roles + 3) % 3;
      labels.put(step == 0 ? 0 : step + 1, step == 0 ? 1 : 2);
      roles = newRoles;
    }
    if ((newRoles & 2) != 0) encoder.write(labels, label, length);
  }

  private void writeBlock(long high) throws IOException {
    for (int variant = 0; variant < 2; variant++) {
      columns[variant].clear();
      NumberColumn.write(columns[variant], variant, numbers, 1, count - 1, numbers[0] + 1, high);
    }
    int variant = columns[1].bits() < columns[0].bits() ? 1 : 0;
    BitWriter column = columns[variant];
    byte[] block = new byte[4 + column.length() + labels.length()];
    block[0] = (byte) variant;
    LittleEndian.put(block, 1, column.length(), 3);
    System.arraycopy(column.bytes(), 0, block, 4, column.length());
    System.arraycopy(labels.bytes(), 0, block, 4 + column.length(), labels.length());
    byte[] row = new byte[16];
    LittleEndian.put(row, 0, numbers[0], 8);
    LittleEndian.put(row, 8, at, 4);
    LittleEndian.put(row, 12, Digests.crc(block, 0, block.length), 4);
    index.write(row, 0, 16);
    maximumBlock = Math.max(maximumBlock, block.length);
    write(block, block.length);
    startBlock();
  }

  /** Writes the last block and the index, and compares everything with the header and the SHA-256 of the result. */
  void finish(byte[] delta, int sha256At) throws IOException {
    if (count > 0) writeBlock(last);
    byte[] rows = index.toByteArray();
    write(rows, rows.length);
    boolean fits = entries == header.entries && blocking == header.blocking && identifying == header.identifying;
    fits &= rows.length == 16 * header.blocks && maximumBlock == header.maximumBlock && at == header.length;
    fits &= maximumLabel == header.maximumLabel && last == header.last;
    require(fits && Digests.crc(rows, 0, rows.length) == header.indexChecksum, "the result has another header");
    require(Bytes.equal(digest.digest(), delta, sha256At), "the result has another SHA-256");
  }
}
