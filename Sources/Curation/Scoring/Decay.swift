// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Exponential decay without periodic updates: a weight halves after each half-life.
///
/// A value is stored as Σ w·exp((t − t₀)/τ) with a fixed origin t₀ and τ = half-life / ln 2, and read at any time as
/// stored · exp(−(now − t₀)/τ). Writing is adding, the order of two stored values never changes with time, and nothing
/// is recomputed. Source: PhoneBlock's `Ema.java` and the usual forward-decay sum (Cormode et al., "Forward Decay",
/// ICDE 2009).
///
/// Range: with a half-life of 14 days a year is 26.1 halvings, and a double holds 2^±1022. Around the origin of 2030
/// this covers every time from 1991 to 2069; longer half-lives widen the range.
public struct Decay: Sendable, Hashable {
  /// Half-life in seconds, above 0.
  public let halfLife: Double

  /// τ = half-life / ln 2, in seconds.
  public var timeConstant: Double { halfLife / 0.693_147_180_559_945_3 }

  /// t₀ of every stored value: 2030-01-01T00:00:00Z. Must not change: stored values depend on it.
  public static let origin = Date(timeIntervalSince1970: 1_893_456_000)

  /// Decay of heat, the present complaints: 14 days.
  public static let heat = Decay(halfLifeInDays: 14)

  /// Decay of evidence, the long-term complaints: 125 days.
  public static let evidence = Decay(halfLifeInDays: 125)

  /// - Parameter halfLifeInDays: above 0.
  public init(halfLifeInDays: Double) {
    precondition(halfLifeInDays > 0)
    halfLife = halfLifeInDays * 86_400
  }

  public func storedSum(of weight: Double, at time: Date) -> Double {
    weight * scale(at: time)
  }

  /// The decayed value of a stored one at `time`, in units of fresh weight.
  public func value(ofStoredSum sum: Double, at time: Date) -> Double {
    sum / scale(at: time)
  }

  /// The stored value of one unit of weight at `time`: exp((t − t₀)/τ).
  public func scale(at time: Date) -> Double {
    exp(time.timeIntervalSince(Self.origin) / timeConstant)
  }
}
