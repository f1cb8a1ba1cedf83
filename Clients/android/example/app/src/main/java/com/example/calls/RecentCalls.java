// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import android.content.Context;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ringfence.android.CallDecision;
import ringfence.client.Disk;
import ringfence.reader.Json;

/** The last 50 calls with a number, the newest first, in a file with a line for each. */
final class RecentCalls {
  /** A call of the list. */
  static final class Item {
    final long number;
    final String text;

    private Item(String line) {
      String[] words = line.split(" ", 2);
      number = Long.parseLong(words[0]);
      text = "+" + line;
    }

    /** Returns what the list shows. */
    @Override
    public String toString() {
      return text;
    }
  }

  private static final int MOST = 50;
  private final File file;

  RecentCalls(Context context) {
    file = new File(context.getNoBackupFilesDir(), "calls");
  }

  synchronized void add(CallDecision decision) throws IOException {
    if (decision.number == 0) return;
    String label = decision.label == null ? "" : " " + decision.label;
    List<String> lines = new ArrayList<>(Arrays.asList(decision.number + " " + decision.action.name().toLowerCase(Locale.ROOT) + label));
    for (Item item : items()) lines.add(item.text.substring(1));
    StringBuilder text = new StringBuilder();
    for (String line : lines.subList(0, Math.min(MOST, lines.size()))) text.append(line).append('\n');
    new Disk().replace(file, text.toString().getBytes(Json.UTF8));
  }

  List<Item> items() throws IOException {
    List<Item> items = new ArrayList<>();
    byte[] bytes = Disk.read(file, 1 << 20);
    for (String line : bytes == null ? new String[0] : new String(bytes, Json.UTF8).split("\n")) {
      if (line.matches("[1-9][0-9]{0,14} .*")) items.add(new Item(line));
    }
    return items;
  }
}
