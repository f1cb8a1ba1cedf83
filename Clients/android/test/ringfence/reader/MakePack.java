// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Random;

/** Writes a pack of numbers that block: MakePack COUNT FILE. Each number is 1 to 900 above the one before. */
final class MakePack {
  private static final int SHIFT = 7;

  public static void main(String[] arguments) throws IOException {
    int count = Integer.parseInt(arguments[0]);
    Random random = new Random(2);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    ByteArrayOutputStream index = new ByteArrayOutputStream();
    int longest = 0;
    long number = 493_000_000_000L + random.nextInt(900);
    for (int entries = 0; entries < count; ) {
      int size = Math.min(1 << SHIFT, count - entries);
      long[] numbers = new long[size];
      for (int i = 0; i < size; i++, number += 1 + random.nextInt(900)) numbers[i] = number;
      entries += size;
      BitWriter column = new BitWriter();
      long high = entries < count ? number - 1 : numbers[size - 1];
      NumberColumn.write(column, 0, numbers, 1, size - 1, numbers[0] + 1, high);
      byte[] block = new byte[4 + column.length()];
      LittleEndian.put(block, 1, column.length(), 3);
      System.arraycopy(column.bytes(), 0, block, 4, column.length());
      byte[] row = new byte[16];
      LittleEndian.put(row, 0, numbers[0], 8);
      LittleEndian.put(row, 8, PackHeader.BYTES + body.size(), 4);
      LittleEndian.put(row, 12, Digests.crc(block, 0, block.length), 4);
      index.write(row);
      body.write(block);
      longest = Math.max(longest, block.length);
      if (entries == count) write(new File(arguments[1]), count, longest, numbers[size - 1], body.toByteArray(), index.toByteArray());
    }
  }

  private static void write(File file, int count, int longest, long last, byte[] body, byte[] index) throws IOException {
    byte[] header = new byte[PackHeader.BYTES];
    System.arraycopy(PackHeader.MAGIC, 0, header, 0, 8);
    LittleEndian.put(header, 8, 1, 2);
    LittleEndian.put(header, 12, 1 | 2 << 8 | SHIFT << 16, 3);
    LittleEndian.put(header, 40, count, 4);
    LittleEndian.put(header, 44, count, 4);
    LittleEndian.put(header, 52, index.length / 16, 4);
    LittleEndian.put(header, 68, longest, 4);
    LittleEndian.put(header, 76, Digests.crc(index, 0, index.length), 4);
    LittleEndian.put(header, 80, last, 8);
    LittleEndian.put(header, 120, header.length + body.length + index.length, 4);
    LittleEndian.put(header, 124, Digests.crc(header, 0, 124), 4);
    try (FileOutputStream out = new FileOutputStream(file)) {
      out.write(header);
      out.write(body);
      out.write(index);
    }
  }
}
