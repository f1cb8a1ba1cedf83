// SPDX-License-Identifier: Apache-2.0

public import Metrics
package import Storage
import Synchronization

/// The reports of each app in this process: how many were stored lately, and how many were refused, by reason.
public final class AppTraffic: Sendable {
  public struct Figures: Sendable, Equatable {
    /// Reports stored in a second, on average of the last ``window`` seconds.
    public var perSecond = 0.0
    /// Reports refused since the start of the process by the code of the first broken rule, or `rate_limit`, `conflict`,
    /// `withdrawn` or `unavailable`, or the kind of a refused request; the most frequent first.
    public var refused: [(reason: String, count: Int)] = []

    public static func == (first: Figures, second: Figures) -> Bool {
      first.perSecond == second.perSecond && first.refused.elementsEqual(second.refused, by: ==)
    }
  }

  private struct State {
    let stored: Counter
    /// The reports of each second of the window, by the second's remainder.
    var seconds = Array(repeating: 0, count: AppTraffic.window)
    var last: Int
    var refused: [String: Int] = [:]

    mutating func advance(to now: Int) {
      for second in max(last + 1, now - AppTraffic.window + 1)..<max(last + 1, now + 1) {
        seconds[second % AppTraffic.window] = 0
      }
      last = max(last, now)
    }
  }

  /// In seconds.
  private static let window = 60

  private static let start = ContinuousClock.now
  private let factory: any MetricsFactory
  private let clock: @Sendable () -> Int
  private let apps = Mutex<[Int32: State]>([:])

  /// - Parameter clock: seconds since any start; nil for the process's own.
  public init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance, clock: (@Sendable () -> Int)? = nil) {
    self.factory = factory
    self.clock = clock ?? { Int(Self.start.duration(to: .now).components.seconds) }
  }

  /// Notes the end of an app's report.
  package func note(_ result: Result<ReportOutcome, any Error>, of app: App) {
    switch result {
    case .success(.created):
      change(app) { state in
        state.seconds[state.last % Self.window] += 1
        state.stored.increment()
      }
    case .success(.duplicate): break
    case .success(.conflict): refuse("conflict", of: app)
    case .success(.withdrawn): refuse("withdrawn", of: app)
    case .failure(let error as InvalidSubmission): refuse(error.problems.first?.code ?? "invalid", of: app)
    case .failure: refuse("unavailable", of: app)
    }
  }

  /// Notes a refused report. Reasons are codes of the program, so they are few.
  package func refuse(_ reason: String, of app: App, count: Int = 1) {
    change(app) { $0.refused[reason, default: 0] += count }
    Counter(
      label: "ringfence_intake_rejects_total", dimensions: [("app", app.name), ("reason", reason)], factory: factory
    ).increment(by: count)
  }

  public func figures(ofApp id: Int32) -> Figures {
    apps.withLock { apps in
      guard var state = apps[id] else { return Figures() }
      state.advance(to: clock())
      apps[id] = state
      let refused = state.refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      return Figures(
        perSecond: Double(state.seconds.reduce(0, +)) / Double(Self.window),
        refused: refused.map { (reason: $0.key, count: $0.value) })
    }
  }

  private func change(_ app: App, _ body: (inout State) -> Void) {
    let now = clock()
    apps.withLock { apps in
      var state =
        apps[app.id]
        ?? State(
          stored: Counter(label: "ringfence_app_reports_total", dimensions: [("app", app.name)], factory: factory),
          last: now)
      state.advance(to: now)
      body(&state)
      apps[app.id] = state
    }
  }
}
