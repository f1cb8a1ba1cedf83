/// Counts values by size, with their sum; noting one costs a search among the bounds and three atomic additions.
public final class Histogram: Sendable {
  /// Upper bounds of the buckets, ascending; the last bucket has none.
  public let bounds: [Double]
  private let buckets: [Counter]
  /// In millionths, so that adding is exact and atomic.
  private let sum = Counter()

  /// Bounds for the time that answers take, in seconds: 0.5 ms to 10 s.
  public static let seconds: [Double] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// Bounds for how many there are in a batch: 1 to 2,000.
  public static let items: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]

  /// - Parameter bounds: ascending.
  public init(_ bounds: [Double]) {
    self.bounds = bounds
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  /// Notes a value, at least 0 and below 9·10¹².
  public func note(_ value: Double) {
    var place = 0
    while place < bounds.count, value > bounds[place] { place += 1 }
    buckets[place].add()
    sum.add(Int(value * 1_000_000))
  }

  /// Notes how long something took.
  public func note(_ duration: Duration) {
    let parts = duration.components
    note(Double(parts.seconds) + Double(parts.attoseconds) * 1e-18)
  }

  /// Buckets with all smaller ones in each, as Prometheus has them, the last without a bound; and the sum.
  var reading: (cumulative: [Int], sum: Double) {
    var total = 0
    let cumulative = buckets.map { bucket in
      total += bucket.value
      return total
    }
    return (cumulative, Double(sum.value) / 1_000_000)
  }
}
