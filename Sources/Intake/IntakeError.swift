// SPDX-License-Identifier: Apache-2.0

/// The reason why nothing was accepted.
public enum IntakeError: Error, Equatable, CustomStringConvertible {
  /// The queue is full; the same report can be sent again in a moment.
  case full
  /// The server is stopping.
  case closed
  /// The database has not answered for too long. Submitted reports may still be committed; the same report can be sent
  /// again later, and counts once.
  case stalled

  /// The cause and the remedy for the sender, in plain English.
  public var description: String {
    switch self {
    case .full: "Too many reports are waiting. Send the request again in a few seconds."
    case .stalled: "The database does not answer. Send the request again in a few seconds."
    case .closed: "The server is stopping. Send the request again in a few seconds."
    }
  }
}
