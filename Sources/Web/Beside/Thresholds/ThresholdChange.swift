import Curation
import Publishing
import Storage

/// What a change of thresholds says in the trail.
struct ThresholdChange {
  let subject: String
  let before: [String: String]?
  let after: [String: String]?

  /// - Parameter lists: the imported lists there are.
  init(_ asked: ThresholdPreviews.Request, _ lists: [App]) {
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

  func event(by moderator: Moderator, because reason: String) -> AuditEvent {
    AuditEvent(
      actor: moderator.name, role: moderator.role, action: after == nil ? "thresholds.remove" : "thresholds.set",
      subject: subject, before: before, after: after, reason: reason)
  }
}
