/// Why nothing was taken.
public enum IntakeError: Error, Equatable, CustomStringConvertible {
  /// More waits than can be kept; the same report is welcome in a moment.
  case full
  /// The server is stopping.
  case closed

  /// Plain English, for whoever sent it.
  public var description: String {
    switch self {
    case .full: "Too many reports are waiting. Send it again in a moment."
    case .closed: "The server is stopping. Send it again in a moment."
    }
  }
}
