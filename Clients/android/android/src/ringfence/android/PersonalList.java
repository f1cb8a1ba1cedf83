// SPDX-License-Identifier: Apache-2.0
package ringfence.android;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import ringfence.client.Disk;
import ringfence.reader.Json;

/** The numbers that the user blocks, allows or names, before every pack, in a file of lines {@code number kind label} for all processes. */
public final class PersonalList {
  /** The user's word about a number. */
  public enum Kind { BLOCK, ALLOW, NAME }

  /** A number of the list. */
  public static final class Entry {
    /** The user's word. */ public final Kind kind;
    /** The name for NAME, else an empty text. */ public final String label;

    private Entry(Kind kind, String label) {
      this.kind = kind;
      this.label = label;
    }
  }

  private static final int MAXIMUM_BYTES = 4 << 20;
  private final File file;
  private final Disk disk;

  /** Creates the list of a file, which need not exist. */
  public PersonalList(File file, Disk disk) {
    this.file = file;
    this.disk = disk;
  }

  /** Blocks a number. */
  public void block(long number) throws IOException { put(number, new Entry(Kind.BLOCK, "")); }
  /** Lets a number ring, even if a pack blocks it. */
  public void allow(long number) throws IOException { put(number, new Entry(Kind.ALLOW, "")); }

  /** Names a number. */
  public void name(long number, String label) throws IOException {
    put(number, new Entry(Kind.NAME, label.replaceAll("\\s+", " ").trim()));
  }

  /** Forgets what the user said about a number: packs decide again. */
  public void forget(long number) throws IOException { put(number, null); }
  /** Returns what the user said about a number, or null. */
  public Entry entry(long number) throws IOException {
    return ("\n" + text()).contains("\n" + number + " ") ? entries().get(number) : null;
  }

  /** Returns all numbers, ascending. Lines that are damaged are left out. */
  public Map<Long, Entry> entries() throws IOException {
    Map<Long, Entry> entries = new TreeMap<Long, Entry>();
    for (String line : text().split("\n")) {
      if (!line.matches("[1-9][0-9]{0,14} (block|allow|name) .*")) continue;
      String[] words = line.split(" ", 3);
      entries.put(Long.parseLong(words[0]), new Entry(Kind.valueOf(words[1].toUpperCase(Locale.ROOT)), words[2]));
    }
    return entries;
  }

  private String text() throws IOException {
    byte[] bytes = Disk.read(file, MAXIMUM_BYTES);
    return bytes == null ? "" : new String(bytes, Json.UTF8);
  }

  private void put(long number, Entry entry) throws IOException {
    if (number < 1 || number > 999_999_999_999_999L) throw new IOException("The number is not 1 to 15 digits.");
    Disk.makeFolder(file.getParentFile());
    try (Closeable lock = Disk.lock(new File(file.getPath() + ".lock"), true)) {
      if (lock == null) throw new IOException("The list is locked.");
      Map<Long, Entry> entries = entries();
      entries.remove(number);
      if (entry != null) entries.put(number, entry);
      StringBuilder lines = new StringBuilder();
      for (Map.Entry<Long, Entry> item : entries.entrySet()) {
        String kind = item.getValue().kind.name().toLowerCase(Locale.ROOT);
        lines.append(item.getKey()).append(' ').append(kind).append(' ').append(item.getValue().label).append('\n');
      }
      byte[] bytes = lines.toString().getBytes(Json.UTF8);
      if (bytes.length > MAXIMUM_BYTES) throw new IOException("The list has more than " + MAXIMUM_BYTES + " bytes.");
      disk.replace(file, bytes);
    }
  }
}
