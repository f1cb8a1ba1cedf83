// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// A rule that assigns the cases of a country, of a category, or of both to accounts.
public struct AssignmentRule: Sendable, Equatable {
  /// The most rules.
  public static let most = 100

  public var id = UUID()
  /// ISO 3166 alpha-2; nil for any.
  public var country: String?
  /// The category of the case; nil for any.
  public var category: ReportCategory?
  /// The names of the accounts, at least one.
  public var accounts: [String]

  /// - Throws: `RuleViolation` for a rule without a condition or without an account.
  public init(country: String?, category: ReportCategory?, accounts: [String]) throws(RuleViolation) {
    guard country != nil || category != nil else { throw RuleViolation(.decisionNotOffered, field: "condition") }
    guard !accounts.isEmpty else { throw RuleViolation(.decisionNotOffered, field: "accounts") }
    (self.country, self.category, self.accounts) = (country, category, accounts)
  }

  init(_ row: PostgresRow) throws {
    (id, country, category) = (try row.decode(0), try row.decode(1), try row.optionalCategory(2))
    accounts = try row.decode(3)
  }

  /// - Parameter country: empty for a number without one.
  func assigns(country: String, category: ReportCategory?) -> Bool {
    (self.country ?? country) == country && (self.category == nil || self.category == category)
  }
}

/// An account to which a case can be escalated by name.
public struct Colleague: Sendable, Equatable {
  public var name: String
  /// Its role: moderator or administrator.
  public var role: Role
}

/// Rules that assign cases to accounts.
public struct AssignmentStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// All rules, in the order in which they were added.
  public func rules() async throws -> [AssignmentRule] { try await pool.run(SQL.readAssignmentRules()) }

  /// The enabled accounts that may decide.
  /// - Parameter account: left out.
  public func colleagues(of account: String) async throws -> [Colleague] {
    try await pool.run(SQL.readColleagues(account: account))
  }

  /// Adds a rule. Safe to call again.
  /// - Returns: false where there are ``AssignmentRule/most`` rules.
  public func add(_ rule: AssignmentRule, by worker: Actor, at time: Date) async throws -> Bool {
    try await pool.change(at: time) { connection in
      guard try await connection.run(SQL.readAssignmentRules()).count < AssignmentRule.most else { return .none(false) }
      let add = SQL.addAssignmentRule(rule: rule, account: worker.name, time: time)
      guard try await !connection.run(add).isEmpty else { return .none(true) }
      return .made(worker.did(.assignmentAdd, to: "assignment", after: rule.fields), true)
    }
  }

  /// Does nothing where there is no such rule.
  public func remove(_ id: UUID, by worker: Actor, at time: Date) async throws {
    try await pool.change(at: time) { connection in
      guard let rule = try await connection.run(SQL.removeAssignmentRule(id: id)).first else { return .none }
      return .made(worker.did(.assignmentRemove, to: "assignment", before: rule.fields))
    }
  }
}

extension AssignmentRule {
  /// For the audit log.
  fileprivate var fields: [String: String] {
    var fields = ["accounts": accounts.joined(separator: ", ")]
    fields["country"] = country
    fields["category"] = category?.slug
    return fields
  }
}

extension SQL {
  /// All rules of assignment, the oldest first.
  static func readAssignmentRules() -> Statement<AssignmentRule> {
    Statement("SELECT rule_id, country, category_id, accounts FROM assignment_rules ORDER BY added_at, rule_id") {
      try AssignmentRule($0)
    }
  }

  /// Adds a rule of assignment, once; returns a row when it is new.
  static func addAssignmentRule(rule: AssignmentRule, account: String, time: Date) -> Statement<UUID> {
    Statement(
      """
      INSERT INTO assignment_rules (rule_id, country, category_id, accounts, added_by, added_at)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (rule_id) DO NOTHING RETURNING rule_id
      """,
      rule.id, rule.country, rule.category?.rawValue, rule.accounts, account, time)
  }

  static func removeAssignmentRule(id: UUID) -> Statement<AssignmentRule> {
    Statement("DELETE FROM assignment_rules WHERE rule_id = $1 RETURNING rule_id, country, category_id, accounts", id) {
      try AssignmentRule($0)
    }
  }

  /// The enabled accounts that may decide, by name, without one.
  package static func readColleagues(account: String) -> Statement<Colleague> {
    Statement(
      """
      SELECT name, role FROM accounts WHERE disabled_at IS NULL AND role <> 'triage' AND name <> $1 ORDER BY name LIMIT 200
      """,
      account
    ) { Colleague(name: try $0.decode(0), role: try $0.role(1)) }
  }

  /// Gives the cases that were escalated to an account back to all accounts of their level.
  static func unassignCases(account: String) -> Statement<Void> {
    Statement("UPDATE queue SET assigned_to = NULL WHERE assigned_to = $1", account)
  }
}
