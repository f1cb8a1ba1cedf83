public import Curation
public import Foundation

/// How many cases wait, by everything that can be filtered; of one moment.
public struct QueueTotals: Sendable, Equatable {
  /// Cases that do not differ in anything that can be filtered.
  public struct Group: Sendable, Equatable {
    /// ISO 3166 alpha-2; empty for none.
    public var country: String
    /// The hottest category.
    public var category: ReportCategory?
    /// All causes.
    public var causes: QueueCauses
    /// The greatest of ``QueueFilter/ages`` that they have reached; 0 for younger ones.
    public var days: Int
    /// Who shall look at them.
    public var level: Int16
    /// How many.
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

  /// At most some thousands.
  public var groups: [Group]

  /// - Parameter groups: see the property.
  public init(groups: [Group] = []) {
    self.groups = groups
  }

  /// Takes one case out, where there is any like it.
  public mutating func remove(_ item: QueueCase, at time: Date) {
    let age = time.timeIntervalSince(item.since)
    let days = QueueFilter.ages.filter { Double($0) * 86_400 <= age }.max() ?? 0
    let index = groups.firstIndex { group in
      group.country == item.country ?? "" && group.category == item.category && group.causes == item.causes
        && group.days == days && group.level == item.level && group.count > 0
    }
    if let index { groups[index].count -= 1 }
  }

  /// How many wait for somebody of this level, and how many would with one part of the filter changed.
  public func counts(_ filter: QueueFilter = QueueFilter(), level: Int16) -> QueueCounts {
    QueueCounts(groups, filter, level: level)
  }

  /// How many wait for somebody of this level.
  public func count(_ filter: QueueFilter = QueueFilter(), level: Int16) -> Int {
    groups.reduce(0) { $0 + ($1.level <= level && $1.matches(filter) ? $1.count : 0) }
  }

  /// How many wait for somebody of level 0, of level 1 and of level 2.
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
