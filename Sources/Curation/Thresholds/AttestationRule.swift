// SPDX-License-Identifier: Apache-2.0

/// The weights of new reporters of an app by what their phone has attested. A part of a version of the thresholds.
///
/// An established reporter weighs by the own record, whatever the phone has attested; others by both. See
/// ``ReporterWeight``.
public struct AttestationRule: Sendable, Equatable, Codable {
  /// The id of the rule for all apps without their own one.
  public static let everyApp: Int32 = 0

  /// The app's id; ``everyApp`` for all others.
  public var appID: Int32
  /// Weight where hardware guards the key, 0 to 1.
  public var hardware: Double
  /// Weight of other attested keys, 0 to 1.
  public var software: Double
  /// Weight without attestation, 0 to 1; 0 ignores such reports.
  public var unattested: Double

  public init(
    appID: Int32 = AttestationRule.everyApp, hardware: Double = 0.8, software: Double = ReporterWeight.newcomer,
    unattested: Double = ReporterWeight.newcomer
  ) {
    self.appID = appID
    self.hardware = hardware
    self.software = software
    self.unattested = unattested
  }

  /// The weights by the names of their fields.
  public static let weights: [(name: String, weight: any WritableKeyPath<AttestationRule, Double> & Sendable)] = [
    ("hardware", \.hardware), ("software", \.software), ("unattested", \.unattested),
  ]

  /// Every broken rule, with the field only: `hardware`.
  public var problems: [ThresholdProblem] { limitProblems }
}
