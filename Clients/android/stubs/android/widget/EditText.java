// SPDX-License-Identifier: Apache-2.0
package android.widget;

import android.content.Context;
import android.text.Editable;
import android.view.View;

/** Declares what the library and its example use of Android's class, with the text of a test. */
public class EditText extends View {
  public static String typed = "";

  public EditText(Context context) {
    super(context);
  }

  public Editable getText() {
    return new Text();
  }

  private static final class Text implements Editable {
    private final String text = typed;

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
