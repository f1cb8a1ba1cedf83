// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.util.UUID;
import ringfence.reader.Json;

/** A report of one user about a number. Id and time are fixed when it is made, so that every retry sends the same report. */
public final class Report {
  /** The most characters of a comment. */ public static final int MAXIMUM_COMMENT = 500;

  /** The id, which a withdrawal names. */ public final UUID id;
  final byte[] json;

  /**
   * Creates a report of now.
   * @param number 1 to 64 bytes, as the phone shows it; a national number needs the region
   * @param region two letters, or null
   * @param category such as fraud, or legitimate
   * @param reporter the app's own name for its user, 1 to 200 characters; the server stores a keyed hash of it
   * @param comment at most 500 characters, or null
   */
  public Report(String number, String region, String category, String reporter, String comment) throws ClientException {
    this(number, region, category, reporter, comment, System.currentTimeMillis(), UUID.randomUUID(), null);
  }

  /**
   * Creates a report with an id of the app.
   * @param time milliseconds since 1970
   * @param verification what the network said of the caller's number, or null: {@link #verification(int)}
   */
  public Report(String number, String region, String category, String reporter, String comment, long time, UUID id, String verification)
      throws ClientException {
    checkNumber(number, region);
    require(category != null && category.matches("[a-z0-9_]{1,64}"), "category", "1 to 64 lower-case letters.");
    require(reporter != null && isText(reporter, 1, 200), "reporter", "1 to 200 characters.");
    require(comment == null || isText(comment, 0, MAXIMUM_COMMENT), "comment", "At most 500 characters, none of them NUL.");
    require(verification == null || verification.matches("passed|failed|none"), "verification", "passed, failed or none.");
    this.id = id;
    json = Json.object(
        "category", category, "comment", comment, "number", number, "region", region, "report_id", id, "reported_at", Codec.time(time),
        "reporter", reporter, "verification", verification).getBytes(Json.UTF8);
  }

  /** Returns the word for {@code Call.Details.getCallerNumberVerificationStatus()} of Android 11 and later. */
  public static String verification(int status) { return status == 1 ? "passed" : status == 2 ? "failed" : "none"; }

  static void checkNumber(String number, String region) throws ClientException {
    require(number != null && !number.isEmpty() && number.getBytes(Json.UTF8).length <= 64, "number", "1 to 64 bytes.");
    require(region == null || region.length() == 2, "region", "Two letters.");
  }

  private static boolean isText(String text, int least, int most) {
    int count = text.codePointCount(0, text.length());
    return count >= least && count <= most && text.indexOf(0) < 0;
  }

  static void require(boolean condition, String field, String rule) throws ClientException {
    if (!condition) throw new ClientException(ClientException.Kind.INVALID, field + ": " + rule);
  }

  /** Returns the id alone. */
  @Override
  public String toString() { return "report " + id; }
}
