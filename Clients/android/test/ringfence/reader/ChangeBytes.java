// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.File;
import java.io.IOException;
import java.util.Random;

/**
 * Changes bytes of packs and deltas, corrects their CRCs, and reads them: ChangeBytes ROUNDS FOLDER. Every file must be
 * read or refused with a FormatException; any other exception ends the program.
 */
final class ChangeBytes {
  public static void main(String[] arguments) throws IOException {
    int rounds = Integer.parseInt(arguments[0]);
    File folder = new File(arguments[1]);
    Random random = new Random(1);
    int accepted = 0;
    for (File file : folder.listFiles()) {
      String name = file.getName();
      if (!name.endsWith(".rfpack") && !name.endsWith(".rfdelta")) continue;
      byte[] original = RunVectors.readFile(file);
      for (int round = 0; round < rounds; round++) {
        byte[] changed = original.clone();
        for (int i = random.nextInt(3); i >= 0; i--) changed[random.nextInt(changed.length)] ^= 1 << random.nextInt(8);
        try {
          if (name.endsWith(".rfpack")) {
            correctPack(changed);
            read(changed);
          } else {
            correctDelta(changed);
            File base = new File(folder, name.replace(".rfdelta", ".base.rfpack"));
            RunVectors.apply(RunVectors.readFile(base), changed);
          }
          accepted++;
        } catch (FormatException refusal) {
          continue;
        }
      }
    }
    System.out.println(accepted > 0 ? "done" : "nothing was accepted");
  }

  private static void read(byte[] bytes) throws IOException {
    PackReader pack = PackReader.open(PackSource.of(bytes), 64 << 20);
    PackCursor lookup = pack.cursor();
    for (int i = 0; i < pack.header().blocks; i++) lookup.lookup(pack.first(i) + 1);
    // One bit can be a label of 64 KB, so the entries are limited.
    PackCursor walk = pack.cursor();
    for (int i = 0; i < 100_000 && walk.next(); i++) walk.label();
  }

  private static void correctPack(byte[] data) {
    long length = data.length;
    long blocks = LittleEndian.u32(data, 52);
    long stored = LittleEndian.u32(data, 56);
    long indexAt = length - 16 * blocks;
    if (indexAt >= 128 && 128 + stored <= indexAt) {
      for (long i = 0; i < blocks; i++) {
        int row = (int) (indexAt + 16 * i);
        long from = LittleEndian.u32(data, row + 8);
        long to = i + 1 < blocks ? LittleEndian.u32(data, row + 24) : indexAt;
        if (from < to && to <= length) LittleEndian.put(data, row + 12, Digests.crc(data, (int) from, (int) to), 4);
      }
      LittleEndian.put(data, 76, Digests.crc(data, (int) indexAt, data.length), 4);
      LittleEndian.put(data, 112, Digests.crc(data, 128, (int) (128 + stored)), 4);
    }
    LittleEndian.put(data, 124, Digests.crc(data, 0, 124), 4);
  }

  private static void correctDelta(byte[] data) {
    LittleEndian.put(data, 132 + 124, Digests.crc(data, 132, 132 + 124), 4);
    LittleEndian.put(data, 120, Digests.crc(data, 264, data.length), 4);
    LittleEndian.put(data, 260, Digests.crc(data, 0, 260), 4);
  }
}
