// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

/** One number of a pack. */
public final class PackEntry {
  private final long number;
  private final int roles;
  private final String label;

  PackEntry(long number, int roles, String label) {
    this.number = number;
    this.roles = roles;
    this.label = label;
  }

  /** Returns the country code and the national digits. */
  public long number() { return number; }
  /** Says whether calls from the number are to be blocked. */
  public boolean blocks() { return (roles & 1) != 0; }
  /** Says whether calls from the number are to be shown with the label. */
  public boolean identifies() { return (roles & 2) != 0; }
  /** Returns the label of an entry that identifies, else null. The label may have any characters: section 10.4. */
  public String label() { return label; }
}
