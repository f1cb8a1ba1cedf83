// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The fields of an object of a document, with checks of their types. Fields with other names are ignored. */
final class Fields {
  private static final String NAME = "[a-z0-9][a-z0-9._-]*";
  private final Map<?, ?> values;

  private Fields(Map<?, ?> values) { this.values = values; }

  /** Reads a document in the form of Publication.md, section 3.1. */
  static Fields document(byte[] bytes, String type, long version) throws FormatException {
    require(bytes.length <= 1 << 20, "the document has more than 1048576 bytes");
    require(Utf8.isValid(bytes, 0, bytes.length), "the document is not UTF-8");
    Fields fields = of(Json.object(bytes));
    StringBuilder canonical = new StringBuilder();
    write(fields.values, 1, canonical);
    require(Arrays.equals(bytes, canonical.append('\n').toString().getBytes(Json.UTF8)), "the document is not in canonical form");
    require(fields.text("type").equals(type), "the document is not of type \"" + type + "\"");
    require(fields.integer("version") == version, "the document's version is unknown");
    return fields;
  }

  /** Writes a value in the only form of documents. */
  private static void write(Object value, int level, StringBuilder out) throws FormatException {
    require(level <= 8 || !(value instanceof Map || value instanceof List), "the document has more than eight levels");
    if (value instanceof Map) {
      String before = null;
      for (Map.Entry<?, ?> field : ((Map<?, ?>) value).entrySet()) {
        // A character for each byte, because a text is compared by its UTF-16.
        String key = new String(((String) field.getKey()).getBytes(Json.UTF8), StandardCharsets.ISO_8859_1);
        require(before == null || before.compareTo(key) < 0, "keys do not ascend");
        out.append(before == null ? '{' : ',');
        write(field.getKey(), level, out);
        write(field.getValue(), level + 1, out.append(':'));
        before = key;
      }
      out.append(before == null ? "{}" : "}");
    } else if (value instanceof List) {
      List<?> list = (List<?>) value;
      for (int i = 0; i < list.size(); i++) write(list.get(i), level + 1, out.append(i == 0 ? '[' : ','));
      out.append(list.isEmpty() ? "[]" : "]");
    } else if (value instanceof String) {
      out.append('"');
      for (char c : ((String) value).toCharArray()) {
        require(c >= 0x20 && c != 0x7F, "a text has a control character");
        out.append(c == '"' || c == '\\' ? "\\" : "").append(c);
      }
      out.append('"');
    } else {
      require(value instanceof Long || value instanceof Boolean, "a value is null or no integer");
      out.append(value);
    }
  }

  /** Reads Base64 in its only form (Publication.md, section 4.1). */
  static byte[] base64(String text) throws FormatException {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      require(Base64.getEncoder().encodeToString(bytes).equals(text), "Base64 is not in its only form");
      return bytes;
    } catch (IllegalArgumentException exception) {
      throw new FormatException("this is not Base64");
    }
  }

  static Fields of(Object value) throws FormatException {
    require(value instanceof Map, "a value is not an object");
    return new Fields((Map<?, ?>) value);
  }

  boolean has(String name) { return values.containsKey(name); }
  Map<?, ?> values() { return values; }

  long integer(String name) throws FormatException {
    require(values.get(name) instanceof Long, name + " is not an integer");
    return (Long) values.get(name);
  }

  long integer(String name, long least, long most) throws FormatException {
    long value = integer(name);
    require(value >= least && value <= most, name + " is " + value + ", outside of " + least + " to " + most);
    return value;
  }

  String text(String name) throws FormatException {
    require(values.get(name) instanceof String, name + " is not a text");
    return (String) values.get(name);
  }

  List<?> list(String name) throws FormatException {
    require(values.get(name) instanceof List, name + " is not a list");
    return (List<?>) values.get(name);
  }

  Fields object(String name) throws FormatException { return of(values.get(name)); }
  String digest(String name) throws FormatException { return digestOf(values.get(name)); }

  static String digestOf(Object value) throws FormatException {
    require(value instanceof String && ((String) value).length() == 64, "a digest has another form");
    return hex((String) value);
  }

  static String hex(String text) throws FormatException {
    require(text.matches("[0-9a-f]*"), "hexadecimal digits have another form");
    return text;
  }

  String path(String name) throws FormatException {
    String path = text(name);
    require(path.length() <= 200, "a path has more than 200 characters");
    require(path.matches(NAME + "(/" + NAME + "){0,2}"), "a path has another form");
    return path;
  }

  static String name(Object value) throws FormatException {
    require(value instanceof String, "a name is not a text");
    String name = (String) value;
    require(name.length() <= 64 && name.matches(NAME) && !name.contains(".."), "a name has another form");
    return name;
  }

  /** Reads a time of section 3.3 as seconds since 1970. */
  long time(String name) throws FormatException {
    String text = text(name);
    try {
      Instant time = Instant.parse(text);
      // Other forms of the same time, and the year 0, are refused.
      boolean isProper = text.length() == 20 && time.toString().equals(text) && !text.startsWith("0000");
      require(isProper, name + " is not a time in its only form");
      return time.getEpochSecond();
    } catch (DateTimeParseException exception) {
      throw new FormatException(name + " is not a time that exists");
    }
  }
}
