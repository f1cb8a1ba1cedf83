// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads documents in the form of Publication.md, section 3.1. Integers become Long, true and false Boolean. */
final class CanonicalJson {
  private final String text;
  private int at;

  private CanonicalJson(String text) { this.text = text; }

  static Fields document(byte[] bytes, String type, long version) throws FormatException {
    require(bytes.length <= 1 << 20, "the document has more than 1048576 bytes");
    require(Utf8.isValid(bytes, 0, bytes.length), "the document is not UTF-8");
    CanonicalJson json = new CanonicalJson(new String(bytes, Utf8.CHARSET));
    require(json.next() == '{', "the document is not an object");
    Fields fields = Fields.of(json.value(1));
    json.take('\n');
    require(json.at == json.text.length(), "bytes follow the document");
    require(fields.text("type").equals(type), "the document is not of type \"" + type + "\"");
    require(fields.integer("version") == version, "the document's version is unknown");
    return fields;
  }

  private char next() throws FormatException {
    require(at < text.length(), "the document ends early");
    return text.charAt(at);
  }

  private void take(char c) throws FormatException {
    require(next() == c, "the document is not in canonical form");
    at++;
  }

  private boolean has(char c) throws FormatException {
    if (next() != c) return false;
    at++;
    return true;
  }

  private Object value(int level) throws FormatException {
    char c = next();
    if (c == '"') return string();
    if (c == 't' || c == 'f') {
      String word = c == 't' ? "true" : "false";
      require(text.startsWith(word, at), "this is not JSON");
      at += word.length();
      return c == 't';
    }
    if (c != '{' && c != '[') return integer();
    require(level <= 8, "the document has more than eight levels");
    at++;
    return c == '{' ? object(level) : array(level);
  }

  private Map<String, Object> object(int level) throws FormatException {
    Map<String, Object> fields = new HashMap<String, Object>();
    if (has('}')) return fields;
    byte[] before = null;
    do {
      String key = string();
      byte[] bytes = key.getBytes(Utf8.CHARSET);
      require(before == null || Bytes.compare(before, bytes) < 0, "keys do not ascend");
      before = bytes;
      take(':');
      fields.put(key, value(level + 1));
    } while (has(','));
    take('}');
    return fields;
  }

  private List<Object> array(int level) throws FormatException {
    List<Object> list = new ArrayList<Object>();
    if (has(']')) return list;
    do list.add(value(level + 1));
    while (has(','));
    take(']');
    return list;
  }

  private Long integer() throws FormatException {
    int start = at;
    if (next() == '-') at++;
    int digits = at;
    while (next() >= '0' && next() <= '9') at++;
    int count = at - digits;
    boolean isZero = count > 0 && text.charAt(digits) == '0';
    require(count >= 1 && count <= 18 && (!isZero || at - start == 1), "this is not an integer in canonical form");
    return Long.valueOf(text.substring(start, at));
  }

  private String string() throws FormatException {
    take('"');
    StringBuilder out = new StringBuilder();
    while (!has('"')) {
      char c = next();
      require(c >= 0x20 && c != 0x7F, "a text has a control character");
      at++;
      if (c == '\\') {
        c = next();
        require(c == '"' || c == '\\', "a text has another escape");
        at++;
      }
      out.append(c);
    }
    return out.toString();
  }
}
