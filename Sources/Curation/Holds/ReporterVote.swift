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
