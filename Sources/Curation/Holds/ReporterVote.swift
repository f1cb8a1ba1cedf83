// SPDX-License-Identifier: Apache-2.0

/// A reporter's vote on a number, with its features for ``BrigadeDetection``.
public struct ReporterVote: Sendable, Equatable {
  public var reporter: Reporter
  /// Whether it is a complaint; otherwise it calls the number legitimate.
  public var isToxic: Bool
  /// Whether the reporter is a newcomer; see ``ReporterWeight``.
  public var isNew: Bool
  /// The age of the reporter's first report on the number, in days before the review: 0 is today. By the server's clock
  /// at arrival, because the sender chooses the time in a report.
  public var age: Int32
  /// Keyed hash of the sender's network; nil when it is unknown, or purged.
  public var network: UInt64?
  /// ``CommentKey`` of the comment; nil without one worth comparing.
  public var text: UInt64?
  public var appID: Int32?
  /// Whether the reporter was established ``BrigadeDetection/longEstablishedTime`` before the first report on the number.
  public var isLongEstablished: Bool
  /// Whether the reporter's phone has attested with hardware: one device, one reporter.
  public var isAttested: Bool

  /// Whether the reporter may be one of many accounts of one person: a newcomer without an attested phone.
  var isUnproven: Bool { isNew && !isAttested }
  /// The network that may connect the reporter with others. Attested phones are counted instead of networks.
  var sharedNetwork: UInt64? { isAttested ? nil : network }

  public init(
    reporter: Reporter, isToxic: Bool, isNew: Bool, age: Int32, network: UInt64? = nil, text: UInt64? = nil,
    appID: Int32? = nil, isLongEstablished: Bool = false, isAttested: Bool = false
  ) {
    self.reporter = reporter
    self.isToxic = isToxic
    self.isNew = isNew
    self.age = age
    self.network = network
    self.text = text
    self.appID = appID
    self.isLongEstablished = isLongEstablished
    self.isAttested = isAttested
  }
}

/// A reporter's pseudonym: 16 bytes.
public struct Reporter: Hashable, Sendable, Comparable {
  private let high: UInt64
  private let low: UInt64

  /// - Parameter bytes: 16 bytes; missing ones are 0.
  public init(_ bytes: [UInt8]) {
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  public var bytes: [UInt8] {
    [high, low].flatMap { word in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  public static func < (left: Reporter, right: Reporter) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

/// The rule for comments of reports. PostgreSQL's text has no NUL, and its length is in code points.
public enum CommentRule {
  /// The most code points.
  public static let maxLength = 500

  public static func allows(_ comment: String) -> Bool {
    comment.unicodeScalars.count <= maxLength && !comment.unicodeScalars.contains("\0")
  }

  public static func cut(_ comment: String) -> String {
    String(String.UnicodeScalarView(comment.unicodeScalars.filter { $0 != "\0" }.prefix(maxLength)))
  }
}

/// A key that is equal for comments with the same text in slightly different spelling.
public enum CommentKey {
  /// The least number of letters and digits of a text that is compared: "Spam call" is too common.
  static let minCharacters = 12

  /// FNV-1a over the text's letters and digits in lowercase; nil for fewer than twelve.
  ///
  /// Punctuation, spaces and symbols are ignored, so that an additional dot does not change the key. Two different
  /// texts have the same key with a probability of 2⁻⁶⁴. Source: Fowler, Noll, Vo, draft-eastlake-fnv.
  public static func key(of comment: String?) -> UInt64? {
    guard let comment else { return nil }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var count = 0
    for scalar in comment.unicodeScalars where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      count += 1
      for byte in scalar.properties.lowercaseMapping.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return count >= minCharacters ? hash : nil
  }
}
