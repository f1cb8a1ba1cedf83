// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A filter of the queue with its order, saved under a name.
public struct SavedFilter: Sendable, Equatable {
  /// The most characters of a name.
  public static let nameLength = 60
  /// The most filters of an account.
  public static let most = 20

  /// Identifies it.
  public var id: UUID
  /// The account that saved it.
  public var account: String
  /// Its name, 1 to ``nameLength`` characters; unique for the account.
  public var name: String
  /// The filter.
  public var filter: QueueFilter
  /// The order.
  public var order: QueueOrder
  /// Whether all accounts see it.
  public var isShared: Bool

  /// - Throws: `RuleViolation` for a name that is blank, too long or not one line.
  public init(
    id: UUID = UUID(), account: String, name: String, filter: QueueFilter, order: QueueOrder, isShared: Bool
  ) throws(RuleViolation) {
    self.init(
      id: id, account: account, checked: try RuleViolation.line(name, "name", atMost: Self.nameLength),
      filter: filter, order: order, isShared: isShared)
  }

  init(id: UUID, account: String, checked name: String, filter: QueueFilter, order: QueueOrder, isShared: Bool) {
    (self.id, self.account, self.name) = (id, account, name)
    (self.filter, self.order, self.isShared) = (filter, order, isShared)
  }

  /// Whether a worker may delete it: its account may, and administrators may delete shared ones.
  public func canBeDeleted(by worker: QueueWorker) -> Bool {
    worker.account == account || isShared && worker.role >= .administrator
  }
}

/// Result of saving a filter.
public enum FilterOutcome: Sendable, Equatable {
  /// It is stored.
  case saved
  /// The account has ``SavedFilter/most`` filters.
  case full
  /// The role may not share filters.
  case notShareable
}
