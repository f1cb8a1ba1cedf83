// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.util.List;
import java.util.Map;

/** The fields of an object of a document, with checks of their types. Fields with other names are ignored. */
final class Fields {
  private final Map<?, ?> values;

  private Fields(Map<?, ?> values) { this.values = values; }

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
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      require(c >= '0' && c <= '9' || c >= 'a' && c <= 'f', "hexadecimal digits have another form");
    }
    return text;
  }

  String path(String name) throws FormatException {
    String path = text(name);
    require(path.length() <= 200, "a path has more than 200 characters");
    int names = 0;
    boolean isStart = true;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      require(isPathCharacter(c, isStart) || c == '/' && !isStart, "a path has another form");
      if (isStart) names++;
      isStart = c == '/';
    }
    require(names >= 1 && names <= 3 && !isStart, "a path has another form");
    return path;
  }

  static String name(Object value) throws FormatException {
    require(value instanceof String, "a name is not a text");
    String name = (String) value;
    require(name.length() >= 1 && name.length() <= 64 && !name.contains(".."), "a name has another form");
    for (int i = 0; i < name.length(); i++) require(isPathCharacter(name.charAt(i), i == 0), "a name has another form");
    return name;
  }

  private static boolean isPathCharacter(char c, boolean isStart) {
    return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || !isStart && (c == '.' || c == '_' || c == '-');
  }

  /** Reads a time of section 3.3 as seconds since 1970. */
  long time(String name) throws FormatException {
    String text = text(name);
    String form = "0000-00-00T00:00:00Z";
    require(text.length() == form.length(), name + " is not a time");
    for (int i = 0; i < form.length(); i++) {
      char c = text.charAt(i);
      require(form.charAt(i) == '0' ? c >= '0' && c <= '9' : c == form.charAt(i), name + " is not a time");
    }
    int year = Integer.parseInt(text.substring(0, 4));
    int month = Integer.parseInt(text.substring(5, 7));
    int day = Integer.parseInt(text.substring(8, 10));
    int hour = Integer.parseInt(text.substring(11, 13));
    int minute = Integer.parseInt(text.substring(14, 16));
    int second = Integer.parseInt(text.substring(17, 19));
    boolean isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    int[] days = {31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    boolean exists = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
    require(exists && hour < 24 && minute < 60 && second < 60, name + " is not a time that exists");
    // Years are counted from March on, and from 400 years before the year 0, so that no quotient is negative.
    long from = year + 400 - (month > 2 ? 0 : 1);
    long inYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    long date = 365 * from + from / 4 - from / 100 + from / 400 + inYear - 146_097 - 719_468;
    return date * 86_400 + hour * 3_600 + minute * 60 + second;
  }
}
