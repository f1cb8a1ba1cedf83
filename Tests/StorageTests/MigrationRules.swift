// SPDX-License-Identifier: Apache-2.0

import Foundation
import Storage

/// The rules for the text of a migration: no long lock in any, and in an expand migration nothing that a program fails on
/// that does not know it.
enum MigrationRules {
  /// The problems of a migration; empty if there is none.
  static func problems(in script: String) -> [String] {
    let first = script.prefix { $0 != "\n" }
    let statements = Self.statements(of: script)
    let created = Set(statements.compactMap { name(in: $0, after: #"^create table (?:if not exists )?"#) })
    if first == "-- expand, concurrently" || first == "-- contract, concurrently" {
      return concurrent(statements, of: script, isExpand: first.hasPrefix("-- expand"))
    }
    var problems = statements.flatMap { first == "-- expand" ? expand($0, created) : contract($0, created) }
    let altered = Set(statements.filter { !sortsByBytes($0) }.compactMap(alteredTable)).subtracting(created)
    if first == "-- expand", altered.count > 1 {
      problems.append("alters \(altered.sorted().joined(separator: " and ")): one table a file, or it can deadlock")
    }
    return problems
  }

  // MARK: Kinds

  private static func concurrent(_ statements: [String], of script: String, isExpand: Bool) -> [String] {
    guard statements.count == 1, let statement = statements.first else {
      return ["has \(statements.count) statements: only one can be repeated after an interruption"]
    }
    if statement.contains(#/^create (unique )?index concurrently if not exists /#) {
      return statement.hasPrefix("create unique") && isExpand
        ? ["\(short(statement)): older programs may insert what the index refuses"] : []
    }
    if !isExpand, statement.hasPrefix("drop index concurrently if exists ") { return [] }
    // PostgreSQL cannot build an index of a partitioned table concurrently: one transaction for each partition.
    if !isExpand, statement == "do ''", script.contains("CREATE INDEX IF NOT EXISTS %I"), script.contains("COMMIT"),
      !script.contains(#/(?i)\b(drop|delete|update|insert|truncate|lock|alter table)\b/#)
    {
      return []
    }
    return ["\(short(statement)): cannot run outside a transaction, or cannot be repeated"]
  }

  private static func expand(_ statement: String, _ created: Set<String>) -> [String] {
    func problem(_ reason: String) -> [String] { ["\(short(statement)): \(reason)"] }
    if let table = alteredTable(statement), !created.contains(table) {
      return actions(of: statement).flatMap { action in
        isHarmless(action, in: statement) ? [] : ["alter table \(table) \(short(action)): \(reason(for: action))"]
      }
    }
    if let table = indexedTable(statement), !created.contains(table) {
      return problem("stops writes while it runs. Use a file with -- expand, concurrently")
    }
    if let table = name(in: statement, after: #"^(?:insert into|update|delete from|truncate(?: table)?) "#) {
      return created.contains(table) || statement.hasPrefix("insert into ")
        ? [] : problem("locks rows that older programs change. Let the program do it in batches")
    }
    let allowed = [
      #"^set local citus\.multi_shard_modify_mode = "#, #"^create table "#, #"^alter table "#,
      #"^create (unique )?index "#, #"^create sequence "#, #"^comment on "#,
      // Not unique: older programs only become slower.
      #"^drop index directory_entries_words$"#,
    ]
    return allowed.contains { statement.range(of: $0, options: .regularExpression) != nil }
      ? [] : problem("not among the statements of an expand migration")
  }

  private static func contract(_ statement: String, _ created: Set<String>) -> [String] {
    func problem(_ reason: String) -> [String] { ["\(short(statement)): \(reason)"] }
    if let table = indexedTable(statement), !created.contains(table), grows(table) {
      return problem("stops writes while it runs. Use a file with -- contract, concurrently")
    }
    if let table = alteredTable(statement), !created.contains(table), grows(table) {
      return actions(of: statement).flatMap { action in
        readsAllRows(action)
          ? ["alter table \(table) \(short(action)): reads or writes all rows while nobody else can"] : []
      }
    }
    if let table = name(in: statement, after: #"^(?:update|delete from) "#), !created.contains(table), grows(table) {
      return problem("changes all rows in one transaction. Let the program do it in batches")
    }
    return statement.contains(#/^(vacuum|cluster|lock|reindex) /#) ? problem("takes a lock for long") : []
  }

  // MARK: Actions of ALTER TABLE

  private static func readsAllRows(_ action: String) -> Bool {
    if action.hasSuffix(" not valid") { return false }
    return action.contains(#/^alter (column )?\S+ ((set data )?type |set not null)|^add (constraint \S+ )?check /#)
  }

  /// Whether a statement only changes the order of texts, which no program expects: PostgreSQL builds their indexes again,
  /// and the table as it is. A migration that has to wait for a table gives up all of them, so it cannot deadlock.
  private static func sortsByBytes(_ statement: String) -> Bool {
    alteredTable(statement) != nil && actions(of: statement).allSatisfy { $0.contains(byBytes) }
  }

  private static var byBytes: Regex<Substring> { #/^alter column \S+ type text collate "c"$/# }

  private static func isHarmless(_ action: String, in statement: String) -> Bool {
    if action.contains(byBytes), let table = alteredTable(statement) {
      return !grows(table) || ["audit_events", "case_proposals", "queue_passes", "review_opinions"].contains(table)
    }
    let addsConstraint = action.contains(#/^add (constraint|check|unique|primary|foreign|exclude)/#)
    if action.hasPrefix("add "), !addsConstraint {
      let risky = #/ (references|check|unique|primary key|generated|constraint|(small|big)?serial[248]?)\b/#
      let isConstant = !action.contains(#/ default .*\(/#)
      let isOptional = !action.contains(" not null") || action.contains(" default ")
      return !action.contains(risky) && isConstant && isOptional
    }
    if action.contains(#/^alter (column )?\S+ (set default [^(]+|drop not null|set statistics .+)$/#) { return true }
    if action.contains(#/^(re)?set \(/#) { return true }
    // A check is replaced by a wider one of the same name, which does not read the rows.
    if let match = action.firstMatch(of: #/^drop constraint (\S+)$/#) {
      return statement.contains("add constraint \(match.1) check ")
    }
    if let match = action.firstMatch(of: #/^add constraint (\S+) check .* not valid$/#) {
      return statement.contains("drop constraint \(match.1),")
    }
    return false
  }

  private static func reason(for action: String) -> String {
    switch action {
    case _ where action.contains(#/^add constraint|^add (check|unique|primary|foreign|exclude)/#):
      "older programs may store what it refuses"
    case _ where action.hasPrefix("add"):
      "the column must be optional or have a constant default, without constraints: all else reads all rows, or refuses "
        + "rows of older programs"
    case _ where action.contains(#/^(drop|rename)/#): "older programs use it"
    case _ where action.contains(" type "): "writes all rows anew, and older programs expect the former type"
    case _ where action.contains(" set not null"): "older programs may store NULL, and it reads all rows"
    default: "not among the changes of an expand migration"
    }
  }

  // MARK: Text

  /// Statements without comments, in lower case, with single spaces; texts in quotes are empty.
  static func statements(of script: String) -> [String] {
    script
      .replacing(#/(?s)\$([a-z_]*)\$.*?\$\1\$/#, with: "''")
      .replacing(#/'(?:[^']|'')*'|--[^\n]*/#) { $0.output.hasPrefix("'") ? "''" : "" }
      .lowercased()
      .split(separator: ";")
      .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      .filter { !$0.isEmpty }
  }

  /// The actions of ALTER TABLE, which commas outside parentheses separate.
  private static func actions(of statement: String) -> [String] {
    guard let start = statement.firstMatch(of: #/^alter table (if exists )?(only )?\S+ /#) else { return [] }
    var (actions, depth) = ([""], 0)
    for character in statement[start.range.upperBound...] {
      depth += character == "(" ? 1 : character == ")" ? -1 : 0
      if character == ",", depth == 0 {
        actions.append("")
      } else {
        actions[actions.count - 1].append(character)
      }
    }
    return actions.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func alteredTable(_ statement: String) -> String? {
    name(in: statement, after: #"^alter table (?:if exists )?(?:only )?"#)
  }

  private static func indexedTable(_ statement: String) -> String? {
    guard statement.contains(#/^create (unique )?index /#) else { return nil }
    return name(in: statement, after: #" on (?:only )?"#)
  }

  private static func name(in statement: String, after pattern: String) -> String? {
    guard let range = statement.range(of: pattern, options: .regularExpression) else { return nil }
    let name = statement[range.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return name.isEmpty ? nil : String(name)
  }

  /// Whether a table grows with numbers and reports, or cannot be known to be small.
  private static func grows(_ table: String) -> Bool {
    TablePlacement.all[table].map { $0 == .distributed } ?? true || ["audit_events", "reporters"].contains(table)
  }

  private static func short(_ text: String) -> String { text.count > 80 ? "\(text.prefix(77))..." : text }
}
