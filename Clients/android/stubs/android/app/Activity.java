// SPDX-License-Identifier: Apache-2.0
package android.app;

import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;

/** Declares what the library and its example use of Android's class, and keeps what was shown. */
public class Activity extends Context {
  public View content;
  public Intent started;

  protected void onCreate(Bundle state) {}

  protected void onResume() {}

  public void setContentView(View view) {
    content = view;
  }

  public void startActivity(Intent intent) {
    started = intent;
  }

  public void startActivityForResult(Intent intent, int code) {
    started = intent;
  }

  public final void requestPermissions(String[] permissions, int code) {}

  public final void runOnUiThread(Runnable work) {
    work.run();
  }
}
