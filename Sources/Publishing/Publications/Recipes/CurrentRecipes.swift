// SPDX-License-Identifier: Apache-2.0

import Curation
import Synchronization

/// The recipes in force. They are read again for each publication, because an operator may change the file while the server
/// runs.
final class CurrentRecipes: Sendable {
  private let read: @Sendable () throws -> [Recipe]
  private let last = Mutex<[Recipe]?>(nil)

  init(_ read: @escaping @Sendable () throws -> [Recipe]) {
    self.read = read
  }

  /// - Throws: the errors of reading.
  func current() throws -> [Recipe] {
    let recipes = try read()
    last.withLock { $0 = recipes }
    return recipes
  }

  /// The recipes in force, or the last ones that could be read: a revocation does not wait for a correction of the file.
  /// - Throws: the errors of reading where none could be read before.
  func currentOrLast() throws -> [Recipe] {
    do {
      return try current()
    } catch {
      guard let last = last.withLock({ $0 }) else { throw error }
      return last
    }
  }
}
