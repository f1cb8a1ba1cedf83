// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import ringfence.reader.Json;

/**
 * Everything that waits for the server: in a file of records, and in memory. Each operation takes a lock and reads what other processes
 * have appended, so that several may use the file. Accepted records are on the disk. Removals are not flushed: after a power cut the
 * server receives again what it already has.
 */
final class Outbox {
  /** A report that waits. */
  static final class Waiting {
    final UUID id;
    final byte[] json;
    /** Whether the server may have it already. */ boolean mayBeSent;
    /** The time before which it is not sent, in milliseconds. */ long notBefore;

    private Waiting(UUID id, byte[] json, boolean mayBeSent) {
      this.id = id;
      this.json = json;
      this.mayBeSent = mayBeSent;
    }
  }

  /** A change of the outbox, under the lock. */
  interface Change { void run() throws IOException; }

  // Kinds of records. A record has 4 bytes length of the payload, 4 bytes CRC-32 of length, kind and payload, 1 byte kind, payload.
  static final int REPORT = 1, SETTLED = 2, CALLS = 3, SEALED = 4, BATCH_SETTLED = 5, WITHDRAWAL = 6, WITHDRAWAL_SETTLED = 7, SENT = 8,
      REMEDIATION = 9, REMEDIATIONS_SETTLED = 10;

  private static final int LONGEST_BATCH = 1_000, OVERHEAD = 9, LONGEST = 1 << 20, COMPACT_FROM = 64 << 10;
  private static final byte[] MAGIC = {'R', 'F', 'O', 'U', 'T', 0, 0, 2};
  /** The magic, and a number that each rewritten file has anew. */ private static final int HEADER = 16;

  /** The file, its lock, and a copy of a damaged file, which is kept until everything was sent. */
  private final File file, lock, damaged;
  private final int limit;
  private final Disk disk;
  private final Consumer<ClientEvent> listener;

  final Map<UUID, Waiting> reports = new LinkedHashMap<UUID, Waiting>();
  final Set<UUID> withdrawals = new LinkedHashSet<UUID>();
  /** Batches as they are sent. */ final Map<UUID, byte[]> batches = new LinkedHashMap<UUID, byte[]>();
  /** Counts of named and unknown calls, by day, region and number, with tabs between. */
  final Map<String, int[]> counts = new TreeMap<String, int[]>();
  /** Calls that packs had, as {@link Remediation#item}. */ final List<String> remediations = new ArrayList<String>();
  private long generation;
  private int end;
  private boolean isLoading;
  private ClientEvent damage;

  Outbox(File folder, int limit, Disk disk, Consumer<ClientEvent> listener) {
    file = new File(folder, "outbox");
    lock = new File(folder, "lock");
    damaged = new File(folder, "outbox.damaged");
    this.limit = limit;
    this.disk = disk;
    this.listener = listener;
  }

  /** Runs a change after everything that other processes have written is known. */
  void change(Change change) throws IOException {
    ClientEvent found;
    synchronized (this) {
      locked(change);
      found = damage;
      damage = null;
    }
    if (found != null) listener.accept(found);
  }

  private void locked(Change change) throws IOException {
    Closeable held = Disk.lock(lock, true);
    try {
      refresh();
      if (end > COMPACT_FROM && end > 2 * liveBytes() + COMPACT_FROM) {
        try {
          rewrite();
        } catch (IOException exception) {
          // The disk is full; the longer file stays.
          refresh();
        }
      }
      change.run();
    } catch (IOException | RuntimeException exception) {
      // Memory and file may differ now, unless a rule was broken.
      if (!(exception instanceof ClientException)) generation = 0;
      isLoading = false;
      throw exception;
    } finally {
      held.close();
    }
  }

  boolean isEmpty() {
    return reports.isEmpty() && withdrawals.isEmpty() && batches.isEmpty() && counts.isEmpty() && remediations.isEmpty();
  }

  int waiting() { return reports.size() + withdrawals.size() + batches.size(); }

  void accept(Report report) throws IOException {
    byte[] payload = joined(Codec.octets(report.id), report.json);
    Waiting known = reports.get(report.id);
    if (known != null && !Arrays.equals(known.json, report.json)) {
      throw new ClientException(ClientException.Kind.INVALID, "report_id: It is used already.");
    }
    if (known == null) keep(REPORT, payload);
  }

  void accept(String number, String region, boolean isNamed, String day) throws IOException {
    keep(CALLS, item(number, region, isNamed ? 1 : 0, isNamed ? 0 : 1, day).getBytes(Json.UTF8));
  }

  /** Counts a call or an override, unless the limit of the day is reached. */
  void accept(Remediation call, Remediation.Outcome outcome, String day) throws IOException {
    String item = call.item(day, outcome);
    if (Remediation.isAllowed(remediations, item)) keep(REMEDIATION, item.getBytes(Json.UTF8));
  }

  /** Withdraws a report: deletes it if it was never sent, otherwise asks the server. Never refused for want of room. */
  void withdraw(UUID id) throws IOException {
    Waiting waiting = reports.get(id);
    if (withdrawals.contains(id)) return;
    append(waiting != null && !waiting.mayBeSent ? SETTLED : WITHDRAWAL, Codec.octets(id), true);
    if (isEmpty()) rewrite();
  }

  private void keep(int kind, byte[] payload) throws IOException {
    if (liveBytes() + OVERHEAD + payload.length > limit) {
      throw new ClientException(ClientException.Kind.FULL, "The outbox is full. Send the waiting reports, then try again.");
    }
    append(kind, payload, true);
  }

  void markSent(Iterable<Waiting> batch) throws IOException {
    ByteArrayOutputStream ids = new ByteArrayOutputStream();
    for (Waiting report : batch) if (!report.mayBeSent) ids.write(Codec.octets(report.id));
    if (ids.size() > 0) append(SENT, ids.toByteArray(), false);
  }

  /** Removes what was sent or refused: SETTLED, WITHDRAWAL_SETTLED or BATCH_SETTLED. */
  void settle(int kind, UUID... ids) throws IOException {
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    for (UUID id : ids) payload.write(Codec.octets(id));
    // The day, so that the counts are known if the record of the batch is damaged.
    List<?> items = kind == BATCH_SETTLED && batches.containsKey(ids[0]) ? items(batches.get(ids[0])) : new ArrayList<Object>();
    if (!items.isEmpty()) payload.write(Json.text((Map<?, ?>) items.get(0), "day").getBytes(Json.UTF8));
    if (ids.length > 0) settle(kind, payload.toByteArray());
  }

  /** Removes what was sent, or the remediations of a day. */
  void settle(int kind, byte[] payload) throws IOException {
    append(kind, payload, false);
    if (!isEmpty()) return;
    rewrite();
    disk.delete(damaged);
  }

  /** Turns counts of days before one into batches, at least one a day. */
  void seal(String today) throws IOException {
    while (!counts.isEmpty() && counts.keySet().iterator().next().compareTo(today) < 0) {
      StringBuilder items = new StringBuilder();
      String day = null;
      int count = 0;
      for (Map.Entry<String, int[]> entry : counts.entrySet()) {
        if (day != null && !entry.getKey().startsWith(day) || count == LONGEST_BATCH) break;
        day = entry.getKey().substring(0, 10);
        items.append(count++ > 0 ? "," : "").append(item(entry));
      }
      UUID id = UUID.randomUUID();
      String json = "{\"batch_id\":" + Json.quoted("" + id) + ",\"items\":[" + items + "]}";
      append(SEALED, joined(Codec.octets(id), json.getBytes(Json.UTF8)), true);
    }
  }

  private static String item(String number, String region, int named, int unknown, String day) {
    return Json.object("day", day, "named", named, "number", number, "region", region, "unknown", unknown);
  }

  private static String item(Map.Entry<String, int[]> count) {
    String[] key = count.getKey().split("\t", 3);
    return item(key[2], key[1].isEmpty() ? null : key[1], count.getValue()[0], count.getValue()[1], key[0]);
  }

  /** Reads what others have appended, or all of a file that is new or was rewritten. */
  private void refresh() throws IOException {
    long length = file.length();
    if (generation != 0 && length >= end && Arrays.equals(Disk.read(file, 0, HEADER, HEADER), header(generation))) {
      byte[] more = Disk.read(file, end, length - end, Integer.MAX_VALUE);
      if (replay(more, 0, end) == 0) return;
    }
    reports.clear();
    withdrawals.clear();
    batches.clear();
    counts.clear();
    remediations.clear();
    // An incomplete header belongs to a file that was being created.
    if (length < HEADER) {
      rewrite();
      return;
    }
    byte[] bytes = Disk.read(file, 0, length, Integer.MAX_VALUE);
    boolean isOurs = Arrays.equals(Arrays.copyOf(bytes, MAGIC.length), MAGIC);
    end = HEADER;
    isLoading = true;
    int skipped = replay(bytes, HEADER, 0) + (isOurs ? 0 : HEADER);
    isLoading = false;
    if (skipped == 0 && isTorn(bytes, end)) {
      generation = ByteBuffer.wrap(bytes, MAGIC.length, 8).getLong();
      return;
    }
    int lost = skipped + bytes.length - end;
    try {
      disk.replace(damaged, bytes);
    } catch (IOException exception) {
      // Without room for a copy the intact records still count.
      disk.delete(damaged);
    }
    rewrite();
    damage = new ClientEvent(ClientEvent.Kind.DAMAGED, null, "" + lost);
  }

  private static byte[] header(long generation) { return ByteBuffer.allocate(HEADER).put(MAGIC).putLong(generation).array(); }

  /** Appends a record behind the last complete one, and does what it says in memory. */
  private void append(int kind, byte[] payload, boolean isDurable) throws IOException {
    byte[] record = record(kind, payload);
    try (Disk.Appender out = disk.append(file, end)) {
      try {
        out.write(record, 0, record.length);
        if (isDurable) out.sync();
      } catch (IOException exception) {
        // After a failed flush the content of the disk is unknown.
        out.cut(end);
        out.sync();
        throw exception;
      }
    }
    end += record.length;
    apply(kind, payload);
  }

  private void rewrite() throws IOException {
    long fresh = UUID.randomUUID().getMostSignificantBits() | 1;
    byte[] records = live();
    generation = 0;
    disk.replace(file, joined(header(fresh), records));
    generation = fresh;
    end = HEADER + records.length;
  }

  /** Returns the records of everything that waits. */
  private byte[] live() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    // Another process takes all of them for sent, and asks the server about withdrawals.
    for (Waiting report : reports.values()) out.write(record(REPORT, joined(Codec.octets(report.id), report.json)));
    for (Map.Entry<UUID, byte[]> batch : batches.entrySet()) {
      // Before the counts, because a batch removes those that it has.
      out.write(record(SEALED, joined(Codec.octets(batch.getKey()), batch.getValue())));
    }
    for (Map.Entry<String, int[]> entry : counts.entrySet()) out.write(record(CALLS, item(entry).getBytes(Json.UTF8)));
    for (String item : remediations) out.write(record(REMEDIATION, item.getBytes(Json.UTF8)));
    for (UUID id : withdrawals) out.write(record(WITHDRAWAL, Codec.octets(id)));
    return out.toByteArray();
  }

  /** Returns the approximate size of these records. */
  private int liveBytes() {
    int bytes = 100 * counts.size() + (OVERHEAD + 16) * withdrawals.size();
    for (Waiting report : reports.values()) bytes += OVERHEAD + 16 + report.json.length;
    for (byte[] batch : batches.values()) bytes += batch.length;
    for (String item : remediations) bytes += OVERHEAD + item.length();
    return bytes;
  }

  static byte[] record(int kind, byte[] payload) {
    ByteBuffer record = ByteBuffer.allocate(OVERHEAD + payload.length).order(ByteOrder.LITTLE_ENDIAN);
    record.putInt(payload.length).putInt(0).put((byte) kind).put(payload);
    return record.putInt(4, checksum(record.array(), 0, payload.length)).array();
  }

  private static int checksum(byte[] bytes, int at, int length) {
    CRC32 sum = new CRC32();
    sum.update(bytes, at, 4);
    sum.update(bytes, at + 8, 1 + length);
    return (int) sum.getValue();
  }

  /** Returns the length of the payload of the record at a place; -1 when there is none, or it is incomplete or damaged. */
  private static int payload(byte[] bytes, int at) {
    if (at + OVERHEAD > bytes.length || bytes[at + 8] < REPORT || bytes[at + 8] > REMEDIATIONS_SETTLED) return -1;
    ByteBuffer head = ByteBuffer.wrap(bytes, at, OVERHEAD).order(ByteOrder.LITTLE_ENDIAN);
    int length = head.getInt();
    if (length < 0 || length > LONGEST || length > bytes.length - at - OVERHEAD) return -1;
    return head.getInt() == checksum(bytes, at, length) ? length : -1;
  }

  /**
   * Does in memory what the records from a place on say. Where none starts, the search continues one byte later.
   * @param offset the place of the bytes in the file
   * @return the bytes before the last record that belong to none
   */
  private int replay(byte[] bytes, int from, int offset) throws IOException {
    int skipped = 0;
    for (int at = from; at < bytes.length; ) {
      int length = payload(bytes, at);
      if (length < 0) {
        at++;
        continue;
      }
      skipped += offset + at - end;
      apply(bytes[at + 8], Arrays.copyOfRange(bytes, at + OVERHEAD, at + OVERHEAD + length));
      at += OVERHEAD + length;
      end = offset + at;
    }
    return skipped;
  }

  /** Says whether the bytes from a place on are the start of a record that was being written, or zeros, or none. */
  private static boolean isTorn(byte[] bytes, int at) {
    if (at + OVERHEAD > bytes.length) return true;
    int length = ByteBuffer.wrap(bytes, at, 4).order(ByteOrder.LITTLE_ENDIAN).getInt();
    if (length >= 0 && length <= LONGEST && at + OVERHEAD + length > bytes.length) return true;
    for (int i = at; i < bytes.length; i++) if (bytes[i] != 0) return false;
    return true;
  }

  private void apply(int kind, byte[] payload) throws IOException {
    if (kind == CALLS) {
      count(Json.object(payload));
      return;
    }
    if (kind >= REMEDIATION) {
      String text = new String(payload, Json.UTF8);
      // Items of a damaged file may exceed the limit.
      if (kind == REMEDIATIONS_SETTLED) remediations.removeIf(item -> item.startsWith(text + " "));
      else if (Remediation.isAllowed(remediations, text)) remediations.add(text);
      return;
    }
    UUID id = payload.length < 16 ? new UUID(0, 0) : Codec.id(payload, 0);
    byte[] rest = Arrays.copyOfRange(payload, Math.min(16, payload.length), payload.length);
    if (kind == REPORT) {
      // A process that ended may have sent it.
      reports.put(id, new Waiting(id, rest, isLoading));
    } else if (kind == SEALED) {
      for (Object item : items(rest)) counts.remove(key((Map<?, ?>) item));
      batches.put(id, rest);
    } else if (kind == BATCH_SETTLED) {
      // Without the batch its counts are left. The server has them; under another id they would count twice.
      String day = new String(rest, Json.UTF8) + "\t";
      if (batches.remove(id) == null) counts.keySet().removeIf(key -> key.startsWith(day));
    } else {
      for (int at = 0; at + 16 <= payload.length; at += 16) applyTo(Codec.id(payload, at), kind);
    }
  }

  private void applyTo(UUID id, int kind) {
    if (kind == SETTLED) reports.remove(id);
    else if (kind == WITHDRAWAL) withdrawals.add(id);
    else if (kind == WITHDRAWAL_SETTLED) withdrawals.remove(id);
    else if (reports.containsKey(id)) reports.get(id).mayBeSent = true;
  }

  private void count(Map<?, ?> item) throws IOException {
    int[] sums = counts.computeIfAbsent(key(item), key -> new int[2]);
    // The server refuses more than a million in one item.
    sums[0] = (int) Math.min(1_000_000, sums[0] + Json.integer(item, "named"));
    sums[1] = (int) Math.min(1_000_000, sums[1] + Json.integer(item, "unknown"));
  }

  private static String key(Map<?, ?> item) throws IOException {
    Object region = item.get("region");
    return Json.text(item, "day") + "\t" + (region == null ? "" : region) + "\t" + Json.text(item, "number");
  }

  private static List<?> items(byte[] batch) throws IOException {
    Object items = Json.object(batch).get("items");
    return items instanceof List ? (List<?>) items : new ArrayList<Object>();
  }

  private static byte[] joined(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }
}
