// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import android.net.Uri;
import android.telecom.Call;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import ringfence.reader.TrustStore;

/** Runs the example as an app does: RunExample PUBLICATION FOLDER NOW NUMBER…, with the pack that BlockCalls names. */
final class RunExample {
  public static void main(String[] arguments) throws IOException {
    URL publication = new URL(arguments[0]);
    BlockCalls service = new BlockCalls();
    service.folder = new File(arguments[1]);
    File pack = new File(service.folder, BlockCalls.PACK);
    System.out.println("without a pack " + isBlocked(service, arguments[3]));
    String name = BlockCalls.PACK.substring(0, BlockCalls.PACK.length() - ".rfpack".length());
    new UpdatePack(publication, TrustStore.ofRoot(fetch(new URL(publication, "root.json"))))
        .update(name, pack, null, Long.parseLong(arguments[2]));
    for (int i = 3; i < arguments.length; i++) System.out.println(arguments[i] + " " + isBlocked(service, arguments[i]));
    System.out.println("withheld " + isBlocked(service, null));
    new FileOutputStream(pack).close();
    System.out.println("broken " + isBlocked(service, arguments[3]));
    System.out.println(service.folder.list().length + " file");
  }

  private static boolean isBlocked(BlockCalls service, String number) {
    Uri handle = number == null ? null : new Uri() {
      @Override
      public String getScheme() {
        return "tel";
      }

      @Override
      public String getSchemeSpecificPart() {
        return number;
      }
    };
    service.onScreenCall(new Call.Details(Call.Details.DIRECTION_INCOMING, handle));
    return service.response.isDisallowed;
  }

  private static byte[] fetch(URL address) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (InputStream in = address.openStream()) {
      for (int part = in.read(); part >= 0; part = in.read()) out.write(part);
    }
    return out.toByteArray();
  }
}
