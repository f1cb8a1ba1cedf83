// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.File;
import java.io.IOException;
import ringfence.reader.Json;

/**
 * The pause after failures, in a file: the next attempt may be another process. It doubles from two seconds to an hour and half of it is
 * random, so that phones that lost the server at the same time do not all return at the same time.
 */
final class Pause {
  private static final long LONGEST = 3_600_000;
  private final File file;
  private final Disk disk;
  private final Environment environment;
  private long failures, until;
  /** The end of the pause that the server requested, which is never skipped. */ private long forbidden;

  Pause(File file, Disk disk, Environment environment) {
    this.file = file;
    this.disk = disk;
    this.environment = environment;
  }

  /** Says whether requests may be sent now. */
  boolean isOver(boolean isUrgent) throws IOException {
    byte[] bytes = Disk.read(file, 100);
    String text = bytes == null ? "" : new String(bytes, Json.UTF8);
    boolean isKnown = text.matches("[0-9]{1,9} [0-9]{1,15} [0-9]{1,15}");
    String[] words = isKnown ? text.split(" ") : new String[] {"0", "0", "0"};
    failures = Long.parseLong(words[0]);
    // A clock that was set back must not forbid requests for longer than a day.
    long last = environment.now() + Codec.DAY * 11 / 10;
    until = Math.min(last, Long.parseLong(words[1]));
    forbidden = Math.min(last, Long.parseLong(words[2]));
    return environment.now() >= (isUrgent ? forbidden : Math.max(until, forbidden));
  }

  long until() { return Math.max(until, forbidden); }

  /** Begins a pause, of at least the milliseconds that the server asks for; at most a day of them. */
  void begin(long asked) {
    failures++;
    double chance = environment.chance();
    long own = own(failures, chance);
    long pause = asked <= 0 ? own : Math.max(own, (long) (Math.min(asked, Codec.DAY) * (1 + chance / 10)));
    until = environment.now() + pause;
    if (asked > 0) forbidden = until;
    write();
  }

  static long own(long failures, double chance) {
    return (long) (Math.min(LONGEST, 2_000L << Math.min(failures - 1, 20)) * (0.5 + chance / 2));
  }

  void end() {
    if (failures == 0 && until == 0) return;
    failures = 0;
    until = 0;
    write();
  }

  private void write() {
    try {
      disk.replace(file, (failures + " " + until + " " + forbidden).getBytes(Json.UTF8));
    } catch (IOException exception) {
      // Without the file the next process pauses less.
    }
  }
}
