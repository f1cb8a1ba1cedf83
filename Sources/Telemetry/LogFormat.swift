// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The format of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
  /// For people.
  case text
  /// One JSON object in each line, for programs.
  case json

  private static let chosen = Atomic(false)

  /// The format of every ``ServerLogHandler`` of this process.
  public static var current: LogFormat {
    get { chosen.load(ordering: .relaxed) ? .json : .text }
    set { chosen.store(newValue == .json, ordering: .relaxed) }
  }
}
