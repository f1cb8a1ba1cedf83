// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import android.content.Context;
import java.io.File;
import java.io.IOException;
import java.util.UUID;
import ringfence.android.Ringfence;
import ringfence.client.Disk;
import ringfence.client.Report;
import ringfence.reader.Json;

/** The user's actions on a number; for a background thread. */
final class CallActions {
  private final Context context;
  private final Ringfence ringfence = Ringfence.get();

  CallActions(Context context) {
    this.context = context;
  }

  void block(long number) throws IOException {
    ringfence.personal().block(number);
  }

  void allow(long number) throws IOException {
    ringfence.allow(number);
  }

  void name(long number, String label) throws IOException {
    ringfence.personal().name(number, label);
  }

  /** Reports a number, and returns the id with which the user can withdraw the report. */
  UUID report(long number, String category) throws IOException {
    Report report = new Report("+" + number, null, category, user(), null);
    ringfence.report(report);
    return report.id;
  }

  /** Returns the page on which the owner of a number sees why it is listed, and appeals. */
  static String appealAddress(long number) {
    return CallsApp.host + "/appeal?number=" + number;
  }

  /** Returns a random name of this installation, which the server stores as a keyed hash. */
  private String user() throws IOException {
    File file = new File(context.getNoBackupFilesDir(), "user");
    byte[] known = Disk.read(file, 100);
    if (known != null && known.length > 0) return new String(known, Json.UTF8);
    String user = UUID.randomUUID().toString();
    new Disk().replace(file, user.getBytes(Json.UTF8));
    return user;
  }
}
