// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

/** The manifest that a reader has seen last. Keep both values together with the packs. */
public final class SeenManifest {
  private final long serial;
  private final String sha256;

  /** Creates the value from what was kept; the digest has 64 hexadecimal digits in lower case. */
  public SeenManifest(long serial, String sha256) throws FormatException {
    require(serial >= 1, "the serial is " + serial + ", less than 1");
    this.serial = serial;
    this.sha256 = Fields.digestOf(sha256);
  }

  /** Returns the serial of the publication. */
  public long serial() { return serial; }
  /** Returns the SHA-256 of the head. */
  public String sha256() { return sha256; }
  boolean isSame(SeenManifest other) { return serial == other.serial && sha256.equals(other.sha256); }
}
