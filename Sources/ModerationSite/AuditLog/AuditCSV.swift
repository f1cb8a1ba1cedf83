// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackFormats
import Storage
import Timestamps

/// The audit log as CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets an apostrophe in front
/// (OWASP, CSV injection).
enum AuditCSV {
  static let head = "time,actor,role,action,subject,before,after,reason\r\n"

  static func line(_ record: AuditRecord) -> String {
    let event = record.event
    let cells = [
      Timestamp.format(record.time), event.actor, event.role, event.action, event.subject, fields(event.before),
      fields(event.after), event.reason ?? "",
    ]
    return cells.map { CSVField.encode($0).text }.joined(separator: ",") + "\r\n"
  }

  private static func fields(_ fields: [String: String]?) -> String {
    (fields ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "; ")
  }
}
