public import Curation
public import Foundation

/// One attempt at a publication: what the database remembers from its claim to its end.
public struct PublicationRun: Sendable, Equatable {
  /// How far it came.
  public enum State: String, Sendable, CaseIterable {
    /// Being made.
    case running
    /// Visible, or superseded by a later one.
    case published
    /// Held back by a gate.
    case refused
    /// Broken off by an error, or by the end of its process.
    case failed
  }

  /// Why it was made.
  public enum Cause: String, Sendable, CaseIterable {
    /// The schedule.
    case schedule
    /// Somebody asked for it.
    case command
    /// Single numbers had to go out or in.
    case revocation
  }

  /// Its serial.
  public var serial: Int64
  /// How far it came.
  public var state: State
  /// Why it was made.
  public var cause: Cause
  /// The moment the numbers were weighed at.
  public var asOf: Date
  /// When it was begun.
  public var startedAt: Date?
  /// When it became visible.
  public var publishedAt: Date?
  /// What is being done, while it runs; nil before it said so.
  public var step: JobStep?
  /// 0 to 100.
  public var percent: Int
  /// Why it was refused or failed.
  public var failure: PublicationFailure?

  /// - Parameters: see the properties.
  public init(
    serial: Int64, state: State, cause: Cause, asOf: Date, startedAt: Date?, publishedAt: Date?, step: JobStep?,
    percent: Int, failure: PublicationFailure?
  ) {
    self.serial = serial
    self.state = state
    self.cause = cause
    self.asOf = asOf
    self.startedAt = startedAt
    self.publishedAt = publishedAt
    self.step = step
    self.percent = percent
    self.failure = failure
  }
}

/// The right to publish under one serial.
public struct PublicationClaim: Sendable, Equatable {
  /// The serial, used by nobody else.
  public let serial: Int64
  /// Tells this claim from another's.
  public let token: UUID

  /// - Parameters: see the properties.
  public init(serial: Int64, token: UUID = UUID()) {
    self.serial = serial
    self.token = token
  }
}

/// A pack of a publication, as the database remembers it.
public struct PublishedPack: Sendable, Equatable {
  /// Its name.
  public var name: String
  /// `blocking`, `identification` or `both`.
  public var kind: String
  /// The publication that wrote the file.
  public var packSerial: Int64
  /// Number of entries.
  public var entries: Int64
  /// Length of the file.
  public var bytes: Int64
  /// Length of the delta from the publication before; nil where there is none.
  public var deltaBytes: Int64?

  /// - Parameters: see the properties.
  public init(name: String, kind: String, packSerial: Int64, entries: Int64, bytes: Int64, deltaBytes: Int64?) {
    self.name = name
    self.kind = kind
    self.packSerial = packSerial
    self.entries = entries
    self.bytes = bytes
    self.deltaBytes = deltaBytes
  }
}

/// What a gate said of a publication, as the database remembers it.
public struct GateRecord: Sendable, Equatable {
  /// Name of the gate.
  public var gate: String
  /// The pack it looked at; empty for the whole publication.
  public var pack: String
  /// Whether it let it pass by itself.
  public var passed: Bool
  /// What it found.
  public var finding: GateFinding
  /// Who overruled it; nil where nobody had to.
  public var overruledBy: String?
  /// Why.
  public var overruledWhy: String?

  /// - Parameters: see the properties.
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
}
