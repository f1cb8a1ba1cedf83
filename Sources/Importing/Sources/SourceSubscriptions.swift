// SPDX-License-Identifier: Apache-2.0

import CallerPack
public import Curation
public import Foundation
public import Storage

/// Adds sources, for the command and for the page.
public struct SourceSubscriptions: Sendable {
  private let stores: Stores

  public init(stores: Stores) {
    self.stores = stores
  }

  /// Saves the rule of a source, and adds it.
  /// - Parameter change: the weight and limits that differ from the rule for all lists. The rule of a removed source of the
  ///   name is not used.
  /// - Returns: false where there is a source of the name.
  /// - Throws: ``SourceFailure/stillRemoving``, `AppError.nameTaken`, `AppError.notList`, `ThresholdProblem`, `StorageError.thresholdsChanged`, the database's error.
  public func add(
    _ settings: Source.Settings, rule change: SourceRuleChange = SourceRuleChange(), by actor: Actor, at time: Date
  ) async throws -> Bool {
    guard try await stores.sources.source(named: settings.name) == nil else { return false }
    guard try await !isOfOtherList(settings.name) else { throw AppError.nameTaken(settings.name) }
    let list = try await stores.apps.source(named: settings.name, at: time)
    guard try await !stores.sources.removed().contains(list.id) else { throw SourceFailure.stillRemoving }
    // A server may download the source as soon as it is added.
    try await saveRule(of: list, for: settings, change, by: actor, at: time)
    return try await stores.sources.add(settings, as: list, by: actor, at: time)
  }

  /// Whether there is no source of the name, and no list with complaints that were imported by hand, which would get the
  /// rule and the ceiling of the source.
  public func isFree(_ name: String) async throws -> Bool {
    guard try await stores.sources.source(named: name) == nil else { return false }
    return try await !isOfOtherList(name)
  }

  /// Whether a name belongs to a list with imported complaints, or to the rule for all lists.
  private func isOfOtherList(_ name: String) async throws -> Bool {
    if name == SourceRule.everyListName { return true }
    guard let list = try await stores.thresholds.lists().first(where: { $0.name == name }),
      try await !stores.sources.ids().contains(list.id)
    else { return false }
    return try await stores.sources.hasReports(list.id)
  }

  private func saveRule(
    of list: App, for settings: Source.Settings, _ change: SourceRuleChange, by actor: Actor, at time: Date
  ) async throws {
    let (former, set) = try await stores.thresholds.version(nil)
    let rule = settings.rule(of: list.id, isNew: true, change, in: set)
    let changed = try set.replacing(rule)
    guard changed != set else { return }
    let reason = "Subscription to \(settings.name)"
    try await stores.thresholds.save(changed, after: former.version, by: actor, because: reason, at: time)
  }

  /// Whether a text is the address of a file: http or https without a password and fragment, and not too long.
  public static func isAddress(_ text: String) -> Bool {
    guard let address = URL(string: text), WebOrigin(address) != nil else { return false }
    return address.user == nil && address.fragment == nil && text.utf8.count <= Source.Settings.maxURLBytes
  }

  /// Checks that an address is one of the public internet.
  /// - Throws: ``SourceFailure``.
  public static func checkIsPublic(_ text: String) async throws {
    guard isAddress(text), let host = URL(string: text)?.host else { throw SourceFailure.invalidAddress }
    _ = try await PublicAddress.resolve(host)
  }

  /// The seconds of a text such as `30s`, `30m`, `6h` or `1d`; nil for another form, and outside of
  /// ``SourceFormat/intervals``.
  public static func interval(_ text: String, of format: SourceFormat) -> Int? {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()), (1...100_000).contains(count),
      format.intervals.contains(count * unit)
    else { return nil }
    return count * unit
  }
}

extension Source.Settings {
  /// The rule of a list for a source with these settings. One entry is sufficient for a new list, which has at most one
  /// about a number.
  /// - Parameter isNew: whether to begin with the rule for all lists; otherwise with the rule of the list.
  func rule(of list: Int32, isNew: Bool, _ change: SourceRuleChange, in set: ThresholdSet) -> SourceRule {
    var rule = isNew ? set.rule(forSource: SourceRule.everyList) : set.rule(forSource: list)
    rule.appID = list
    if isNew, !format.hasComplaints {
      (rule.enter, rule.leave) = (.init(complaints: 1, days: 1), .init(complaints: 1, days: 1))
    }
    return change.applied(to: rule)
  }

  /// The settings of a source that cannot have an effect, with values that can.
  /// - Parameters:
  ///   - list: the list's id in `apps`; nil for a new one.
  ///   - change: the weight and limits that the source gets.
  public func ineffective(_ list: Int32?, _ change: SourceRuleChange, in set: ThresholdSet) -> [IneffectiveSetting] {
    guard !format.protects else { return [] }
    let rule = rule(of: list ?? SourceRule.everyList, isNew: list == nil, change, in: set)
    guard rule.weight > 0 else { return [.weightZero] }
    guard !format.hasComplaints, ceiling > .nothing else { return [] }
    var found: [IneffectiveSetting] = []
    let most = format.countsRows ? SourceEntry.maxComplaints : 1
    if ceiling >= .identify, rule.enter.complaints > most || rule.enter.days > 1 {
      found.append(.limitsTooHigh(complaints: rule.enter.complaints, days: rule.enter.days, most: most))
    }
    if ceiling == .block, rule.blockComplaints > most {
      found.append(.blockTooHigh(complaints: rule.blockComplaints, most: most))
    }
    let slugs = options.categories.isEmpty ? [] : Set(options.categories.values).subtracting([SourceOptions.skipped])
    let categories = slugs.compactMap { ReportCategory(slug: $0) } + [options.category(of: nil)].compactMap { $0 }
    // An entry is as hot as on the day of its refresh, until the next one.
    let age = TimeInterval(86_400 + every)
    let country = options.region ?? options.countries.first ?? format.defaultRegion
    let needs = Set(categories).compactMap { category in
      set.threshold(for: category, country: { country }).map { (category, $0.weight(of: ceiling, aged: age)) }
    }
    if let (category, least) = needs.filter({ rule.weight < $1 }).max(by: {
      ($0.1, $1.0.rawValue) < ($1.1, $0.0.rawValue)
    }) {
      found.append(.weightTooLow(weight: rule.weight, category: category.slug, sufficient: least))
    }
    return found
  }
}
