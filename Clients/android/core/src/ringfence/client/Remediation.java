// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import ringfence.reader.Json;

/** The class of a call whose number a pack has: neither the number nor the time. */
public final class Remediation {
  /** The fate of a call, or an override. */
  public enum Outcome {
    /** The call rang without a label, did not ring, or rang with a label. */
    MATCHED, BLOCKED, LABELED,
    /** The user ended the block or the label of a number. It is not a call. */
    OVERRIDDEN
  }

  /** The server's limit for an installation and day: calls, and overrides. */ static final int LIMIT = 10;
  /** The server refuses counts of earlier days. */ static final int MAXIMUM_AGE_IN_DAYS = 3;

  /** The name of the pack. */ public final String pack;
  /** Whether the entry blocks; otherwise it labels. */ public final boolean blocks;
  final String json;

  /**
   * Creates a class. A value is null if the app does not know it. For a value that the server does not know, it refuses the counts
   * of the day.
   * @param pack the name of the pack in the manifest
   * @param blocks whether the entry blocks; otherwise it labels
   * @param origin reports, source, decision or range
   * @param source the name of the list, only with the origin source
   * @param score low for fewer than 5 reporters, medium for fewer than 50, or high
   * @param age the age of the last complaint: week, month, quarter or older
   * @param numberType such as mobile or fixed_line
   */
  public Remediation(String pack, boolean blocks, String origin, String source, String score, String age, String numberType)
      throws ClientException {
    Report.require(pack != null && !pack.isEmpty() && pack.getBytes(Json.UTF8).length <= 64, "pack", "1 to 64 bytes.");
    this.pack = pack;
    this.blocks = blocks;
    // The server takes a source only with its origin, and that origin only with a source.
    boolean isSource = "source".equals(origin);
    json = Json.object(
        "age", age, "number_type", numberType, "origin", isSource && source == null ? null : origin, "pack", pack, "score", score,
        "source", isSource ? source : null, "treatment", blocks ? "block" : "identify");
  }

  /** Returns an item of the outbox: day, outcome and class, with spaces between. */
  String item(String day, Outcome outcome) { return day + " " + outcome + " " + json; }
  private static boolean isOverride(String item) { return item.startsWith(Outcome.OVERRIDDEN + " ", 11); }

  /** Says whether an item is within the limit of its day. */
  static boolean isAllowed(List<String> items, String item) {
    int count = 0;
    for (String other : items) if (other.startsWith(item.substring(0, 11)) && isOverride(other) == isOverride(item)) count++;
    return count < LIMIT;
  }

  /** Returns the body of a request. */
  static byte[] body(List<String> items, String day) {
    Map<String, int[]> rows = new TreeMap<String, int[]>();
    for (String item : items) {
      String[] words = item.split(" ", 3);
      if (!words[0].equals(day)) continue;
      if (!rows.containsKey(words[2])) rows.put(words[2], new int[Outcome.values().length]);
      rows.get(words[2])[Outcome.valueOf(words[1]).ordinal()]++;
    }
    StringBuilder text = new StringBuilder("{\"counts\":[");
    for (Map.Entry<String, int[]> row : rows.entrySet()) {
      int[] counts = row.getValue();
      // All calls of the class.
      counts[0] += counts[1] + counts[2];
      text.append(text.charAt(text.length() - 1) == '[' ? "" : ",").append(row.getKey(), 0, row.getKey().length() - 1);
      for (Outcome outcome : Outcome.values()) {
        text.append(",\"").append(outcome.name().toLowerCase(Locale.ROOT)).append("\":").append(counts[outcome.ordinal()]);
      }
      text.append('}');
    }
    return text.append("],\"day\":").append(Json.quoted(day)).append('}').toString().getBytes(Json.UTF8);
  }
}
