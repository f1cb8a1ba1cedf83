// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ringfence.reader.PackEntry;
import ringfence.reader.PackReader;
import ringfence.reader.PackSource;

/**
 * Looks numbers up in packs that an update of any process may replace at any time. Files are mapped: the heap has the index
 * and one block of each. Several threads may share it.
 */
public final class PackFolder {
  private static final int HEAD = 128;
  /** More than a pack by PackFormat, section 9.2, needs. */ private static final long MEMORY = 8 << 20;

  /** A number of a pack. */
  public static final class Match {
    /** The name of the pack. */ public final String pack;
    /** The entry of the number. */ public final PackEntry entry;

    private Match(String pack, PackEntry entry) {
      this.pack = pack;
      this.entry = entry;
    }
  }

  private static final class Open {
    byte[] head;
    PackReader reader;
  }

  private final File folder;
  private final Map<String, Open> packs = new LinkedHashMap<String, Open>();

  PackFolder(File folder, List<String> names) {
    this.folder = folder;
    for (String name : names) packs.put(name, new Open());
  }

  /** Returns the entry of a number in the first pack that has it, or null, as {@link #find}. */
  public PackEntry lookup(long number) throws IOException {
    Match match = find(number);
    return match == null ? null : match.entry;
  }

  /**
   * Returns the first pack that has a number, and its entry, or null.
   * @param number the country code and the national digits
   * @throws IOException when no pack has the number and one of them cannot be read; the next update replaces it
   */
  public synchronized Match find(long number) throws IOException {
    IOException failure = null;
    for (Map.Entry<String, Open> pack : packs.entrySet()) {
      try {
        PackReader reader = reader(new File(folder, pack.getKey() + ".rfpack"), pack.getValue());
        PackEntry entry = reader == null ? null : reader.lookup(number);
        if (entry != null) return new Match(pack.getKey(), entry);
      } catch (IOException | RuntimeException exception) {
        failure = exception instanceof IOException ? (IOException) exception : new IOException(exception);
      }
    }
    if (failure != null) throw failure;
    return null;
  }

  /** Returns a reader of the file as it is now; null when there is none. A header has the serial and the sum of the index. */
  private static PackReader reader(File file, Open open) throws IOException {
    if (!file.exists()) return null;
    if (open.reader != null && Arrays.equals(Disk.read(file, 0, HEAD, HEAD), open.head)) return open.reader;
    open.reader = null;
    PackSource source = PackSource.map(file);
    open.head = new byte[HEAD];
    source.read(0, open.head, 0, HEAD);
    open.reader = PackReader.open(source, MEMORY);
    return open.reader;
  }
}
