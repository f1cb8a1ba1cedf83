// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.IOException;

/** Receives the ranges of a pack. */
public interface RangeVisitor {
  /**
   * Receives numbers that follow each other and have the same roles and label.
   * @param first the first number
   * @param last the last number
   * @param blocks whether calls from the numbers are to be blocked
   * @param label the label to show, or null
   */
  void range(long first, long last, boolean blocks, String label) throws IOException;
}
