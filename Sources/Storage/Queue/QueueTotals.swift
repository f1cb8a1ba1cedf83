// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// Number of cases by everything that can be filtered, from one snapshot.
public struct QueueTotals: Sendable, Equatable {
  /// Cases that are equal in everything that can be filtered.
  public struct Group: Sendable, Equatable {
    /// ISO 3166 alpha-2; empty for none.
    public var country: String
    /// The category with the most heat.
    public var category: ReportCategory?
    public var causes: QueueCauses
    /// The greatest of ``QueueFilter/ages`` that the cases have reached; 0 for younger ones.
    public var days: Int
    public var level: Int16
    /// The account that they were escalated to by name.
    public var assignedTo: String?
    public var count: Int

    public init(
      country: String, category: ReportCategory?, causes: QueueCauses, days: Int, level: Int16,
      assignedTo: String? = nil, count: Int
    ) {
      self.country = country
      self.category = category
      self.causes = causes
      self.days = days
      self.level = level
      self.assignedTo = assignedTo
      self.count = count
    }
  }

  /// At most some thousands.
  public var groups: [Group]

  var rules: [AssignmentRule]

  public init(groups: [Group] = [], rules: [AssignmentRule] = []) {
    self.groups = groups
    self.rules = rules
  }

  /// Subtracts one case, where its group exists.
  public mutating func remove(_ item: QueueCase, at time: Date) {
    let age = time.timeIntervalSince(item.since)
    let days = QueueFilter.ages.filter { Double($0) * 86_400 <= age }.max() ?? 0
    let index = groups.firstIndex { group in
      group.country == item.country ?? "" && group.category == item.category && group.causes == item.causes
        && group.days == days && group.level == item.level && group.assignedTo == item.assignedTo && group.count > 0
    }
    if let index { groups[index].count -= 1 }
  }

  /// Number of cases for a worker of this level, and for each other value of one part of the filter.
  /// - Parameter account: the account of a filter by assignment.
  public func counts(_ filter: QueueFilter = QueueFilter(), level: Int16, account: String = "") -> QueueCounts {
    let own = assigned(to: account)
    var counts = QueueCounts(filter.isMine ? own : groups, filter, level: level)
    counts.mine = Self.count(own, filter, level)
    return counts
  }

  /// Number of cases for a worker of this level.
  /// - Parameter account: the account of a filter by assignment.
  public func count(_ filter: QueueFilter = QueueFilter(), level: Int16, account: String = "") -> Int {
    Self.count(filter.isMine ? assigned(to: account) : groups, filter, level)
  }

  private static func count(_ groups: [Group], _ filter: QueueFilter, _ level: Int16) -> Int {
    groups.reduce(0) { $0 + ($1.level <= level && $1.matches(filter) ? $1.count : 0) }
  }

  /// The groups of cases that were escalated to an account, or that rules assign to it.
  private func assigned(to account: String) -> [Group] {
    let rules = rules.filter { $0.accounts.contains(account) }
    return groups.filter { group in
      if let name = group.assignedTo { return name == account }
      return rules.contains { $0.assigns(country: group.country, category: group.category) }
    }
  }

  /// Number of cases for workers of level 0, of level 1 and of level 2.
  public var byLevel: [Int] {
    groups.reduce(into: [0, 0, 0]) { counts, group in
      for level in counts.indices where group.level <= level { counts[level] += group.count }
    }
  }
}

extension QueueTotals.Group {
  fileprivate func matches(_ filter: QueueFilter) -> Bool {
    if let country = filter.country, country != self.country { return false }
    if let category = filter.category, category != self.category { return false }
    if let cause = filter.cause, !causes.contains(cause) { return false }
    if let days = filter.days, self.days < days { return false }
    return true
  }
}

/// The number of cases that match a filter, and the number for each other value of one of its parts.
public struct QueueCounts: Sendable, Equatable {
  /// Cases that match the filter.
  public private(set) var all = 0
  /// By country, empty for none: with this country in place of the filter's. Countries without a match are left out.
  public private(set) var byCountry: [String: Int] = [:]
  /// With this category in place of the filter's; missing categories have no cases.
  public private(set) var byCategory: [ReportCategory: Int] = [:]
  /// With this cause in place of the filter's.
  public private(set) var byCause: [QueueCause: Int] = [:]
  /// With one of ``QueueFilter/ages`` in place of the filter's.
  public private(set) var byDays: [Int: Int] = [:]
  /// Cases that match the filter and are assigned to the account.
  public internal(set) var mine = 0

  /// Countries with their counts, the most first.
  public var countries: [(country: String, count: Int)] {
    byCountry.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { (country: $0.key, count: $0.value) }
  }

  /// One pass over the groups serves all choices of the page: a group that matches the filter, or that only one part
  /// excludes, counts for the value that the part would need. Each page makes this pass over some thousands of groups,
  /// so it counts in arrays, and countries, which are adjacent, in runs.
  init(_ groups: [QueueTotals.Group], _ filter: QueueFilter, level: Int16) {
    var categories = [Int](repeating: 0, count: ReportCategory.allCases.count + 1)
    var causes = [Int](repeating: 0, count: QueueCause.allCases.count)
    var days = [Int](repeating: 0, count: QueueFilter.ages.count)
    var stretch = (country: "", count: 0)
    for group in groups where group.level <= level && group.count > 0 {
      let isCountry = filter.country.map { $0 == group.country } ?? true
      let isCategory = filter.category.map { $0 == group.category } ?? true
      let isCause = filter.cause.map { group.causes.contains($0) } ?? true
      let isOld = filter.days.map { group.days >= $0 } ?? true
      if isCategory, isCause, isOld {
        if isCountry { all += group.count }
        if stretch.country != group.country {
          add(stretch)
          stretch = (group.country, 0)
        }
        stretch.count += group.count
      }
      if isCountry, isCause, isOld, let category = group.category { categories[Int(category.rawValue)] += group.count }
      if isCountry, isCategory, isOld {
        for place in causes.indices where group.causes.rawValue & (1 << place) != 0 { causes[place] += group.count }
      }
      if isCountry, isCategory, isCause {
        for place in days.indices where group.days >= QueueFilter.ages[place] { days[place] += group.count }
      }
    }
    add(stretch)
    for category in ReportCategory.allCases { byCategory[category] = categories[Int(category.rawValue)] }
    for (place, cause) in QueueCause.allCases.enumerated() { byCause[cause] = causes[place] }
    for (place, age) in QueueFilter.ages.enumerated() { byDays[age] = days[place] }
  }

  private mutating func add(_ stretch: (country: String, count: Int)) {
    if stretch.count > 0 { byCountry[stretch.country, default: 0] += stretch.count }
  }
}
