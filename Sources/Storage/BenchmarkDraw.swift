import Foundation

/// Which numbers a benchmark complains about: 100,000, their frequency heavy-tailed, spread over one area code.
///
/// Zipf and Mandelbrot's law, the probability of rank r being about 1 / (r + 20): the first number gets 0.6 % of all
/// complaints, the first thousand 46 %.
public enum BenchmarkDraw {
  /// How many numbers there are.
  public static let numbers = 100_000
  /// How many reporters speak.
  public static let reporters = 1_000_000

  static let firstNumber: Int64 = 12_012_000_000
  /// Has no factor in common with ``numbers``, so that every rank has a number of its own.
  static let stride = 7_919
  static let gap = 80
  static let shift = 20
  static var span: Double { Double(numbers + shift) / Double(shift) }

  /// The rank that a chance of 0..<1 falls on, 0..<100,000.
  public static func rank(of chance: Double) -> Int {
    min(numbers - 1, Int(Double(shift) * pow(span, chance)) - shift)
  }

  /// E.164 digits of a rank's number.
  public static func number(ofRank rank: Int) -> Int64 {
    firstNumber + Int64(rank * stride % numbers * gap)
  }
}
