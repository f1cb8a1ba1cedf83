// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes JSON. Objects become maps in their order, arrays lists, integers Long and other numbers Double. */
public final class Json {
  /** The encoding of all texts. */ public static final Charset UTF8 = StandardCharsets.UTF_8;
  private static final int MAXIMUM_LEVELS = 32;
  private final String text;
  private int at;

  private Json(String text) { this.text = text; }

  /** Reads an object. */
  public static Map<?, ?> object(byte[] bytes) throws FormatException {
    Json json = new Json(new String(bytes, UTF8));
    Object value = json.value(0);
    if (json.next() != 0 || !(value instanceof Map)) throw json.failure();
    return (Map<?, ?>) value;
  }

  /** Returns the text of a field. */
  public static String text(Map<?, ?> object, String name) throws IOException {
    if (object.get(name) instanceof String) return (String) object.get(name);
    throw new IOException("The field " + name + " is missing.");
  }

  /** Returns the integer of a field. */
  public static long integer(Map<?, ?> object, String name) throws IOException {
    if (object.get(name) instanceof Long) return (Long) object.get(name);
    throw new IOException("The field " + name + " is missing.");
  }

  /** Returns a text between quotation marks. */
  public static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < 0x20) out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }

  /** Returns an object of the fields that are not null; values are texts or numbers. */
  public static String object(Object... namesAndValues) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      if (value == null) continue;
      out.append(out.length() == 0 ? "{" : ",").append(quoted((String) namesAndValues[i])).append(':');
      out.append(value instanceof Number ? value.toString() : quoted(value.toString()));
    }
    return out.append('}').toString();
  }

  private FormatException failure() { return new FormatException("this is not JSON"); }

  /** Returns the next sign that is not white space; 0 at the end. */
  private char next() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    return at < text.length() ? text.charAt(at) : 0;
  }

  private boolean take(char sign) {
    boolean has = next() == sign;
    if (has) at++;
    return has;
  }

  private Object value(int level) throws FormatException {
    if (level > MAXIMUM_LEVELS) throw failure();
    if (next() == '"') return string();
    if (take('[')) {
      List<Object> list = new ArrayList<Object>();
      if (take(']')) return list;
      do list.add(value(level + 1));
      while (take(','));
      if (!take(']')) throw failure();
      return list;
    }
    if (take('{')) {
      Map<String, Object> object = new LinkedHashMap<String, Object>();
      if (take('}')) return object;
      do {
        if (next() != '"') throw failure();
        String name = string();
        if (!take(':')) throw failure();
        object.put(name, value(level + 1));
      } while (take(','));
      if (!take('}')) throw failure();
      return object;
    }
    int start = at;
    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
    String word = text.substring(start, at);
    if (word.equals("true") || word.equals("false")) return word.equals("true");
    if (word.equals("null")) return null;
    if (word.matches("-?[0-9]{1,18}")) return Long.valueOf(word);
    if (!word.matches("-?[0-9]{1,18}(\\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?")) throw failure();
    return Double.valueOf(word);
  }

  private String string() throws FormatException {
    StringBuilder out = new StringBuilder();
    for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
      char c = text.charAt(at);
      if (c == '\\' && ++at < text.length()) {
        int plain = "bfnrt".indexOf(text.charAt(at));
        boolean isCode = text.charAt(at) == 'u';
        if (isCode && !text.substring(at, Math.min(text.length(), at + 5)).matches("u[0-9a-fA-F]{4}")) throw failure();
        c = isCode ? (char) Integer.parseInt(text.substring(at + 1, at + 5), 16) : plain < 0 ? text.charAt(at) : "\b\f\n\r\t".charAt(plain);
        if (isCode) at += 4;
      }
      out.append(c);
    }
    if (at++ >= text.length()) throw failure();
    return out.toString();
  }
}
