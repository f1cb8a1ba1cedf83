// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;

/** Writes a pack as `ringfence pack dump --format tsv` does: PackDump FILE. */
final class PackDump {
  public static void main(String[] arguments) throws IOException {
    OutputStream out = new BufferedOutputStream(System.out, 8192);
    try (PackReader pack = PackReader.open(new File(arguments[0]))) {
      write(pack, out);
    }
    out.flush();
  }

  static byte[] bytes(PackReader pack) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(pack, out);
    return out.toByteArray();
  }

  private static void write(PackReader pack, OutputStream out) throws IOException {
    PackCursor cursor = pack.cursor();
    while (cursor.next()) {
      String line = "" + cursor.number();
      if (cursor.identifies()) line += "\t" + escaped(cursor.label()) + (cursor.blocks() ? "\tblock" : "");
      out.write((line + "\n").getBytes(Json.UTF8));
    }
  }

  /** Returns the line of a lookup vector. */
  static String answer(long number, PackEntry entry) {
    int roles = entry == null ? 0 : (entry.blocks() ? 1 : 0) + (entry.identifies() ? 2 : 0);
    return number + "\t" + roles + "\t" + (roles > 1 ? escaped(entry.label()) : "");
  }

  private static String escaped(String label) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < label.length(); i++) append(line, label.charAt(i));
    return line.toString();
  }

  private static void append(StringBuilder line, char c) {
    boolean isControl = c < 0x20 || c >= 0x7F && c <= 0x9F || c == 0x2028 || c == 0x2029;
    if (c == '\\') line.append("\\\\");
    else if (c == '\t') line.append("\\t");
    else if (c == '\n') line.append("\\n");
    else if (c == '\r') line.append("\\r");
    else if (isControl) line.append(String.format("\\u%04x", (int) c));
    else line.append(c);
  }
}
