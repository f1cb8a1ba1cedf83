// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/** Ids as bytes, and times as texts. */
public final class Codec {
  /** Milliseconds. */ public static final long DAY = 86_400_000;

  private Codec() {}

  static byte[] octets(UUID id) {
    return ByteBuffer.allocate(16).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array();
  }

  static UUID id(byte[] octets, int at) {
    ByteBuffer bytes = ByteBuffer.wrap(octets, at, 16);
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  /** Returns a time in milliseconds as RFC 3339, in whole seconds. */
  public static String time(long now) { return Instant.ofEpochMilli(now).truncatedTo(ChronoUnit.SECONDS).toString(); }

  /** Reads such a time. */
  public static long time(String text) throws IOException {
    try {
      return Instant.parse(text).toEpochMilli();
    } catch (DateTimeParseException exception) {
      throw new IOException("The text is not a time.");
    }
  }

  /** Returns the day in UTC, such as 2026-11-21. */
  static String day(long now) { return time(now).substring(0, 10); }
}
