// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.util.Arrays;
import java.util.List;

/**
 * The settings of a client.
 *
 * <pre>{@code
 * new ClientConfiguration("https://ringfence.example/v1", "rf_…", new File(getNoBackupFilesDir(), "ringfence"))
 *     .trustRoot(root).packs("blocklist")
 * }</pre>
 */
public final class ClientConfiguration {
  final String key;
  final File folder;
  final URL server;
  URL publications;
  byte[] root, publicKey;
  List<String> packs = Arrays.asList();
  int outboxLimit = 2 << 20;
  /** The product and version, or null. */ String product = "ringfence-client/0";

  /**
   * Creates settings.
   * @param server the address of the API, which ends in /v1; https, or http for a loopback address
   * @param key the app's key: printable ASCII without spaces
   * @param folder a folder for this client only, that is not part of backups; all processes of the app may use it
   * @throws IllegalArgumentException for another address or key
   */
  public ClientConfiguration(String server, String key, File folder) {
    if (key == null || !key.matches("[!-~]+")) throw new IllegalArgumentException("The app's key must be printable ASCII without spaces.");
    this.server = address(server);
    this.key = key;
    this.folder = folder;
    publications = this.server;
  }

  /** Trusts the root of the publications: the bytes of root.json, which come with the app. */
  public ClientConfiguration trustRoot(byte[] root) { this.root = root.clone(); return this; }

  /** Trusts a public key of 32 bytes, as {@code ringfence keys list} prints it, instead of a root. */
  public ClientConfiguration trustKey(byte[] publicKey) { this.publicKey = publicKey.clone(); return this; }

  /** Names the packs to update and to look numbers up in: of two that have a number, the first one counts. */
  public ClientConfiguration packs(String... names) {
    for (String name : names) {
      if (!name.matches("[a-z0-9][a-z0-9._-]{0,63}")) throw new IllegalArgumentException("A pack cannot have the name " + name + ".");
    }
    packs = Arrays.asList(names.clone());
    return this;
  }

  /** Fetches packs from another address than the server's. The key is not sent there. */
  public ClientConfiguration publications(String address) { publications = address(address); return this; }

  /** Limits the outbox, by default 2 MiB. Beyond the limit new reports and counts are refused with {@code FULL}. */
  public ClientConfiguration outboxLimit(int bytes) {
    if (bytes < 4_096 || bytes > 64 << 20) throw new IllegalArgumentException("The limit is 4 KB to 64 MB.");
    outboxLimit = bytes;
    return this;
  }

  /**
   * Names the product and version that the server is told with each request for the manifest, together with the serial of the packs that
   * this client holds; null for nothing. They are cut to 40 and 20 characters, which are ASCII letters, digits, dots, hyphens and
   * underscores; others are left out. It names no phone and no person.
   */
  public ClientConfiguration product(String name, String version) {
    String shortName = token(name, 40);
    String shortVersion = token(version, 20);
    product = shortName.isEmpty() || shortVersion.isEmpty() ? null : shortName + "/" + shortVersion;
    return this;
  }

  private static String token(String text, int most) {
    String token = text == null ? "" : text.replaceAll("[^0-9A-Za-z._-]", "");
    return token.substring(0, Math.min(most, token.length()));
  }

  boolean publicationsAreTheServers() { return origin(publications).equals(origin(server)); }

  private static String origin(URL url) {
    int port = url.getPort() < 0 ? url.getDefaultPort() : url.getPort();
    return url.getProtocol() + " " + url.getHost().toLowerCase(java.util.Locale.ROOT) + " " + port;
  }

  private static URL address(String text) {
    try {
      URL url = new URL(text.endsWith("/") ? text : text + "/");
      boolean isLoopback = Arrays.asList("localhost", "127.0.0.1", "[::1]").contains(url.getHost());
      boolean isPrivate = url.getProtocol().equals("https") || url.getProtocol().equals("http") && isLoopback;
      boolean isPlain = url.getUserInfo() == null && url.getQuery() == null && url.getRef() == null && !url.getHost().isEmpty();
      if (isPrivate && isPlain) return url;
    } catch (MalformedURLException exception) {
      // Refused below.
    }
    throw new IllegalArgumentException("The address must begin with https:// and hold no name, password or query.");
  }
}
