// SPDX-License-Identifier: Apache-2.0

/// The figures of a scenario's nights.
struct SimulationResult: Sendable {
  /// Numbers on a list, and the numbers among them that may be blocked.
  struct Count: Sendable, CustomStringConvertible {
    var listed = 0
    var blocked = 0

    var description: String { "\(listed) / \(blocked)" }
  }

  /// Days after which nuisances are counted.
  static let days = [3, 7, 14, 28]

  let name: String
  /// The first day whose list is not empty, from 1; nil without a list.
  private(set) var firstList: Int?
  /// Nuisances on the lists after ``days``.
  private(set) var nuisances: [Int: Count] = [:]
  /// Other numbers that users reported, and targets of the brigade, that any night's list had.
  private(set) var others = Count()
  private(set) var targets = Count()
  /// Nuisances and targets that are held at the end.
  private(set) var heldNuisances = 0
  private(set) var heldTargets = 0
  /// Publications that a gate refused.
  private(set) var refused = 0

  init(_ simulation: Simulation, _ nights: [Simulation.Night]) {
    name = simulation.scenario.name
    firstList = nights.firstIndex { !$0.listed.isEmpty }.map { $0 + 1 }
    for day in Self.days where day <= nights.count {
      nuisances[day] = Self.count(simulation.reports.nuisances, [nights[day - 1]])
    }
    others = Self.count(simulation.reports.others, nights)
    targets = Self.count(simulation.reports.targets, nights)
    let held = nights.last?.held ?? []
    heldNuisances = held.intersection(simulation.reports.nuisances).count
    heldTargets = held.intersection(simulation.reports.targets).count
    refused = nights.count { $0.isRefused }
  }

  private static func count(_ numbers: [Int64], _ nights: [Simulation.Night]) -> Count {
    Count(
      listed: numbers.count { number in nights.contains { $0.listed[number] != nil } },
      blocked: numbers.count { number in nights.contains { $0.listed[number] == true } })
  }

  /// The worst of several seeds: the fewest nuisances, and the most of everything else.
  init(worstOf results: [SimulationResult]) {
    self = results[0]
    for other in results.dropFirst() {
      firstList = firstList.flatMap { first in other.firstList.map { max(first, $0) } }
      nuisances.merge(other.nuisances) {
        Count(listed: min($0.listed, $1.listed), blocked: min($0.blocked, $1.blocked))
      }
      others = Self.most(others, other.others)
      targets = Self.most(targets, other.targets)
      heldNuisances = max(heldNuisances, other.heldNuisances)
      heldTargets = max(heldTargets, other.heldTargets)
      refused = max(refused, other.refused)
    }
  }

  private static func most(_ left: Count, _ right: Count) -> Count {
    Count(listed: max(left.listed, right.listed), blocked: max(left.blocked, right.blocked))
  }

  /// A table in Markdown.
  static func table(_ results: [SimulationResult]) -> String {
    let days = Self.days.map { "day \($0)" }
    let head =
      ["scenario", "first list"] + days + ["other numbers", "brigaded", "held nuisances", "held brigaded", "refused"]
    let rows = results.map { result in
      [result.name, result.firstList.map { "day \($0)" } ?? "never"]
        + Self.days.map { result.nuisances[$0]?.description ?? "" }
        + [
          result.others.description, result.targets.description, "\(result.heldNuisances)", "\(result.heldTargets)",
          "\(result.refused)",
        ]
    }
    let lines = [head, ["---"] + head.dropFirst().map { _ in "---:" }] + rows
    return lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
  }
}
