// SPDX-License-Identifier: Apache-2.0

/// Series by the names and labels of their metrics, in bounded memory.
struct MetricFamilies {
  /// Reasons why a series is not separate or not shown.
  enum Problem: Equatable {
    /// Another metric has the name, or one of the names derived from it in the text.
    case nameTaken(by: String)
    case tooManyMetrics
    /// Series beyond the limit share one.
    case tooManySeries(limit: Int)
  }

  struct Entry {
    let series: any MetricSeries
    /// Number of its creation; series are written in this order.
    let order: Int
    /// Number of handles that were created and not destroyed.
    var users: Int
  }

  private struct Metric: Equatable {
    let name: String
    let kind: MetricKind
  }

  /// Maximum count of metrics.
  static let limit = 1_000
  /// Labels of the series that collects all further ones when a metric has reached its limit.
  static let overflow = PrometheusText.labels([("overflow", "true")])

  /// The series by name, then by labels.
  private(set) var entries: [String: [String: Entry]] = [:]
  /// Metrics by the names that they take in the text.
  private var owners: [String: Metric] = [:]
  private var made = 0
  /// Names of metrics with a problem that has been returned.
  private var reported: Set<String> = []

  /// - Parameter descriptions: the metrics whose names are reserved.
  init(_ descriptions: [String: MetricDescription]) {
    for (name, description) in descriptions {
      for taken in description.kind.names(of: name) { owners[taken] = Metric(name: name, kind: description.kind) }
    }
  }

  /// Returns the series of an ID, which is created once; beyond the limits one that is never written.
  /// - Returns: the series with a problem, which is returned once for each metric.
  mutating func series<Series: MetricSeries>(
    _ id: SeriesID, _ description: MetricDescription
  ) -> (series: Series, problem: Problem?) {
    if let known: Series = use(id) { return (known, nil) }
    if let problem = claim(Metric(name: id.metric, kind: Series.kind)) {
      return (Series(id, buckets: description.buckets), report(problem, id.metric))
    }
    let isFull = (entries[id.metric]?.count ?? 0) >= description.maxSeries
    let problem = isFull ? report(.tooManySeries(limit: description.maxSeries), id.metric) : nil
    let place = isFull ? SeriesID(metric: id.metric, labels: Self.overflow) : id
    if let known: Series = use(place) { return (known, problem) }
    let series = Series(place, buckets: description.buckets)
    made += 1
    entries[place.metric, default: [:]][place.labels] = Entry(series: series, order: made, users: 1)
    return (series, problem)
  }

  /// Removes a series when all its handles are destroyed.
  mutating func release(_ series: some MetricSeries) {
    let id = series.id
    guard let entry = entries[id.metric]?[id.labels], entry.series === series else { return }
    if entry.users > 1 {
      entries[id.metric]?[id.labels]?.users -= 1
    } else {
      entries[id.metric]?[id.labels] = nil
    }
  }

  private mutating func use<Series: MetricSeries>(_ id: SeriesID) -> Series? {
    guard let known = entries[id.metric]?[id.labels]?.series as? Series else { return nil }
    entries[id.metric]?[id.labels]?.users += 1
    return known
  }

  private mutating func claim(_ metric: Metric) -> Problem? {
    let names = metric.kind.names(of: metric.name)
    for name in names {
      if let owner = owners[name], owner != metric { return .nameTaken(by: owner.name) }
    }
    guard owners[metric.name] != nil || entries.count < Self.limit else { return .tooManyMetrics }
    for name in names { owners[name] = metric }
    return nil
  }

  private mutating func report(_ problem: Problem, _ metric: String) -> Problem? {
    let key = problem == .tooManyMetrics ? "" : metric
    return reported.count < Self.limit && reported.insert(key).inserted ? problem : nil
  }
}
