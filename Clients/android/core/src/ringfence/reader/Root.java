// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The keys that sign publications (Publication.md, section 8). */
final class Root {
  static final String TYPE = "application/vnd.ringfence.root+json";
  final Envelope envelope;
  final byte[] file;
  final long serial, expires;
  final int threshold;
  final List<byte[]> keys = new ArrayList<byte[]>();

  Root(byte[] file) throws FormatException {
    require(file.length <= 1 << 20, "the root has more than 1048576 bytes");
    this.file = file;
    envelope = new Envelope(file, TYPE);
    Fields fields = Fields.document(envelope.payload, "root", 1);
    serial = fields.integer("serial", 1, Long.MAX_VALUE);
    expires = fields.time("expires");
    require(fields.time("issued") < expires, "the root expires before it is issued");
    List<?> items = fields.list("keys");
    require(items.size() >= 1 && items.size() <= 16, "the root has " + items.size() + " keys instead of 1 to 16");
    threshold = (int) fields.integer("threshold", 1, items.size());
    Set<String> ids = new HashSet<String>();
    for (Object item : items) {
      Fields key = Fields.of(item);
      require(key.text("algorithm").equals("ed25519"), "a key has another algorithm");
      byte[] bytes = Fields.base64(key.text("public"));
      require(Ed25519.isProper(bytes), "a key is not 32 bytes in canonical form, or is of small order");
      require(Envelope.keyID(bytes).equals(key.text("keyid")), "a key has another id");
      require(ids.add(key.text("keyid")), "a key is in the root twice");
      keys.add(bytes);
    }
  }
}
