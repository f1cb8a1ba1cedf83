import Synchronization

/// Names of requests, by which a caller's report of a fault, an answer and the log are brought together.
public struct RequestID: Sendable, Equatable {
  /// 1 to 64 letters, digits, points, hyphens and underscores of ASCII.
  public let text: String

  /// What a caller, or a proxy before us, calls its request; a new name where that is nothing we want in a log.
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

  // Random once a process and then counted: asking the system for chance would cost more than all else here.
  private static let prefix = String(UInt32.random(in: .min ... .max), radix: 16) + "-"
  private static let count = Atomic<UInt64>(0)

  private static func make() -> String {
    prefix + String(count.add(1, ordering: .relaxed).newValue, radix: 16)
  }
}
