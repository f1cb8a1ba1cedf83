// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import ringfence.reader.FormatException;
import ringfence.reader.Manifest;
import ringfence.reader.TrustStore;

/** Runs UpdatePack: RunUpdate PUBLICATION FOLDER NOW. The folder has the pack "both" of the first publication as "both". */
final class RunUpdate {
  public static void main(String[] arguments) throws IOException {
    File publication = new File(arguments[0]);
    File folder = new File(arguments[1]);
    long now = Long.parseLong(arguments[2]);
    URL address = publication.toURI().toURL();
    TrustStore trust = TrustStore.ofRoot(read(new File(publication, "roots/1.root.json")));
    UpdatePack update = new UpdatePack(address, trust);
    File pack = new File(folder, "new");
    Manifest manifest = update.update("both", pack, null, now);
    byte[] fetched = read(pack);
    File held = new File(folder, "both");
    update.update("both", held, manifest.identity(), now);
    if (!java.util.Arrays.equals(read(held), fetched)) throw new IllegalStateException("The delta made another pack.");
    update.update("both", held, manifest.identity(), now);
    try {
      update.update("both", held, null, manifest.expires());
      throw new IllegalStateException("An expired manifest was used.");
    } catch (FormatException exception) {
      System.out.println(exception.getMessage());
    }
    System.out.println(folder.list().length + " files");
  }

  private static byte[] read(File file) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (InputStream in = new FileInputStream(file)) {
      for (int part = in.read(); part >= 0; part = in.read()) out.write(part);
    }
    return out.toByteArray();
  }
}
