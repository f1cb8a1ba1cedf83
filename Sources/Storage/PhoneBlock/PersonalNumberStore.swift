// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PostgreSQL

/// A number, or the beginning of numbers, that a user blocks or allows for own calls.
public struct PersonalNumber: Sendable, Equatable {
  /// Digits without the plus.
  public let number: Int64
  /// Whether the entry is for all numbers that begin with these digits.
  public let isPrefix: Bool
  /// Whether they are blocked; otherwise they are allowed.
  public let isBlocked: Bool
  /// When the entry was added.
  public let addedAt: Date

  /// - Parameters: see the properties.
  public init(number: Int64, isPrefix: Bool, isBlocked: Bool, addedAt: Date) {
    self.number = number
    self.isPrefix = isPrefix
    self.isBlocked = isBlocked
    self.addedAt = addedAt
  }
}

/// The personal lists of users. They change no score, and are deleted with the key that they arrived with.
public struct PersonalNumberStore: Sendable {
  /// The most entries of a user, blocked and allowed.
  public static let mostEntries = 1_000

  private let pool: PostgresPool

  /// - Parameter pool: where personal numbers are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// The entries of a user in ascending order.
  /// - Parameter reporter: the pseudonym, 16 bytes.
  public func entries(of reporter: [UInt8]) async throws -> [PersonalNumber] {
    try await pool.run(SQL.readPersonalNumbers(reporter: reporter))
  }

  /// Adds an entry, or moves it to the other list. Safe to repeat.
  /// - Parameter keyID: the key of the request.
  /// - Returns: false when the user has ``mostEntries`` already.
  public func add(_ entry: PersonalNumber, of reporter: [UInt8], keyID: Int32) async throws -> Bool {
    try await !pool.run(SQL.addPersonalNumber(entry: entry, reporter: reporter, keyID: keyID)).isEmpty
  }

  /// Removes an entry from one of the lists. Safe to repeat.
  public func remove(_ number: Int64, isPrefix: Bool, isBlocked: Bool, of reporter: [UInt8]) async throws {
    _ = try await pool.run(
      SQL.removePersonalNumber(number: number, isPrefix: isPrefix, isBlocked: isBlocked, reporter: reporter))
  }
}
