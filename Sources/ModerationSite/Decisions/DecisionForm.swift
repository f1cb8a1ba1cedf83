// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Localization
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
    /// Protects the number: no publication contains it.
    case protect
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

    /// The action of the choice's key.
    var shortcut: ShortcutKeys.Action {
      switch self {
      case .block: .block
      case .identify: .identify
      case .allow: .allow
      case .uphold: .uphold
      case .reject: .reject
      case .protect: .protect
      case .unsure: .unsure
      case .escalate: .escalate
      }
    }

    /// - Parameters:
    /// - rule: the number's state; an appealed number is not decided before its owner has an answer.
    /// - isProtected: whether the number is protected already.
    func isOpen(to role: Role, waits: Bool, isProtected: Bool, _ rule: AllowRule) -> Bool {
      switch self {
      case .block, .identify: role >= .moderator && !rule.isAppealed
      case .allow: !rule.isAppealed && (role >= .moderator || !rule.isGuarded)
      case .uphold, .reject: role >= .moderator && rule.isAppealed
      case .protect: role >= .administrator && !rule.isAppealed && !isProtected
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

  /// Fields with an error. A folded field with one is open.
  struct FieldErrors: Encodable {
    let isReason: Bool
    let isLabel: Bool
    let isCategory: Bool
    let isNote: Bool
    let isConfirmation: Bool
    /// Whether the error is of no field of the form.
    let isOther: Bool

    init(_ problem: RuleViolation?, isOfAnswer: Bool) {
      let field = problem?.field
      isReason = field == "reason" || field == "two_reasons" || field == "allow"
      isLabel = field == "label"
      isCategory = field == "category"
      isNote = field == "note"
      isConfirmation = field == "confirm"
      isOther =
        problem != nil && ![isReason, isLabel, isCategory, isNote, isConfirmation, isOfAnswer].contains(true)
    }
  }

  let id: String
  let version: String
  let label: String
  let reason: String
  let note: String
  let options: [Option]
  let categories: [Category]
  let expiries: [ExpiryField.Choice]
  let reasons: [ReasonField.Choice]
  let isOwnReason: Bool
  let isAppealed: Bool
  /// Whether allowing the number needs a reason.
  let isGuarded: Bool
  /// The effect of allowing the number, for moderators; or the reason why triage may not. Empty for none.
  let consequence: String
  /// The effect of blocking the number, where that needs a confirmation; empty for none.
  let blockConsequence: String
  let isConfirmed: Bool
  let answer: AppealAnswerFields
  let wrong: FieldErrors
  let isLabelOpen: Bool
  let isCategoryOpen: Bool
  let isExpiryOpen: Bool
  let isNoteOpen: Bool
  let hidden: [HiddenField]

  /// - Parameters:
  /// - typed: the form to show again; nil for an empty form.
  /// - problem: the rule that the form breaks.
  init(
    _ file: CaseFile, typed: Form?, problem: RuleViolation?, moderator: Session, address: CaseAddress,
    _ texts: Localizer
  ) {
    let (explanation, role, waits) = (file.explanation, moderator.role, file.item != nil)
    let (version, rule) = (CaseVersion(explanation), AllowRule(explanation))
    let isProtected = explanation.protection != nil
    isAppealed = rule.isAppealed
    isGuarded = rule.isGuarded
    consequence = Self.consequence(rule, role, texts)
    blockConsequence = role >= .moderator && !rule.isAppealed ? Self.blockConsequence(file, texts) : ""
    isConfirmed = typed?["confirm"] != nil
    answer = AppealAnswerFields(
      file.appeals, typed: typed, problem: problem, shortcuts: moderator.shortcuts, texts)
    wrong = FieldErrors(problem, isOfAnswer: answer.isWrong)
    id = UUID().uuidString.lowercased()
    self.version = version.text
    label = typed?["label"] ?? ""
    reason = typed?["reason"] ?? ""
    note = typed?["note"] ?? ""
    let chosen = typed?["decision"] ?? ""
    options = Choice.allCases.filter {
      $0.isOpen(to: role, waits: waits, isProtected: isProtected, rule)
    }.map { choice in
      Option(
        value: choice.rawValue, name: texts("case.do.\(choice.rawValue)"), key: moderator.shortcuts[choice.shortcut],
        isChosen: choice.rawValue == chosen)
    }
    isLabelOpen = wrong.isLabel || !label.isEmpty || chosen == Choice.identify.rawValue
    isCategoryOpen = wrong.isCategory || typed?["category"]?.isEmpty == false
    expiries = ExpiryField.choices(typed, texts)
    isExpiryOpen = typed?["expires"]?.isEmpty == false
    isNoteOpen = wrong.isNote || !note.isEmpty
    categories = ReportCategory.allCases.filter(\.isToxic).map {
      Category(slug: $0.slug, name: texts.category($0), isChosen: $0.slug == typed?["category"])
    }
    reasons = ReasonField.choices(typed, hasKeys: moderator.shortcuts.isOn, texts)
    isOwnReason = !reasons.contains(where: \.isChosen)
    hidden = address.hidden
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
      rule.reporters > 0 ? texts("reviews.consequence") : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: " ")
  }

  /// The effect of blocking a number that `BlockRule` guards; empty for other numbers.
  static func blockConsequence(_ file: CaseFile, _ texts: Localizer) -> String {
    [
      file.names.first.map { texts("case.block-named", ["name": $0.name]) },
      file.protectedNeighbour.map { texts("case.block-near", ["number": $0.what, "reason": $0.reason]) },
    ].compactMap { $0 }.joined(separator: " ")
  }
}

/// The result of the last action, with a button to undo it.
struct DecisionNotice: Encodable {
  let text: String
  let digits: Int64
  let decision: String
  let canUndo: Bool
  /// The page and the filter, for the form that undoes it.
  let hidden: [HiddenField]
}

/// The expiry of a decision in a form: never, or some days after the decision.
enum ExpiryField {
  struct Choice: Encodable {
    /// Days; empty for never.
    let value: String
    let name: String
    let isChosen: Bool
  }

  /// - Returns: nil for a decision that never expires.
  /// - Throws: `RuleViolation` for a value that the field does not have.
  static func read(_ form: Form, at time: Date) throws(RuleViolation) -> Date? {
    try Decision.expiry(afterDays: form["expires"], from: time)
  }

  /// - Parameter form: the form to show again; nil for an empty form.
  static func choices(_ form: Form?, _ texts: Localizer) -> [Choice] {
    let chosen = form?["expires"] ?? ""
    return ([""] + Decision.lifetimes.map { "\($0)" }).map { value in
      Choice(
        value: value, name: texts("case.expires.\(value.isEmpty ? "never" : value)"), isChosen: value == chosen)
    }
  }

  /// The text of an expiry, such as `expires on 22 November 2026`.
  static func text(_ time: Date, _ texts: Localizer) -> String { texts("case.expires-on", ["day": texts.day(time)]) }
}

/// The public reason of a decision in a form: one of the common reasons, or text of the moderator's own.
enum ReasonField {
  /// A common reason of the form, as a radio button.
  struct Choice: Encodable {
    let text: String
    /// The key that chooses it.
    let key: String
    let isChosen: Bool
  }

  /// - Returns: nil for a form without a reason.
  /// - Throws: `RuleViolation` for a form with a common reason and another one.
  static func read(_ form: Form) throws(RuleViolation) -> String? {
    let (common, own) = (form.text("common_reason"), form.text("reason"))
    guard common == nil || own == nil || common == own else { throw RuleViolation(.twoReasons, field: "two_reasons") }
    return own ?? common
  }

  /// - Parameters:
  /// - form: the form to show again; nil for an empty form.
  /// - hasKeys: whether digits choose a reason.
  static func choices(_ form: Form?, hasKeys: Bool = true, _ texts: Localizer) -> [Choice] {
    let chosen = form?.text("common_reason")
    return (1...5).map { number in
      let text = texts("case.reason.\(number)")
      return Choice(text: text, key: hasKeys ? "\(number)" : "", isChosen: text == chosen)
    }
  }
}
