import Synchronization

/// How lines of the log look.
public enum LogFormat: String, Sendable, CaseIterable {
  /// For people.
  case text
  /// A JSON object a line, for programs.
  case json

  private static let chosen = Atomic(false)

  /// The format of every ``ServerLogHandler`` of this process.
  public static var current: LogFormat {
    get { chosen.load(ordering: .relaxed) ? .json : .text }
    set { chosen.store(newValue == .json, ordering: .relaxed) }
  }
}
