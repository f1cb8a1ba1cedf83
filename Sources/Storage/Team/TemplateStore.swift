// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// A version of the team's texts.
public struct TemplateVersion: Sendable, Equatable {
  /// Rises by one from 1; the newest is in force.
  public var version: Int32
  public var savedAt: Date
  public var savedBy: String
}

/// Common reasons and answers of the team, version by version. A version is never changed; the newest is in force.
public struct TemplateStore: Sendable {
  private let pool: PostgresPool

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// One version; without texts before the first.
  /// - Parameter number: nil for the newest.
  public func version(_ number: Int32? = nil) async throws -> TextTemplates {
    var pipeline = PostgresPipeline()
    let newest = pipeline.add(SQL.readTemplateVersions(limit: 1))
    let rows = pipeline.add(SQL.readTemplates(version: number))
    let results = try await pool.snapshot(pipeline)
    var templates = TextTemplates(version: try results.rows(newest).first?.version ?? 0)
    for row in try results.rows(rows) { templates.lists[row.list, default: []].append(row.text) }
    return templates
  }

  /// The versions, the newest first.
  public func history(limit: Int) async throws -> [TemplateVersion] {
    try await pool.run(SQL.readTemplateVersions(limit: limit))
  }

  /// Saves a list in a new version, which has all other lists of the version before.
  /// - Parameters:
  ///   - texts: at most ``TextTemplates/most``; none removes the list.
  ///   - former: the version that the list was made from.
  /// - Returns: false where somebody else has saved a version since `former`.
  public func save(
    _ texts: [TextTemplates.Text], as list: TextTemplates.List, after former: Int32, by worker: Actor,
    at time: Date
  ) async throws -> Bool {
    let version = TemplateVersion(version: former + 1, savedAt: time, savedBy: worker.name)
    return try await pool.change(at: time) { connection in
      guard try await !connection.run(SQL.addTemplateVersion(version: version)).isEmpty else { return .none(false) }
      _ = try await connection.run(SQL.copyTemplates(version: version.version, except: list))
      _ = try await connection.run(SQL.addTemplates(version: version.version, list: list, texts: texts))
      let event = worker.did(
        .templatesSave, to: "templates \(version.version)",
        after: [
          "kind": list.kind.rawValue, "language": list.language, "category": list.category?.slug ?? "",
          "texts": texts.map(\.stored).joined(separator: "\n"),
        ])
      return .made(event, true)
    }
  }
}

extension TextTemplates.Text {
  /// The code or the text.
  fileprivate var stored: String {
    switch self {
    case .builtIn(let code): code
    case .own(let text, _): text
    }
  }

  /// A built-in text has the outcome of its code.
  fileprivate var storedOutcome: String? { isBuiltIn ? nil : outcome?.rawValue }

  fileprivate var isBuiltIn: Bool { if case .builtIn = self { true } else { false } }
}

extension SQL {
  /// The versions of the team's texts, the newest first.
  static func readTemplateVersions(limit: Int) -> Statement<TemplateVersion> {
    Statement(
      "SELECT version, saved_at, saved_by FROM template_versions ORDER BY version DESC LIMIT $1::bigint", Int64(limit)
    ) { TemplateVersion(version: try $0.decode(0), savedAt: try $0.decode(1), savedBy: try $0.decode(2)) }
  }

  /// The texts of a version, list by list in their order.
  /// - Parameter version: nil for the newest.
  static func readTemplates(version: Int32?) -> Statement<(list: TextTemplates.List, text: TextTemplates.Text)> {
    Statement(
      """
      SELECT kind, language, category_id, is_built_in, text, outcome FROM templates
      WHERE version = coalesce($1::integer, (SELECT max(version) FROM template_versions))
      ORDER BY kind, language, category_id, place
      """,
      version
    ) { row in
      let (kind, text): (String, String) = (try row.decode(0), try row.decode(4))
      let list = TextTemplates.List(
        TextTemplates.Kind(rawValue: kind) ?? .reason, language: try row.decode(1),
        category: ReportCategory(rawValue: try row.decode(2)))
      let outcome = try row.decode(5, as: String?.self).flatMap { TextTemplates.Outcome(rawValue: $0) }
      return (list, try row.decode(3) ? .builtIn(text) : .own(text, for: outcome))
    }
  }

  /// Adds a version after the one it was made from; no row when another was saved meanwhile.
  static func addTemplateVersion(version: TemplateVersion) -> Statement<Int32> {
    Statement(
      """
      INSERT INTO template_versions (version, saved_at, saved_by)
      SELECT $1, $2, $3 WHERE $1::integer = (SELECT coalesce(max(version), 0) + 1 FROM template_versions)
      ON CONFLICT (version) DO NOTHING RETURNING version
      """,
      version.version, version.savedAt, version.savedBy)
  }

  /// Copies all lists of the version before, except one.
  static func copyTemplates(version: Int32, except list: TextTemplates.List) -> Statement<Void> {
    Statement(
      """
      INSERT INTO templates (version, kind, language, category_id, place, is_built_in, text, outcome)
      SELECT $1::integer, kind, language, category_id, place, is_built_in, text, outcome FROM templates
      WHERE version = $1::integer - 1 AND (kind, language, category_id) <> ($2::text, $3::text, $4::smallint)
      """,
      version, list.kind.rawValue, list.language, list.category?.rawValue ?? 0)
  }

  static func addTemplates(
    version: Int32, list: TextTemplates.List, texts: [TextTemplates.Text]
  ) -> Statement<Void> {
    Statement(
      """
      INSERT INTO templates (version, kind, language, category_id, place, is_built_in, text, outcome)
      SELECT $1::integer, $2::text, $3::text, $4::smallint, place, is_built_in, text, outcome
      FROM unnest($5::boolean[], $6::text[], $7::text[]) WITH ORDINALITY AS t (is_built_in, text, outcome, place)
      """,
      version, list.kind.rawValue, list.language, list.category?.rawValue ?? 0, texts.map(\.isBuiltIn),
      texts.map(\.stored), texts.map(\.storedOutcome))
  }
}
