// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation
public import Storage
import Synchronization

/// The protected numbers in intake's memory, refreshed twice a minute.
///
/// A report about a protected number is accepted, stored and answered like any other, but has the weight 0. Refusing it
/// would hide it from moderators (a bank whose number is spoofed all day), would make phones send it repeatedly, and
/// would reveal which numbers an operator protects. When protection changes, the hourly recount of weights corrects the
/// stored reports.
public final class ProtectionCache: Sendable {
  private struct Known {
    var numbers = ProtectedNumbers.none
    var version: Int64?
  }

  private let store: ProtectionStore?
  private let known = Mutex(Known())

  /// The longest time until a change reaches a server.
  public static let interval = Duration.seconds(30)

  public static let none = ProtectionCache(store: nil)

  /// - Parameter store: nil for no protected numbers.
  public init(store: ProtectionStore?) {
    self.store = store
  }

  public var numbers: ProtectedNumbers { known.withLock { $0.numbers } }

  /// Reads the protected numbers if their version has changed.
  public func refresh() async throws {
    guard let store else { return }
    // The version is read first: a change in between is read again next time.
    let version = try await store.version()
    guard version != known.withLock({ $0.version }) else { return }
    let numbers = try await store.load()
    known.withLock { $0 = Known(numbers: numbers, version: version) }
  }

  /// Returns the reports, with weight 0 for those about protected numbers.
  public func unweighing(_ reports: [Report]) -> [Report] {
    let numbers = known.withLock { $0.numbers }
    var reports = reports
    for index in reports.indices where numbers.rule(for: reports[index].number) != nil { reports[index].weight = 0 }
    return reports
  }
}
