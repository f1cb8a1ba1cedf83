// SPDX-License-Identifier: Apache-2.0

import Curation
package import Publishing
package import Storage

/// The audit log entry of a threshold change.
package struct ThresholdChange {
  package let subject: String
  package let before: [String: String]?
  package let after: [String: String]?

  /// - Parameter lists: all imported lists.
  package init(_ asked: ThresholdPreviews.Request, _ lists: [App]) {
    func own(_ set: ThresholdSet) -> [String: String]? {
      switch asked.subject {
      case .threshold(let category, let country): set.own(category, country: country)?.audited
      case .list(let list): set.own(list: list)?.audited
      }
    }
    subject =
      switch asked.subject {
      case .threshold(let category, let country): country.map { "\(category.slug) \($0)" } ?? category.slug
      case .list(SourceRule.everyList): "lists"
      case .list(let list): "list \(lists.first { $0.id == list }?.name ?? "\(list)")"
      }
    (before, after) = (own(asked.present), own(asked.change))
  }

  package func event(by moderator: Session, because reason: String) -> AuditEvent {
    AuditEvent(
      actor: moderator.name, role: moderator.role, action: after == nil ? "thresholds.remove" : "thresholds.set",
      subject: subject, before: before, after: after, reason: reason)
  }
}
