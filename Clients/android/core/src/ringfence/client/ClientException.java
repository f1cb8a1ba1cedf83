// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.io.IOException;

/** The error of a client. Its text never contains a phone number. */
public final class ClientException extends IOException {
  private static final long serialVersionUID = 1;

  /** The kinds of errors. */
  public enum Kind {
    /** A field breaks a rule of the server, or the outbox is full; nothing was accepted. */
    INVALID, FULL,
    /** Another thread or process of the app does the same now. */
    BUSY,
    /** There was no complete response. */
    NETWORK,
    /** The server does not know the app's key; it lacks a scope; the address of the packs requires one, and is not the server's. */
    KEY_UNKNOWN, KEY_SCOPE, KEY_NOT_SENT,
    /** The server answered with an unexpected status. */
    STATUS
  }

  /** The kind. */ public final Kind kind;

  ClientException(Kind kind, String text) {
    super(text);
    this.kind = kind;
  }

  static ClientException network(String text) {
    return new ClientException(Kind.NETWORK, text + " Try again when the network is better.");
  }

  static ClientException key(Kind kind) {
    return new ClientException(kind, "The server refused the app's key: " + kind + ". Ask its operator for a key with the scope.");
  }
}
