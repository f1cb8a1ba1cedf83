/// What PostgreSQL did without the server.
struct BenchPeer: Encodable {
  let name: String
  /// Rows a second.
  let rate: Double
  let transactions: Int
  let failed: Int
  /// Milliseconds; nil where there is but one transaction.
  let averageLatency: Double?

  enum CodingKeys: String, CodingKey {
    case name, transactions, failed
    case rate = "rows_per_second"
    case averageLatency = "average_ms"
  }
}

extension BenchPeer {
  init(name: String, figures: PgbenchFigures) {
    self.init(
      name: name, rate: figures.rate, transactions: figures.transactions, failed: figures.failed,
      averageLatency: figures.averageLatency)
  }
}
