public import Foundation

/// Exponential decay that needs no sweep: a weight counts half as much after each half-life.
///
/// A mass is stored as Σ w·exp((t − t₀)/τ) with a fixed origin t₀ and τ = half-life / ln 2, and read at any time
/// as stored · exp(−(now − t₀)/τ). Writing is adding, the order of two masses never changes by waiting, and
/// nothing is recomputed at night. Source: PhoneBlock's `Ema.java` and the usual forward-decay sum
/// (Cormode et al., "Forward Decay", ICDE 2009).
///
/// Range: with a half-life of 14 days a year is 26.1 halvings, and a double holds 2^±1022. Around the origin of
/// 2030 that is good for every time from 1991 to 2069; with longer half-lives the range only widens.
public struct Decay: Sendable, Hashable {
  /// Half-life in seconds, above 0.
  public let halfLife: Double

  /// τ = half-life / ln 2, in seconds.
  public var timeConstant: Double { halfLife / 0.693_147_180_559_945_3 }

  /// t₀ of every stored mass: 2030-01-01T00:00:00Z. Never changed: stored masses depend on it.
  public static let origin = Date(timeIntervalSince1970: 1_893_456_000)

  /// How present the nuisance is: 14 days.
  public static let heat = Decay(halfLifeInDays: 14)

  /// How much has been said in the long run: 125 days.
  public static let evidence = Decay(halfLifeInDays: 125)

  /// - Parameter halfLifeInDays: above 0.
  public init(halfLifeInDays: Double) {
    precondition(halfLifeInDays > 0)
    halfLife = halfLifeInDays * 86_400
  }

  /// The stored mass of `weight` said at `time`.
  public func mass(of weight: Double, at time: Date) -> Double {
    weight * scale(at: time)
  }

  /// What a stored mass is worth at `time`, in units of fresh weight.
  public func value(ofMass mass: Double, at time: Date) -> Double {
    mass / scale(at: time)
  }

  /// The stored mass of one unit of weight said at `time`: exp((t − t₀)/τ).
  public func scale(at time: Date) -> Double {
    exp(time.timeIntervalSince(Self.origin) / timeConstant)
  }
}
