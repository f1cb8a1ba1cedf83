// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Storage

/// The form of a decision; typed values are kept when it is shown again.
enum DecisionForm {
  /// The actions on a case.
  enum Choice: String, CaseIterable {
    case block
    case identify
    case allow
    case uphold
    case reject
    /// Protects the number: no publication contains it.
    case protect
    /// Approves or rejects the range that the case asks about.
    case approve
    case rejectRange = "reject_range"
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

    var shortcut: ShortcutKeys.Action {
      switch self {
      case .block: .block
      case .identify: .identify
      case .allow: .allow
      case .uphold, .approve: .uphold
      case .reject, .rejectRange: .reject
      case .protect: .protect
      case .unsure: .unsure
      case .escalate: .escalate
      }
    }

    /// The least role that may choose it; triage may allow only some numbers.
    var role: Role {
      self == .protect ? .administrator : [.allow, .unsure, .escalate].contains(self) ? .triage : .moderator
    }

    /// - Parameters:
    /// - rule: the number's state; an appealed number is not decided before its owner has an answer.
    /// - isProtected: whether the number is protected already.
    /// - isRange: whether the case asks about a range: then it decides nothing about the number.
    /// - hasColleagues: whether the case can be escalated to an account by name.
    func isOpen(to role: Role, waits: Bool, isProtected: Bool, isRange: Bool, hasColleagues: Bool, _ rule: AllowRule)
      -> Bool
    {
      // A range case decides nothing about its number.
      if role < self.role || isRange && (treatment != nil || self == .protect) { return false }
      return switch self {
      case .approve, .rejectRange: isRange
      case .block, .identify: !rule.isAppealed
      case .allow: !rule.isAppealed && rule.isOpen(to: role)
      case .uphold, .reject: rule.isAppealed
      case .protect: !rule.isAppealed && !isProtected
      case .unsure: waits
      case .escalate: waits && (role < .administrator || hasColleagues)
      }
    }
  }

  /// - Parameters:
  ///   - typed: the form to show again; nil for an empty form.
  ///   - problem: the rule that the form breaks.
  ///   - templates: the texts to choose from.
  ///   - catalog: of the built-in texts, which are offered in the owner's language.
  ///   - colleagues: the accounts that the case can be escalated to by name.
  static func record(
    _ file: CaseFile, typed: Form?, problem: RuleViolation?, moderator: Session, templates: TextTemplates,
    catalog: MessageCatalog, colleagues: [Colleague], address: CaseAddress, _ texts: Localizer
  ) -> TemplateRecord {
    let (explanation, role, keys) = (file.explanation, moderator.role, moderator.shortcuts)
    let (rule, chosen) = (AllowRule(explanation), typed?["decision"] ?? "")
    let category = file.item?.category
    let reasons = templates[.init(.reason, language: texts.language.rawValue, category: category)]
    let common = CommonAnswers(
      templates, category: category, file.appeals, file.filings, reader: texts.language, catalog)
    let (range, facts) = (file.rangeToDecide, ReasonFacts(explanation))
    let answer = AppealAnswerFields.record(
      file.appeals, undone: file.undoneAnswer, typed: typed, problem: problem, shortcuts: keys,
      from: common, texts)
    let open = Choice.allCases.filter {
      $0.isOpen(
        to: role, waits: file.item != nil, isProtected: explanation.protection != nil,
        isRange: range != nil, hasColleagues: !colleagues.isEmpty, rule)
    }
    // A folded field with an error or a value is open.
    func isFilled(_ name: String) -> Bool { problem?.field == name || typed?[name]?.isEmpty == false }
    return ReasonField.record(
      typed, from: reasons, hasKeys: keys.isOn, facts: range == nil ? facts : nil, texts
    ).adding([
      "id": UUID().text, "version": CaseVersion(explanation).text, "label": typed?["label"] ?? "",
      "reason": typed?["reason"] ?? "", "note": typed?["note"] ?? "",
      "options": open.map { choice in
        TemplateRecord.choice(
          choice.rawValue, texts("case.do.\(choice.rawValue)"), isChosen: choice.rawValue == chosen
        ).adding(["key": keys[choice.shortcut]])
      },
      "categories": TemplateRecord.categories(chosen: typed?["category"], texts),
      "colleagues": open.contains(.escalate) ? self.colleagues(colleagues, typed, texts) : [],
      "isColleagueOpen": isFilled("escalate_to"), "expiries": ExpiryField.choices(typed, texts),
      "isAppealed": rule.isAppealed, "isRange": range != nil, "canDecide": !open.isEmpty,
      // Whether allowing the number needs a reason.
      "isGuarded": rule.isGuarded,
      "consequence": range == nil ? consequence(rule, role, isReviewed: file.areReviewsOn, texts) : "",
      "blockConsequence": open.contains(.block) ? blockConsequence(file, texts) : "",
      "isConfirmed": typed?["confirm"] != nil, "answer": answer, "wrong": errors(problem),
      "isLabelOpen": isFilled("label") || chosen == Choice.identify.rawValue, "isCategoryOpen": isFilled("category"),
      "typed": self.typed(typed, texts), "isExpiryOpen": typed?["expires"]?.isEmpty == false,
      "isNoteOpen": isFilled("note"), "hidden": address.hidden,
    ])
  }

  private static func colleagues(_ all: [Colleague], _ form: Form?, _ texts: Localizer) -> [TemplateRecord] {
    all.map { colleague in
      .choice(
        colleague.name, "\(colleague.name) (\(texts("role.\(colleague.role.rawValue)")))",
        isChosen: colleague.name == form?["escalate_to"])
    }
  }

  /// The typed values, as text for a page without the form: while another account has the case.
  private static func typed(_ form: Form?, _ texts: Localizer) -> [TemplateRecord] {
    let decision = form?["decision"].flatMap(Choice.init).map { texts("case.do.\($0.rawValue)") }
    let category = form?.text("category").flatMap { ReportCategory(slug: $0) }.map { texts.category($0) }
    let values = [
      ("case.what", decision), ("case.reasons", form?.text("common_reason").map(texts.reason)),
      ("case.reason", form?.text("reason")),
      ("case.label", form?.text("label")), ("case.category", category), ("case.note", form?.text("note")),
      ("appeals.words", form?.text("words")),
    ]
    return values.compactMap { key, text in text.map { ["name": texts(key), "text": $0] } }
  }

  /// The field with an error; `isOther` if the form does not have it.
  private static func errors(_ problem: RuleViolation?) -> TemplateRecord {
    let field = problem?.field ?? ""
    let isReason = ["reason", "two_reasons", "allow", "reason_untrue"].contains(field)
    let isOwn = isReason || ["label", "category", "note", "confirm"].contains(field)
    return [
      "isReason": isReason, "isLabel": field == "label", "isCategory": field == "category", "isNote": field == "note",
      "isConfirmation": field == "confirm",
      "isOther": problem != nil && !isOwn && !AppealAnswerFields.concerns(problem),
    ]
  }
}

extension DecisionForm {
  private static func consequence(
    _ rule: AllowRule, _ role: Role, isReviewed: Bool, _ texts: Localizer
  ) -> String {
    guard rule.isGuarded else { return "" }
    guard role >= .moderator else {
      return texts(
        rule.isAppealed ? "case.appeal-needs-moderator" : "case.allow-needs-moderator",
        ["most": texts.number(AllowRule.maxReporters)])
    }
    let parts = [
      rule.isAppealed ? texts("case.uphold-effect") : texts("case.allow-effect"),
      rule.reporters > 0 && isReviewed ? texts.count("case.discounts", rule.reporters) : nil,
      rule.reporters > 0 ? texts(isReviewed ? "reviews.consequence" : "reviews.consequence-off") : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: " ")
  }

  /// The effect of blocking a number that `BlockRule` guards; empty for other numbers.
  static func blockConsequence(_ file: CaseFile, _ texts: Localizer) -> String {
    [
      ReasonFacts(file.explanation).hasReports ? nil : texts("case.block-unreported"),
      file.names.first.map { texts("case.block-named", ["name": $0.name]) },
      file.protectedNeighbour.map { texts("case.block-near", ["number": $0.what, "reason": $0.reason]) },
    ].compactMap { $0 }.joined(separator: " ")
  }
}

/// The expiry of a decision in a form: never, or some days after the decision.
enum ExpiryField {
  /// - Returns: nil for a decision that never expires.
  /// - Throws: `RuleViolation` for a value that the field does not have.
  static func read(_ form: Form, at time: Date) throws(RuleViolation) -> Date? {
    try Decision.expiry(afterDays: form["expires"], from: time)
  }

  /// - Parameter form: the form to show again; nil for an empty form.
  static func choices(_ form: Form?, _ texts: Localizer) -> [TemplateRecord] {
    let chosen = form?["expires"] ?? ""
    return ([""] + Decision.lifetimes.map { "\($0)" }).map { value in
      .choice(value, texts("case.expires.\(value.isEmpty ? "never" : value)"), isChosen: value == chosen)
    }
  }

  /// The text of an expiry, such as `expires on 22 November 2026`.
  static func text(_ time: Date, _ texts: Localizer) -> String { texts("case.expires-on", ["day": texts.day(time)]) }
}

/// The public reason of a decision in a form: one of the common reasons, or text of the moderator's own.
enum ReasonField {
  /// - Returns: nil for a form without a reason.
  /// - Throws: `RuleViolation` for a form with a common reason and a different one.
  static func read(_ form: Form) throws(RuleViolation) -> String? {
    let (common, own) = (form.text("common_reason"), form.text("reason"))
    guard common == nil || own == nil || common == own else { throw RuleViolation(.twoReasons, field: "two_reasons") }
    return own ?? common
  }

  /// The common reasons, and whether none of them is chosen.
  /// - Parameters:
  ///   - form: the form to show again; nil for an empty form.
  ///   - common: the reasons to choose from.
  ///   - hasKeys: whether digits choose a reason.
  ///   - facts: reasons that cannot be true of them are left out, and the others keep their digits; nil to show all.
  static func record(
    _ form: Form?, from common: [TextTemplates.Text], hasKeys: Bool = true, facts: ReasonFacts? = nil,
    _ texts: Localizer
  ) -> TemplateRecord {
    let chosen = form?.text("common_reason")
    return [
      "reasons": common.enumerated().filter { facts?.allow($0.element.value) ?? true }.map { index, reason in
        [
          "value": reason.value, "text": reason.text(.reason, texts), "key": hasKeys ? "\(index + 1)" : "",
          "isChosen": reason.value == chosen,
        ] as TemplateRecord
      },
      "isOwnReason": !common.contains { $0.value == chosen },
    ]
  }
}
