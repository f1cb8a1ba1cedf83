// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

/** The roles of a pack's entries. */
public enum PackKind {
  /** Every entry blocks. */
  BLOCKING,
  /** Every entry identifies a caller. */
  IDENTIFICATION,
  /** Each entry blocks, identifies or does both. */
  BOTH
}
