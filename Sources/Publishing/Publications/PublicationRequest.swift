// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import Storage

public struct PublicationRequest: Sendable {
  /// An administrator's decision to overrule a gate.
  public struct Overrule: Sendable, Equatable {
    /// See ``Gate/canBeOverruled``.
    public var gate: Gate
    /// The reason as a sentence.
    public var reason: String
    /// The account that overrules it.
    public var by: String

    public init(gate: Gate, reason: String, by: String) {
      self.gate = gate
      self.reason = reason
      self.by = by
    }
  }

  /// The time at which numbers are evaluated, also written into the manifest; truncated to seconds.
  public var time: Date
  public var cause: PublicationRun.Cause
  /// The serial; nil for the next one. A used serial is refused.
  public var serial: Int64?
  public var overrules: [Overrule]
  /// Receives the current step and the fraction done, 0 to 1.
  public var progress: @Sendable (JobStep, Double) -> Void

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

/// Settings for publications.
public struct PublicationPolicy: Sendable, Equatable {
  /// The number of earlier versions of a pack from which deltas are made.
  public var deltaBases: Int
  /// The validity of a publication in seconds. The default of 2 days tolerates one missed publication.
  public var lifetime: TimeInterval
  public var limits: GateLimits
  public var webhooks: Webhooks

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
