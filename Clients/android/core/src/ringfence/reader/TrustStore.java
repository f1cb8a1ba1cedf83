// SPDX-License-Identifier: Apache-2.0
package ringfence.reader;

import static ringfence.reader.FormatException.require;

import java.util.Collections;
import java.util.List;

/** The keys that a reader trusts, and the checks of manifests (Publication.md, sections 9.1 to 9.5). */
public final class TrustStore {
  private List<byte[]> keys;
  private int threshold = 1;
  private Root root;
  private long skipped;

  private TrustStore(List<byte[]> keys) { this.keys = keys; }

  /** Trusts a key of 32 bytes, which came on a trusted way, such as in an app. */
  public static TrustStore ofKey(byte[] publicKey) throws FormatException {
    require(publicKey.length == 32, "a key has " + publicKey.length + " bytes instead of 32");
    return new TrustStore(Collections.singletonList(publicKey.clone()));
  }

  /** Trusts a root that came on a trusted way: with the app, or from the last update. */
  public static TrustStore ofRoot(byte[] file) throws FormatException {
    Root root = new Root(file.clone());
    root.envelope.check(root.keys, root.threshold);
    TrustStore store = new TrustStore(root.keys);
    store.trust(root);
    return store;
  }

  private void trust(Root next) {
    root = next;
    keys = next.keys;
    threshold = next.threshold;
  }

  /** Returns the serial of the next root to ask for: `roots/N.root.json`. */
  public long nextRoot() { return root == null ? skipped + 1 : root.serial + 1; }
  /** Returns the file of the root that is trusted, to keep for the next update; null with a key alone. */
  public byte[] root() { return root == null ? null : root.file.clone(); }

  /**
   * Follows the root of {@link #nextRoot}.
   * @return false when only a key is trusted, and it did not sign this root, which is skipped
   */
  public boolean follow(byte[] file) throws FormatException {
    Root next = new Root(file.clone());
    if (root == null && !next.envelope.isSigned(keys.get(0))) {
      skipped++;
      return false;
    }
    require(root == null || next.serial == root.serial + 1, "the root's serial is " + next.serial + " instead of " + nextRoot());
    next.envelope.check(keys, threshold);
    next.envelope.check(next.keys, next.threshold);
    trust(next);
    return true;
  }

  /**
   * Verifies a manifest. Follow all roots before.
   * @param file the bytes of `manifest.json`
   * @param now the time in seconds since 1970
   * @param seen the manifest seen last, or null
   */
  public Manifest verify(byte[] file, long now, SeenManifest seen) throws FormatException {
    require(root == null || now < root.expires, "the root has expired");
    Envelope envelope = new Envelope(file, Manifest.TYPE);
    envelope.check(keys, threshold);
    Manifest manifest = new Manifest(envelope.payload);
    manifest.check(now, seen);
    return manifest;
  }
}
