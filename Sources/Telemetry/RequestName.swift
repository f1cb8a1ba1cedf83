// SPDX-License-Identifier: Apache-2.0

import Synchronization

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
