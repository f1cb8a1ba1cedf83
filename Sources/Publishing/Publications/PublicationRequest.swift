public import Curation
public import Foundation
public import Storage

/// What is asked of a publisher.
public struct PublicationRequest: Sendable {
  /// An administrator's word against a gate.
  public struct Overrule: Sendable, Equatable {
    /// Whom it overrules; see ``Gate/canBeOverruled``.
    public var gate: Gate
    /// Why, in a sentence.
    public var reason: String
    /// Who says so.
    public var by: String

    /// - Parameters: see the properties.
    public init(gate: Gate, reason: String, by: String) {
      self.gate = gate
      self.reason = reason
      self.by = by
    }
  }

  /// The moment the numbers are weighed at, and that the publication bears; cut to whole seconds.
  public var time: Date
  /// Why it is made.
  public var cause: PublicationRun.Cause
  /// Its serial; nil takes the next. One that was used before is refused.
  public var serial: Int64?
  /// Words against gates.
  public var overrules: [Overrule]
  /// Told what is being done and how far it is, 0 to 1.
  public var progress: @Sendable (JobStep, Double) -> Void

  /// - Parameters: see the properties.
  public init(
    time: Date, cause: PublicationRun.Cause = .command, serial: Int64? = nil, overrules: [Overrule] = [],
    progress: @escaping @Sendable (JobStep, Double) -> Void = { _, _ in }
  ) {
    self.time = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
    self.cause = cause
    self.serial = serial
    self.overrules = overrules
    self.progress = progress
  }
}

/// What an operator can set about publications.
public struct PublicationPolicy: Sendable, Equatable {
  /// From how many earlier publications a delta leads to a new one.
  public var deltaBases: Int
  /// How long a publication is good for, in seconds: two days unless set, so that one missed night is no alarm.
  public var lifetime: TimeInterval
  /// What a publication may differ from the one before.
  public var limits: GateLimits
  /// Who is told of it.
  public var webhooks: Webhooks

  /// - Parameters: see the properties.
  public init(
    deltaBases: Int = 14, lifetime: TimeInterval = 2 * 86_400, limits: GateLimits = GateLimits(),
    webhooks: Webhooks = Webhooks()
  ) {
    precondition(deltaBases >= 0 && lifetime > 0)
    self.deltaBases = deltaBases
    self.lifetime = lifetime
    self.limits = limits
    self.webhooks = webhooks
  }
}
