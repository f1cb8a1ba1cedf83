// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A publication run, as recorded from its claim to its end.
public struct PublicationRun: Sendable, Equatable {
  public enum State: String, Sendable, CaseIterable {
    case running
    /// Visible, or superseded by a later one.
    case published
    /// Refused by a gate.
    case refused
    /// Ended by an error, or by the end of its process.
    case failed
  }

  public enum Cause: String, Sendable, CaseIterable {
    case schedule
    case command
    /// An order on a page.
    case order
    case revocation
  }

  public var serial: Int64
  public var state: State
  public var cause: Cause
  /// The time for which scores are calculated.
  public var asOf: Date
  public var startedAt: Date?
  /// When it became visible.
  public var publishedAt: Date?
  /// The current step of a run in progress; nil before the first one.
  public var step: JobStep?
  /// From 0 to 100.
  public var percent: Int
  /// The reason of a refusal or failure.
  public var failure: PublicationFailure?
  /// Whether it only removed or added single numbers. The attempt before it stays the newest one.
  public var isRevocation: Bool { cause == .revocation && state == .published }
}

/// The right to publish under one serial.
public struct PublicationClaim: Sendable, Equatable {
  /// The serial, which no other claim has.
  public let serial: Int64
  public let token: UUID

  public init(serial: Int64, token: UUID = UUID()) {
    self.serial = serial
    self.token = token
  }
}

/// A pack of a publication, as recorded in the database.
public struct PublishedPack: Sendable, Equatable {
  public var name: String
  /// `blocking`, `identification` or `both`.
  public var kind: String
  /// The publication that wrote the file.
  public var packSerial: Int64
  public var entries: Int64
  public var bytes: Int64
  /// Size of the delta from the publication before, in bytes; nil where there is none.
  public var deltaBytes: Int64?

  public init(name: String, kind: String, packSerial: Int64, entries: Int64, bytes: Int64, deltaBytes: Int64?) {
    self.name = name
    self.kind = kind
    self.packSerial = packSerial
    self.entries = entries
    self.bytes = bytes
    self.deltaBytes = deltaBytes
  }
}

/// The result of a gate for a publication, as recorded in the database.
public struct GateRecord: Sendable, Equatable {
  public var gate: String
  /// The checked pack; empty for the complete publication.
  public var pack: String
  /// Whether the check passed without an override.
  public var passed: Bool
  public var finding: GateFinding
  public var overruledBy: String?
  public var overruledWhy: String?

  public init(
    gate: String, pack: String, passed: Bool, finding: GateFinding, overruledBy: String? = nil,
    overruledWhy: String? = nil
  ) {
    self.gate = gate
    self.pack = pack
    self.passed = passed
    self.finding = finding
    self.overruledBy = overruledBy
    self.overruledWhy = overruledWhy
  }

  /// Whether the pack has no room for some rules for ranges, which stops nothing.
  public var hasRulesWithoutRoom: Bool {
    if case .rulesWithoutRoom = finding { true } else { false }
  }
}

/// A publication as recorded in the database.
public struct Publication: Sendable, Equatable {
  /// Rises by one with every publication, from 1.
  public let serial: Int64
  /// When it became visible.
  public let publishedAt: Date
  /// The time for which heat was calculated.
  public let asOf: Date
  /// SHA-256 of the manifest, 32 bytes.
  public let manifestSHA256: [UInt8]

  public init(serial: Int64, publishedAt: Date, asOf: Date, manifestSHA256: [UInt8]) {
    self.serial = serial
    self.publishedAt = publishedAt
    self.asOf = asOf
    self.manifestSHA256 = manifestSHA256
  }
}

/// Attempts at a publication since it was due.
public struct PublicationAttempts: Sendable, Equatable {
  public var published: Int
  /// Runs that a gate refused.
  public var refused: Int
  public var running: Int
  /// Failed runs of the schedule.
  public var failed: Int
  /// Seconds since the last failure, by the database clock; nil where there was none.
  public var sinceFailure: TimeInterval?

  public init(
    published: Int = 0, refused: Int = 0, running: Int = 0, failed: Int = 0, sinceFailure: TimeInterval? = nil
  ) {
    self.published = published
    self.refused = refused
    self.running = running
    self.failed = failed
    self.sinceFailure = sinceFailure
  }
}
