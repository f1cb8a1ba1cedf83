import Synchronization

/// All metrics of a server, by name.
///
/// Series are made once, when whoever measures is made; measuring then touches nothing but an atomic number.
public final class MetricsRegistry: Sendable {
  /// Adds to a text what is read at the moment of asking.
  public typealias Collector = @Sendable (inout Exposition) async -> Void

  fileprivate enum Series {
    case counter(Counter)
    case level(Level)
    case histogram(Histogram)
  }

  fileprivate struct Family {
    let help: String
    var series: [(labels: [Label], series: Series)] = []
  }

  private struct State {
    var families: [String: Family] = [:]
    var collectors: [Collector] = []
  }

  private let state = Mutex(State())

  /// Without any metric.
  public init() {}

  /// A counter; the same one for the same name and labels.
  /// - Parameter name: ends in `_total`.
  public func counter(_ name: String, _ help: String, _ labels: Label...) -> Counter {
    series(name, help, labels, found: { if case .counter(let counter) = $0 { counter } else { nil } }) {
      let counter = Counter()
      return (counter, .counter(counter))
    }
  }

  /// A level, written as a gauge; the same one for the same name and labels.
  public func level(_ name: String, _ help: String, _ labels: Label...) -> Level {
    series(name, help, labels, found: { if case .level(let level) = $0 { level } else { nil } }) {
      let level = Level()
      return (level, .level(level))
    }
  }

  /// A histogram; the same one for the same name and labels.
  /// - Parameter bounds: of its buckets, ascending; the same for all of a name.
  public func histogram(_ name: String, _ help: String, _ bounds: [Double], _ labels: Label...) -> Histogram {
    series(name, help, labels, found: { if case .histogram(let histogram) = $0 { histogram } else { nil } }) {
      let histogram = Histogram(bounds)
      return (histogram, .histogram(histogram))
    }
  }

  /// Has something asked whenever the metrics are read.
  public func collect(_ collector: @escaping Collector) {
    state.withLock { $0.collectors.append(collector) }
  }

  /// Everything, as text: names in ascending order, then what is collected.
  public func text(_ format: Exposition.Format = .prometheus) async -> String {
    let (families, collectors) = state.withLock { ($0.families, $0.collectors) }
    var exposition = Exposition(format)
    for (name, family) in families.sorted(by: { $0.key < $1.key }) { family.write(name, to: &exposition) }
    for collector in collectors { await collector(&exposition) }
    return exposition.text
  }

  private func series<Found>(
    _ name: String, _ help: String, _ labels: [Label], found: (Series) -> Found?, make: () -> (Found, Series)
  ) -> Found {
    state.withLock { state in
      var family = state.families[name] ?? Family(help: help)
      for known in family.series where known.labels == labels {
        if let found = found(known.series) { return found }
        preconditionFailure("\(name) is a metric of another kind")
      }
      let (made, series) = make()
      family.series.append((labels, series))
      state.families[name] = family
      return made
    }
  }
}

extension MetricsRegistry.Family {
  fileprivate func write(_ name: String, to exposition: inout Exposition) {
    var (counters, gauges): ([([Label], Double)], [([Label], Double)]) = ([], [])
    var histograms: [([Label], Histogram)] = []
    for (labels, series) in series {
      switch series {
      case .counter(let counter): counters.append((labels, Double(counter.value)))
      case .level(let level): gauges.append((labels, Double(level.value)))
      case .histogram(let histogram): histograms.append((labels, histogram))
      }
    }
    if !counters.isEmpty { exposition.counter(name, help, counters) }
    if !gauges.isEmpty { exposition.gauge(name, help, gauges) }
    if !histograms.isEmpty { exposition.histogram(name, help, histograms) }
  }
}
