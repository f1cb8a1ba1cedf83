// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

/** Decodes roles and labels (sections 6.3 to 6.5). */
final class LabelColumn {
  static final byte[] NONE = {};
  private final BitReader bits = new BitReader();
  private final PackDictionary dictionary;
  private final int kind;
  private final byte[] label;
  private int length, roles;

  LabelColumn(PackDictionary dictionary, PackHeader header) {
    this.dictionary = dictionary;
    kind = header.kind;
    label = new byte[header.maximumLabel];
  }

  void start(byte[] data, int from, int to) {
    bits.start(data, from, to);
    roles = 2;
    length = 0;
  }

  void next() throws FormatException {
    if (kind == 3 && bits.read(1) == 1) roles = (roles + (int) bits.read(1)) % 3 + 1;
    if ((roles & 2) != 0) length = dictionary.read(bits, label, length);
  }

  int roles() { return roles; }
  byte[] bytes() { return label; }
  int length() { return length; }
  void finish() throws FormatException { bits.finish(); }
}
