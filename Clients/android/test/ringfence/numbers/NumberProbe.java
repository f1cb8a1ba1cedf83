// SPDX-License-Identifier: Apache-2.0
package ringfence.numbers;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Locale;

/**
 * Reads lines of region and text, with \n, \t, \r and \\ in the text, and writes for each what the plans make of it, as Tests/NumberProbe
 * does, without the written forms: NumberProbe [FILE OF PLANS].
 */
final class NumberProbe {
  public static void main(String[] arguments) throws IOException {
    NumberingPlans plans = NumberingPlans.builtIn();
    if (arguments.length > 0) {
      try (FileInputStream file = new FileInputStream(arguments[0])) {
        plans = NumberingPlans.read(file);
      }
    }
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      int tab = line.indexOf('\t');
      out.print(answer(plans.parse(unescaped(line.substring(tab + 1)), line.substring(0, tab))) + "\n");
    }
    out.flush();
  }

  private static String answer(PhoneNumber number) {
    if (number.problem == PhoneNumber.Problem.NOT_VALID || number.problem == PhoneNumber.Problem.SHORT_OR_EMERGENCY) {
      return code(number) + "\t" + region(number);
    }
    if (number.problem != null) return code(number);
    return (number.isAssigned() ? "ok\t" : "unassigned\t") + number.digits + "\t" + region(number) + "\t"
        + number.kind.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the name that the server has for a refusal. */
  private static String code(PhoneNumber number) {
    return number.problem.name().toLowerCase(java.util.Locale.ROOT);
  }

  private static String region(PhoneNumber number) {
    return number.region == null ? "001" : number.region;
  }

  private static String unescaped(String text) {
    StringBuilder result = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        c = text.charAt(++i);
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
      }
      result.append(c);
    }
    return result.toString();
  }
}
