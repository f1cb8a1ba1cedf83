// SPDX-License-Identifier: Apache-2.0
package com.example.calls;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import ringfence.reader.Manifest;
import ringfence.reader.PackDelta;
import ringfence.reader.PackDescription;
import ringfence.reader.PackReader;
import ringfence.reader.PackSource;
import ringfence.reader.SeenManifest;
import ringfence.reader.TrustStore;

/** Brings a pack up to date. Run one update at a time, on a thread that may wait for the network. */
public final class UpdatePack {
  private final URL publication;
  private final TrustStore trust;

  /**
   * Creates an update.
   *
   * @param publication the address of the folder that has manifest.json, with a slash at the end: https://HOST/v1/
   * @param trust what {@code TrustStore.ofRoot} makes of the root kept by the last update, or that came with the app
   */
  public UpdatePack(URL publication, TrustStore trust) {
    this.publication = publication;
    this.trust = trust;
  }

  /**
   * Updates a file, and returns the manifest, whose identity the next update takes. Keep it and {@code trust.root()}.
   *
   * @param name the pack's name in the publication: the file's name without .rfpack
   * @param seen the identity of the last update's manifest, or null
   * @param now the time in seconds since 1970
   */
  public Manifest update(String name, File file, SeenManifest seen, long now) throws IOException {
    for (byte[] root = nextRoot(); root != null; root = nextRoot()) trust.follow(root);
    Manifest manifest = trust.verify(fetch("manifest.json", 1_406_293), now, seen);
    int bin = manifest.bin(name);
    String digest = manifest.readBin(bin, fetch(manifest.binPath(bin), 1 << 20)).get(name);
    if (digest == null) throw new IOException("The publication has no pack named " + name + ".");
    PackDescription pack = manifest.readDescription(name, digest, fetch(Manifest.descriptionPath(digest), 1 << 20));
    String held = file.exists() ? hex(PackSource.open(file)) : "";
    if (held.equals(pack.file().sha256())) return manifest;
    File part = new File(file.getPath() + ".part");
    File next = new File(file.getPath() + ".next");
    try {
      PackDescription.Delta delta = pack.deltaFrom(held);
      fetch(delta == null ? pack.file() : delta, delta == null ? next : part);
      if (delta != null) PackDelta.open(part).apply(file, next);
      try (PackReader reader = PackReader.open(next)) {
        pack.check(reader);
      }
      if (!next.renameTo(file)) throw new IOException("Cannot replace " + file + ".");
    } finally {
      part.delete();
      next.delete();
    }
    return manifest;
  }

  private byte[] nextRoot() throws IOException {
    try {
      return fetch("roots/" + trust.nextRoot() + ".root.json", 1 << 20);
    } catch (FileNotFoundException exception) {
      return null;
    }
  }

  private byte[] fetch(String path, long most) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    copy(path, most, out);
    return out.toByteArray();
  }

  private void fetch(PackDescription.Part part, File file) throws IOException {
    try (FileOutputStream out = new FileOutputStream(file)) {
      copy(part.path(), part.bytes(), out);
      out.getFD().sync();
    }
    try (PackSource source = PackSource.open(file)) {
      part.check(source);
    }
  }

  private void copy(String path, long most, OutputStream out) throws IOException {
    try (InputStream in = new URL(publication, path).openStream()) {
      byte[] piece = new byte[8192];
      long left = most;
      for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
        left -= count;
        if (left < 0) throw new IOException(path + " has more than " + most + " bytes.");
        out.write(piece, 0, count);
      }
    }
  }

  private static String hex(PackSource source) throws IOException {
    try (PackSource file = source) {
      StringBuilder text = new StringBuilder();
      for (byte part : file.sha256()) text.append(String.format("%02x", part));
      return text.toString();
    }
  }
}
