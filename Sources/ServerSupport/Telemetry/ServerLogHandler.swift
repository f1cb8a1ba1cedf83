// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Logging
import Synchronization

/// Writes the log to standard error, one line for each entry, in the format that ``LogFormat/current`` names.
public struct ServerLogHandler: LogHandler {
  public var logLevel = Logger.Level.info
  /// Written with every entry.
  public var metadata: Logger.Metadata = [:]
  private let label: String
  private let text: StreamLogHandler
  private let write: @Sendable (String) -> Void

  /// - Parameter label: the program's name.
  public init(label: String) {
    self.init(label: label) { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) }
  }

  /// - Parameter write: receives each line of JSON.
  init(label: String, write: @escaping @Sendable (String) -> Void) {
    self.label = label
    self.write = write
    text = StreamLogHandler.standardError(label: label)
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    guard LogFormat.current == .json else {
      var handler = text
      handler.metadata = metadata
      return handler.log(event: event)
    }
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    write(Self.json(level: event.level, message: "\(event.message)", all, source: event.source, at: Date()))
  }

  /// One line; the server's keys come before the entry's own, which cannot replace them.
  static func json(
    level: Logger.Level, message: String, _ metadata: Logger.Metadata, source: String, at time: Date
  ) -> String {
    var fields = [
      ("time", Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(time)), ("level", level.rawValue),
      ("source", source), ("message", message),
    ].map { ($0, quoted($1)) }
    let taken = Set(fields.map(\.0))
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      // Hummingbird's name of the request ID.
      let name = key == "hb.request.id" ? "request_id" : key
      fields.append((taken.contains(name) ? "entry.\(name)" : name, json(value)))
    }
    return "{" + fields.map { "\(quoted($0)):\($1)" }.joined(separator: ",") + "}\n"
  }

  /// Integers are numbers, everything else is text.
  private static func json(_ value: Logger.MetadataValue) -> String {
    if case .stringConvertible(let number) = value, number is any BinaryInteger { return "\(number)" }
    return quoted(value.description)
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
        let code = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - code.count) + code
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

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

/// IDs of requests, which connect a caller's report of a problem, a response and the log.
public struct RequestID: Sendable, Equatable {
  /// 1 to 64 letters, digits, points, hyphens and underscores of ASCII.
  public let text: String

  /// The request ID of a caller or proxy; a new one where that is missing or unsuitable for a log.
  public init(given: String?) {
    text = given.flatMap { Self.isSane($0) ? $0 : nil } ?? Self.make()
  }

  static func isSane(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }

  // A random prefix for each process and a counter: system randomness for each request would be the most expensive
  // part.
  private static let prefix = String(UInt32.random(in: .min ... .max), radix: 16) + "-"
  private static let count = Atomic<UInt64>(0)

  private static func make() -> String {
    prefix + String(count.add(1, ordering: .relaxed).newValue, radix: 16)
  }
}
