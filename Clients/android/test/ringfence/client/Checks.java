// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

/** Runs cases with a folder each, and prints a line for each. The exit code is 1 when one fails. */
public final class Checks {
  /** A case. */
  public interface Case {
    void run(File folder) throws Exception;
  }

  private static int failures;

  private Checks() {}

  public static void run(String name, Case work) throws IOException {
    Path folder = Files.createTempDirectory("ringfence-test-");
    try {
      work.run(folder.toFile());
      System.out.println("passed: " + name);
    } catch (Throwable failure) {
      failures++;
      System.out.println("failed: " + name);
      failure.printStackTrace(System.out);
    } finally {
      empty(folder.toFile());
      Files.delete(folder);
    }
  }

  public static void end() {
    System.exit(failures == 0 ? 0 : 1);
  }

  public static void same(Object found, Object expected, String what) {
    if (!Objects.equals(found, expected)) throw new AssertionError(what + ": " + found + " instead of " + expected);
  }

  public static void that(boolean condition, String what) {
    if (!condition) throw new AssertionError(what);
  }

  /** Removes all that a folder has. */
  public static void empty(File folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder.toPath())) {
      for (Path path : (Iterable<Path>) all.sorted(java.util.Comparator.reverseOrder())::iterator) {
        if (!path.equals(folder.toPath())) Files.delete(path);
      }
    }
  }
}
