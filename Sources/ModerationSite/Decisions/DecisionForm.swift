// SPDX-License-Identifier: Apache-2.0

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
    case uphold
    case reject
    case unsure
    case escalate

    /// The treatment that the choice decides; nil for other actions.
    var treatment: Decision.Treatment? { Decision.Treatment(rawValue: rawValue) }

    /// The answer to an appeal; nil for other actions.
    var answer: Appeal.State? {
      switch self {
      case .uphold: .upheld
      case .reject: .rejected
      default: nil
      }
    }

    /// - Parameter rule: the number's state; an appealed number is not decided before its owner has an answer.
    func isOpen(to role: Role, waits: Bool, _ rule: AllowRule) -> Bool {
      switch self {
      case .block, .identify: role >= .moderator && !rule.isAppealed
      case .allow: !rule.isAppealed && (role >= .moderator || !rule.isGuarded)
      case .uphold, .reject: role >= .moderator && rule.isAppealed
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

  /// A common answer to an appeal; its button fills the text field.
  struct Answer: Encodable {
    let number: Int
    let text: String
  }

  let id: String
  let version: String
  let label: String
  let reason: String
  let note: String
  let options: [Option]
  let categories: [Category]
  let reasons: [ReasonField.Choice]
  let isOwnReason: Bool
  let isAppealed: Bool
  /// Whether allowing the number needs a reason.
  let isGuarded: Bool
  /// The effect of allowing the number, for moderators; or the reason why triage may not. Empty for none.
  let consequence: String
  /// The ids of the open appeals that an answer closes.
  let open: String
  /// The answer to the appeals.
  let words: String
  let answers: [Answer]
  let hidden: [HiddenField]

  /// - Parameters:
  /// - typed: the form to show again; nil for an empty form.
  /// - appeals: all appeals about the number.
  init(
    _ explanation: Explanation, appeals: [Appeal], typed: Form?, role: Role, waits: Bool, address: QueueAddress,
    isFromQueue: Bool, _ texts: Localizer
  ) {
    let (version, rule) = (CaseVersion(explanation), AllowRule(explanation))
    let openAppeals = appeals.filter { $0.state == .open }
    isAppealed = rule.isAppealed
    isGuarded = rule.isGuarded
    consequence = Self.consequence(rule, role, texts)
    open = openAppeals.map(\.id.uuidString).joined(separator: " ")
    words = Self.filledAnswer(typed, texts) ?? typed?["words"] ?? ""
    answers = Self.answers(texts)
    id = UUID().uuidString.lowercased()
    self.version = version.text
    label = typed?["label"] ?? ""
    reason = typed?["reason"] ?? ""
    note = typed?["note"] ?? ""
    let chosen = typed?["decision"] ?? ""
    options = Choice.allCases.filter { $0.isOpen(to: role, waits: waits, rule) }.map { choice in
      Option(
        value: choice.rawValue, name: texts("case.do.\(choice.rawValue)"), key: texts("case.key.\(choice.rawValue)"),
        isChosen: choice.rawValue == chosen)
    }
    categories = ReportCategory.allCases.filter(\.isToxic).map {
      Category(slug: $0.slug, name: texts.category($0), isChosen: $0.slug == typed?["category"])
    }
    reasons = ReasonField.choices(typed, texts)
    isOwnReason = !reasons.contains(where: \.isChosen)
    hidden = address.hidden + (isFromQueue ? [HiddenField(name: "queue", value: "1")] : [])
  }
}

extension DecisionForm {
  private static func consequence(_ rule: AllowRule, _ role: Role, _ texts: Localizer) -> String {
    guard rule.isGuarded else { return "" }
    guard role >= .moderator else {
      return texts(
        rule.isAppealed ? "case.appeal-needs-moderator" : "case.allow-needs-moderator",
        ["most": texts.number(AllowRule.mostReporters)])
    }
    let parts = [
      rule.isAppealed ? texts("case.uphold-effect") : texts("case.allow-effect"),
      rule.reporters > 0 ? texts.count("case.discounts", rule.reporters) : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: " ")
  }

  /// The common answers to an appeal.
  static func answers(_ texts: Localizer) -> [Answer] {
    (1...4).map { Answer(number: $0, text: texts("case.answer.\($0)")) }
  }

  /// The answer whose button was pressed; nil if none was.
  static func filledAnswer(_ form: Form?, _ texts: Localizer) -> String? {
    guard let number = form?["fill"].flatMap({ Int($0) }) else { return nil }
    return answers(texts).first { $0.number == number }?.text
  }
}

/// The result of the last action, with a button to undo it.
struct DecisionNotice: Encodable {
  let text: String
  let digits: Int64
  let decision: String
  let canUndo: Bool
}
