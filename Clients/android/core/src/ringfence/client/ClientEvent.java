// SPDX-License-Identifier: Apache-2.0
package ringfence.client;

import java.util.UUID;

/** The outcome of a report, a withdrawal or a batch of counts. It has ids and reasons, never a number. */
public final class ClientEvent {
  /** The outcome. */
  public enum Kind {
    /** The server has stored a report, deleted a report, or counted a batch. */
    DELIVERED, WITHDRAWN, COUNTED,
    /** The server will never accept a report or a batch, which left the outbox. */
    DROPPED, BATCH_DROPPED,
    /** The server refused the app's key. Everything in the outbox waits. */
    KEY_REFUSED,
    /** Bytes of the outbox's file belonged to no record. A crash does not damage accepted records; a faulty disk may. */
    DAMAGED
  }

  /** The outcome. */ public final Kind kind;
  /** The id of the report or batch, or null. */ public final UUID id;
  /** The reason of a refusal, such as {@code number: not_valid}, or the count of damaged bytes; else null. */
  public final String reason;

  ClientEvent(Kind kind, UUID id, String reason) {
    this.kind = kind;
    this.id = id;
    this.reason = reason;
  }
}
