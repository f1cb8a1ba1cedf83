import HTTPServer
import Localization
import Curation
import Foundation
import Storage

/// The form of a decision; typed values are kept when it is shown again.
struct DecisionForm: Encodable {
  /// The actions on a case.
  enum Choice: String, CaseIterable {
    case block
    case identify
    case allow
    case unsure
    case escalate

    /// The treatment that the choice decides; nil for other actions.
    var treatment: Decision.Treatment? { Decision.Treatment(rawValue: rawValue) }

    func isOpen(to role: Role, waits: Bool) -> Bool {
      switch self {
      case .block, .identify: role >= .moderator
      case .allow: true
      case .unsure: waits
      case .escalate: waits && role < .administrator
      }
    }
  }

  struct Option: Encodable {
    let value: String
    let name: String
    let key: String
    let isChosen: Bool
  }

  struct Category: Encodable {
    let slug: String
    let name: String
    let isChosen: Bool
  }

  let id: String
  let version: String
  let label: String
  let reason: String
  let note: String
  let options: [Option]
  let categories: [Category]
  let reasons: [String]
  let hidden: [HiddenField]

  /// - Parameter typed: the form to show again; nil for an empty form.
  init(
    version: CaseVersion, typed: Form?, role: Role, waits: Bool, address: QueueAddress, isFromQueue: Bool,
    _ texts: Localizer
  ) {
    id = UUID().uuidString.lowercased()
    self.version = version.text
    label = typed?["label"] ?? ""
    reason = typed?["reason"] ?? ""
    note = typed?["note"] ?? ""
    let chosen = typed?["decision"] ?? ""
    options = Choice.allCases.filter { $0.isOpen(to: role, waits: waits) }.map { choice in
      Option(
        value: choice.rawValue, name: texts("case.do.\(choice.rawValue)"), key: texts("case.key.\(choice.rawValue)"),
        isChosen: choice.rawValue == chosen)
    }
    categories = ReportCategory.allCases.filter(\.isToxic).map {
      Category(slug: $0.slug, name: texts.category($0), isChosen: $0.slug == typed?["category"])
    }
    reasons = (1...5).map { texts("case.reason.\($0)") }
    hidden = address.hidden + (isFromQueue ? [HiddenField(name: "queue", value: "1")] : [])
  }
}

/// The result of the last action, with a button to undo it.
struct DecisionNotice: Encodable {
  let text: String
  let digits: Int64
  let decision: String
  let canUndo: Bool
}
