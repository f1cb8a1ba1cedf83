// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.IOException;

/** Receives the ranges of a pack. */
public interface RangeVisitor {
  /** Receives numbers that follow each other and have the same roles and label; the label is null where calls are only blocked. */
  void range(long first, long last, boolean blocks, String label) throws IOException;
}
