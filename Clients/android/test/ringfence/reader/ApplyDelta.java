// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Applies a delta: ApplyDelta BASE DELTA RESULT. */
final class ApplyDelta {
  public static void main(String[] arguments) throws IOException {
    try (PackReader base = PackReader.open(new File(arguments[0]));
        OutputStream out = new BufferedOutputStream(new FileOutputStream(arguments[2]))) {
      PackDelta.open(new File(arguments[1])).apply(base, out);
    } catch (FormatException refusal) {
      System.err.println(refusal.getMessage());
      System.exit(1);
    }
  }
}
