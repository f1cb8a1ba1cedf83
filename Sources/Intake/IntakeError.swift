/// Why nothing was taken.
public enum IntakeError: Error, Equatable, CustomStringConvertible {
  /// More waits than can be kept; the same report is welcome in a moment.
  case full
  /// The server is stopping.
  case closed
  /// The database has not answered for too long. What was handed in may still be committed; the same report is welcome
  /// later, and counts once.
  case stalled

  /// The text for the sender, in English.
  public var description: String {
    switch self {
    case .full: "Too many reports are waiting. Send the request again in a few seconds."
    case .stalled: "The database does not answer. Send the request again in a few seconds."
    case .closed: "The server is stopping. Send the request again in a few seconds."
    }
  }
}
