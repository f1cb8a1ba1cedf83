// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// Number of cases by everything that can be filtered, from one snapshot.
public struct QueueTotals: Sendable, Equatable {
  /// Cases that are equal in everything that can be filtered.
  public struct Group: Sendable, Equatable {
    /// ISO 3166 alpha-2; empty for none.
    public var country: String
    /// The hottest category.
    public var category: ReportCategory?
    /// The cases' causes.
    public var causes: QueueCauses
    /// The greatest of ``QueueFilter/ages`` that the cases have reached; 0 for younger ones.
    public var days: Int
    /// The cases' level.
    public var level: Int16
    /// Number of cases.
    public var count: Int

    /// - Parameters: see the properties.
    public init(
      country: String, category: ReportCategory?, causes: QueueCauses, days: Int, level: Int16, count: Int
    ) {
      self.country = country
      self.category = category
      self.causes = causes
      self.days = days
      self.level = level
      self.count = count
    }
  }

  /// The groups; at most some thousands.
  public var groups: [Group]

  /// - Parameter groups: see the property.
  public init(groups: [Group] = []) {
    self.groups = groups
  }

  /// Subtracts one case, where its group exists.
  public mutating func remove(_ item: QueueCase, at time: Date) {
    let age = time.timeIntervalSince(item.since)
    let days = QueueFilter.ages.filter { Double($0) * 86_400 <= age }.max() ?? 0
    let index = groups.firstIndex { group in
      group.country == item.country ?? "" && group.category == item.category && group.causes == item.causes
        && group.days == days && group.level == item.level && group.count > 0
    }
    if let index { groups[index].count -= 1 }
  }

  /// Number of cases for a worker of this level, and for each other value of one part of the filter.
  public func counts(_ filter: QueueFilter = QueueFilter(), level: Int16) -> QueueCounts {
    QueueCounts(groups, filter, level: level)
  }

  /// Number of cases for a worker of this level.
  public func count(_ filter: QueueFilter = QueueFilter(), level: Int16) -> Int {
    groups.reduce(0) { $0 + ($1.level <= level && $1.matches(filter) ? $1.count : 0) }
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
