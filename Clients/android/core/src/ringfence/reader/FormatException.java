// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.IOException;

/** Reports a file that breaks a rule of PackFormat.md or Publication.md, or that does not belong to its publication. */
public final class FormatException extends IOException {
  private static final long serialVersionUID = 1;

  FormatException(String rule) { super(rule); }
  static void require(boolean condition, String rule) throws FormatException { if (!condition) throw new FormatException(rule); }
}
