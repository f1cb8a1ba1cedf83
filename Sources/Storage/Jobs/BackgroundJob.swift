public import Curation
public import Foundation

/// Something that a page has ordered and a server makes beside the requests; any server knows how far it is.
public struct BackgroundJob: Sendable, Equatable {
  /// What is made. One of a kind is made at a time, whatever servers there are.
  public enum Kind: String, Sendable {
    /// What a change of thresholds would do; each account has one at most.
    case preview
    /// A publication; one is open at most.
    case publication
  }

  /// How far it is.
  public enum State: String, Sendable {
    /// No server has begun it.
    case waiting
    /// A server makes it.
    case running
    /// It is made.
    case done
    /// It could not be made.
    case failed
    /// Whoever made it, or should have, was not heard of any more.
    case broken
  }

  /// Names the order: another one in its place has another id.
  public var id: UUID
  /// What is made.
  public var kind: Kind
  /// Who asks, 1 to 80 characters.
  public var account: String
  /// What for: JSON of at most ``mostRequest`` bytes.
  public var request: String
  /// How far it is.
  public var state: State
  /// When it was asked for: by this server's clock until it is placed, then by the database's.
  public var askedAt: Date
  /// What is being done; nil for nothing yet.
  public var step: JobStep?
  /// How many of its kind are made before it.
  public var ahead: Int
  /// What came of it: JSON of at most ``mostOutcome`` bytes; nil where there is none, or it was not asked for.
  public var outcome: String?

  /// The longest request, in bytes.
  public static let mostRequest = 65_536
  /// The longest outcome, in bytes.
  public static let mostOutcome = 1_048_576

  /// An order that is to be placed.
  public init(id: UUID = UUID(), kind: Kind, account: String, request: String) {
    self.init(
      id: id, kind: kind, account: account, request: request, state: .waiting, askedAt: Date(), step: nil, ahead: 0,
      outcome: nil)
  }

  init(
    id: UUID, kind: Kind, account: String, request: String, state: State, askedAt: Date, step: JobStep?, ahead: Int,
    outcome: String?
  ) {
    self.id = id
    self.kind = kind
    self.account = account
    self.request = request
    self.state = state
    self.askedAt = askedAt
    self.step = step
    self.ahead = ahead
    self.outcome = outcome
  }
}
