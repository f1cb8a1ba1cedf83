// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation
import Foundation
import PhoneNumbers
import Storage

/// Values of the template `appeals`.
struct AppealsPage: Encodable {
  let isAnswered: Bool
  let openCount: String
  let rows: [AppealRow]
  let next: String
}

/// A row of the list.
struct AppealRow: Encodable {
  let digits: Int64
  let number: String
  let country: String
  let filedAt: PageTime
  let state: String
  let tone: String
  let listed: String
  let statement: String
  let answeredBy: String

  init(_ appeal: Appeal, _ line: SearchHit?, _ texts: Localizer) {
    digits = appeal.number
    number = NumberText.text(appeal.number)
    country = NumberText.country(appeal.number, texts)
    filedAt = PageTime(appeal.filedAt, texts)
    state = texts("appeals.state-\(appeal.state.rawValue)")
    tone = AppealPage.tone(appeal.state)
    listed = line?.listedAs.map(texts.category) ?? texts("appeals.not-listed")
    statement = appeal.statement.count > 140 ? "\(appeal.statement.prefix(140))…" : appeal.statement
    answeredBy = appeal.answeredBy ?? ""
  }
}

/// Values of the template `appeals-one`.
struct AppealPage: Encodable {
  struct Filing: Encodable {
    let statement: String
    let filedAt: PageTime
    let contact: String
  }

  struct Earlier: Encodable {
    let state: String
    let tone: String
    let answeredAt: [PageTime]
    let answeredBy: String
    let answer: String
    let filings: [Filing]
  }

  let digits: Int64
  let number: String
  let national: String
  let country: String
  let account: [String]
  /// The id of the decision that upholds the appeals.
  let id: String
  let version: String
  let answer: AppealAnswerFields
  let isOpen: Bool
  let filings: [Filing]
  /// The statements after the first few, and a text with their count. They are folded, so that the answer form stays
  /// near.
  let moreFilings: [Filing]
  let more: String
  let earlier: [Earlier]
  let problem: String
  /// Whether the problem is not one of the answer's text.
  let isOtherProblem: Bool
  let done: String

  init(
    _ number: PhoneNumber, _ appeals: [Appeal], filings: [FiledStatement], explanation: Explanation,
    answer: AppealAnswerFields, problem: String, done: String, _ texts: Localizer
  ) {
    digits = number.digits
    self.number = NumberText.unbroken(number.digits)
    national = number.formatted(.national)
    country = explanation.country.map(texts.country) ?? "–"
    account = explanation.lines.map { texts.message($0) }
    let openOnes = appeals.filter { $0.state == .open }
    id = UUID().uuidString.lowercased()
    version = CaseVersion(explanation).text
    self.answer = answer
    isOpen = !openOnes.isEmpty
    let statements = openOnes.flatMap { Self.filings($0, filings, texts) }
    // A line that counts one more statement would be as long as the statement.
    let shown = statements.count == Self.shown + 1 ? statements.count : Self.shown
    self.filings = Array(statements.prefix(shown))
    moreFilings = Array(statements.dropFirst(shown))
    more = moreFilings.isEmpty ? "" : texts.count("appeals.more", moreFilings.count)
    earlier = appeals.filter { $0.state != .open }.reversed().map { appeal in
      Earlier(
        state: texts("appeals.state-\(appeal.state.rawValue)"), tone: Self.tone(appeal.state),
        answeredAt: appeal.answeredAt.map { [PageTime($0, texts)] } ?? [], answeredBy: appeal.answeredBy ?? "",
        answer: appeal.answer ?? "", filings: Self.filings(appeal, filings, texts))
    }
    self.problem = problem
    isOtherProblem = !problem.isEmpty && !answer.isWrong
    self.done = done
  }

  private static let shown = 3

  static func tone(_ state: Appeal.State) -> String {
    switch state {
    case .open: "warn"
    case .upheld: "good"
    case .rejected: "alarm"
    }
  }

  /// The statement of each person. An appeal from the command line has only its own statement.
  private static func filings(_ appeal: Appeal, _ all: [FiledStatement], _ texts: Localizer) -> [Filing] {
    let own = all.filter { $0.appealID == appeal.id }
    guard !own.isEmpty else {
      return [Filing(statement: appeal.statement, filedAt: PageTime(appeal.filedAt, texts), contact: "")]
    }
    return own.map { Filing(statement: $0.statement, filedAt: PageTime($0.filedAt, texts), contact: $0.contact ?? "") }
  }
}
