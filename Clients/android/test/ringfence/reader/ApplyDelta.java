// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.File;
import java.io.IOException;

/** Applies a delta: ApplyDelta BASE DELTA RESULT. */
final class ApplyDelta {
  public static void main(String[] arguments) throws IOException {
    try {
      PackDelta.open(new File(arguments[1])).apply(new File(arguments[0]), new File(arguments[2]));
    } catch (FormatException refusal) {
      System.err.println(refusal.getMessage());
      System.exit(1);
    }
  }
}
