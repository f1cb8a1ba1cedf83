// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import PackFormats
import Storage
import Support

/// Pages of the audit log. They are read-only.
struct AuditPages: Sendable {
  let auditLog: AuditLog
  let bulks: BulkStore
  let pages: PageRenderer

  /// Rows per page.
  static let rows = 50

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (query, texts, worker) = (AuditQuery(request), pages.texts(context), try context.worker)
    // One row more than a page holds shows that there is a next page.
    let found = try await auditLog.events(query.filter(for: worker.role), after: query.after, limit: Self.rows + 1)
    let shown = found.prefix(Self.rows)
    let actors = try await auditLog.actors()
    let unfinished = try await bulks.unfinished(for: worker)
    return try pages.page(
      "audit",
      [
        "query": query.record, "unfinished": unfinished.map { $0.unfinishedRecord(texts) },
        "isFiltered": !query.isEmpty || query.after != nil,
        "actors": ([""] + actors).map { name in
          TemplateRecord.choice(name, name.isEmpty ? texts("audit.everybody") : name, isChosen: name == query.actor)
        },
        "actions": query.actions(for: worker.role, texts),
        "rows": shown.map { $0.shown(to: worker).record(texts) },
        // The query of the next page; empty on the last page.
        "next": found.count > Self.rows ? shown.last.map { query.query(after: $0.cursor) } ?? "" : "",
        "export": query.query(),
      ], context)
  }

  /// Exports the filtered events as CSV, 1,000 in memory at a time.
  @Sendable func export(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, auditLog) = (try context.worker, auditLog)
    let filter = AuditQuery(request).filter(for: worker.role)
    let body = ResponseBody { writer in
      try await writer.write(ByteBuffer(string: AuditCSV.head))
      var cursor: AuditCursor?
      while true {
        let page = try await auditLog.events(filter, after: cursor, limit: AuditLog.batch)
        try await writer.write(ByteBuffer(string: page.map { AuditCSV.line($0.shown(to: worker)) }.joined()))
        guard page.count == AuditLog.batch, let last = page.last else { break }
        cursor = last.cursor
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/csv; charset=utf-8; header=present",
        .contentDisposition: "attachment; filename=\"ringfence-audit.csv\"",
      ], body: body)
  }
}

extension AuditRecord {
  /// The record as an account sees it: the times that others took to decide are for administrators.
  fileprivate func shown(to worker: Actor) -> AuditRecord {
    guard worker.role < .administrator, event.actor != worker.name, var after = event.after,
      after.removeValue(forKey: "handling_seconds") != nil
    else { return self }
    var record = self
    record.event.after = after
    return record
  }

  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    let changes = AuditChange.all(from: event.before, to: event.after).map { $0.said(texts) }
    let reason = event.reason.map(texts.reason) ?? ""
    return [
      "id": event.id.text, "time": PageTime(time, texts), "actor": event.actor,
      "role": texts.find("role.\(event.role)") ?? event.role,
      "via": event.via.map { texts.find("audit.via.\($0.replacing(" ", with: "-"))") ?? $0 } ?? "",
      "action": texts.find("audit.action.\(event.action)") ?? event.action, "subject": event.subject,
      "changes": changes.map { ["field": $0.field, "before": $0.before, "after": $0.after] as TemplateRecord },
      "reason": reason,
      // The line that unfolds.
      "line": reason.isEmpty ? changes.map(\.field).joined(separator: ", ") : reason,
    ]
  }
}

/// A field that changed.
struct AuditChange: Equatable {
  let field: String
  let before: String
  let after: String

  /// The fields that differ, sorted by name.
  static func all(from before: [String: String]?, to after: [String: String]?) -> [AuditChange] {
    let (before, after) = (before ?? [:], after ?? [:])
    return Set(before.keys).union(after.keys).sorted().compactMap { field in
      let (old, new) = (before[field] ?? "", after[field] ?? "")
      return old == new ? nil : AuditChange(field: field, before: old, after: new)
    }
  }

  /// The change in the reader's language. Text that people typed is unchanged.
  func said(_ texts: Localizer) -> AuditChange {
    let gate = texts.find("publications.gate-\(field)")
    func value(_ text: String) -> String {
      switch field {
      case "role": texts.find("role.\(text)") ?? text
      case "decision": texts.find("case.decided.\(text)") ?? text
      case "category" where text == "as_reported": texts("case.category-own")
      case "causes": Self.causes(text, texts)
      case "category", "case_category": ReportCategory(slug: text).map { texts.category($0) } ?? text
      case "way":
        text.split(separator: ", ").map { texts.find("audit.way.\($0)") ?? String($0) }.joined(separator: ", ")
      // The value of an overruled gate is its finding.
      case _ where gate != nil: (try? GateFinding(json: text)).map { texts.message("publications.finding", $0) } ?? text
      default: Timestamp.parse(text).map { PageTime($0, texts).text } ?? text
      }
    }
    return AuditChange(
      field: gate ?? texts.find("audit.field.\(field)") ?? texts.find("thresholds.field.\(field)") ?? field,
      before: value(before), after: value(after))
  }
}

extension AuditChange {
  /// The names of causes of a case, which are separated by commas.
  static func causes(_ text: String, _ texts: Localizer) -> String {
    text.split(separator: ",").map { texts.find("queue.cause.\($0)") ?? String($0) }.joined(separator: ", ")
  }
}

/// The filter and cursor of the audit log in an address.
struct AuditQuery {
  let actor: String
  let action: String
  let subject: String
  /// Days such as `2026-11-21` in UTC, both inclusive.
  let from: String
  let to: String
  let after: AuditCursor?

  /// The actions that an account sees, by name; an address may also have the beginning of some.
  func actions(for role: Role, _ texts: Localizer) -> [TemplateRecord] {
    let seen = AuditAction.allCases.map(\.rawValue).filter { role >= .administrator || !$0.hasPrefix(Self.golden) }
    let names = seen.map { ($0, texts("audit.action.\($0)")) }.sorted { $0.1 < $1.1 }
    let typed = action.isEmpty || seen.contains(action) ? [] : [(action, action)]
    return ([("", texts("audit.everything"))] + typed + names).map { .choice($0, $1, isChosen: $0 == action) }
  }

  private static let golden = "golden."

  /// The fields of the page's form.
  var record: TemplateRecord { ["subject": subject, "from": from, "to": to] }

  init(_ request: Request) {
    let query = request.uri.queryParameters
    func text(_ name: Substring) -> String {
      String((query[name].map(String.init) ?? "").trimmingCharacters(in: .whitespacesAndNewlines).prefix(200))
        .replacing("\0", with: "")
    }
    (actor, action, subject) = (text("actor"), text("action"), text("subject"))
    (from, to) = (text("from"), text("to"))
    after = AuditCursor(text("after"))
  }

  /// - Parameter role: the reader's. Events of golden cases name a number that a moderator may get as a golden case, so
  ///   only administrators see them.
  func filter(for role: Role) -> AuditFilter {
    func wish(_ text: String) -> String? { text.isEmpty ? nil : text }
    var filter = AuditFilter(
      actor: wish(actor), action: wish(action), subject: wish(subject), since: Self.day(from),
      until: Self.day(to)?.addingTimeInterval(86_400))
    if role < .administrator { filter.excluded = Self.golden }
    return filter
  }

  var isEmpty: Bool { [actor, action, subject, from, to].allSatisfy(\.isEmpty) }

  func query(after cursor: AuditCursor? = nil) -> String {
    var fields = [("actor", actor), ("action", action), ("subject", subject), ("from", from), ("to", to)]
    if let cursor { fields.append(("after", cursor.text)) }
    let allowed = CharacterSet(charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return fields.filter { !$0.1.isEmpty }
      .map { "\($0.0)=\($0.1.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
      .joined(separator: "&")
  }

  private static func day(_ text: String) -> Date? {
    guard text.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil else { return nil }
    return try? Date("\(text)T00:00:00Z", strategy: .iso8601)
  }
}

/// The audit log as CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets an apostrophe in front
/// (OWASP, CSV injection).
enum AuditCSV {
  static let head = "time,actor,role,action,subject,before,after,reason,via\r\n"

  static func line(_ record: AuditRecord) -> String {
    let event = record.event
    let cells = [
      Timestamp.format(record.time), event.actor, event.role, event.action, event.subject, fields(event.before),
      fields(event.after), event.reason ?? "", event.via ?? "",
    ]
    return cells.map { CSVField.encode($0).text }.joined(separator: ",") + "\r\n"
  }

  private static func fields(_ fields: [String: String]?) -> String {
    (fields ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "; ")
  }
}
