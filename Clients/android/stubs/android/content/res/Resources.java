// SPDX-License-Identifier: Apache-2.0
package android.content.res;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;

/** Declares what the library and its example use of Android's class, with texts and files of a test. */
public class Resources {
  public static final Map<Integer, String> TEXTS = new HashMap<>();
  public static final Map<Integer, byte[]> FILES = new HashMap<>();

  public InputStream openRawResource(int id) {
    return new ByteArrayInputStream(FILES.get(id));
  }
}
