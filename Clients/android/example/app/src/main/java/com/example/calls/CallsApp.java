// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import android.app.Application;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import ringfence.android.Ringfence;

/** Starts the client in each process of the app. */
public class CallsApp extends Application {
  static String host = "https://ringfence.example";
  // The key of your app on your server. Everyone can read it in the app: give it the scopes report and fetch only.
  static String key = "rf_example_key";

  @Override
  public void onCreate() {
    super.onCreate();
    Ringfence.Options options = new Ringfence.Options(host + "/v1", key, root(), "blocklist", "toxic");
    options.showsRejected = true;
    Ringfence.start(this, options).schedule();
  }

  /** Returns the server's root.json, which the app has in res/raw. */
  private byte[] root() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (InputStream in = getResources().openRawResource(R.raw.root)) {
      for (int part = in.read(); part >= 0; part = in.read()) out.write(part);
    } catch (IOException exception) {
      throw new IllegalStateException(exception);
    }
    return out.toByteArray();
  }
}
