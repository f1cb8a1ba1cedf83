// SPDX-License-Identifier: Apache-2.0
package android.net;

import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;

/** Declares what the library and its example use of Android's class, as a text with a colon. */
public abstract class Uri {
  public abstract String getScheme();

  public abstract String getSchemeSpecificPart();

  public static Uri parse(final String text) {
    return new Uri() {
      @Override
      public String getScheme() {
        return text.split(":", 2)[0];
      }

      @Override
      public String getSchemeSpecificPart() {
        return text.split(":", 2)[1];
      }

      @Override
      public String toString() {
        return text;
      }
    };
  }

  public static Uri withAppendedPath(Uri base, String path) {
    return parse(base + "/" + path);
  }

  public static String encode(String text) {
    try {
      return URLEncoder.encode(text, "UTF-8");
    } catch (UnsupportedEncodingException exception) {
      throw new IllegalStateException(exception);
    }
  }
}
