import HTTPServer
import Localization
import Curation
import Foundation
import Storage

/// What a moderator says about a case, as a form has it; kept as typed when it has to be shown again.
struct DecisionForm: Encodable {
  /// What can be done with a case.
  enum Choice: String, CaseIterable {
    case block
    case identify
    case allow
    case unsure
    case escalate

    /// The decision that it is; nil where it is none.
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

  /// - Parameter typed: what was typed before; nil for an empty form.
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

/// What was done a moment ago, with a way back.
struct DecisionNotice: Encodable {
  let text: String
  let digits: Int64
  let decision: String
  let canUndo: Bool
}
