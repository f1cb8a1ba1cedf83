// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation
import Storage

/// Values of the template `appeal-status`.
struct AppealStatusPage: Encodable {
  let ticket: String
  let number: String
  let state: String
  let tone: String
  /// The automatic first answer: how the number is listed, and the next steps.
  let account: [String]
  let answer: String
  let answeredAt: [PageTime]
  let filedAt: PageTime
  let statement: String

  init(_ ticket: AppealTicket, _ status: AppealStatus, _ texts: Localizer) {
    let appeal = status.appeal
    self.ticket = ticket.code
    number = NumberText.unbroken(appeal.number)
    state = texts("appeal.state-\(appeal.state.rawValue)")
    tone =
      switch appeal.state {
      case .open: "warn"
      case .upheld: "good"
      case .rejected: "alarm"
      }
    account = Self.listing(status, texts) + Self.next(status, texts)
    answer = appeal.answer ?? ""
    answeredAt = appeal.answeredAt.map { [PageTime($0, texts)] } ?? []
    filedAt = PageTime(appeal.filedAt, texts)
    statement = appeal.statement
  }

  private static func listing(_ status: AppealStatus, _ texts: Localizer) -> [String] {
    guard let listing = status.listing else { return [texts("appeal.not-listed")] }
    let values = ["category": texts.category(listing.category), "since": PageTime(listing.listedAt, texts).text]
    return [texts(listing.treatment == .block ? "appeal.listed-blocked" : "appeal.listed-named", values)]
  }

  private static func next(_ status: AppealStatus, _ texts: Localizer) -> [String] {
    switch status.appeal.state {
    case .open:
      (status.isVictim && status.listing?.treatment == .block ? [texts("appeal.next-victim")] : [])
        + [texts(status.listing == nil ? "appeal.next-unlisted" : "appeal.next-open")]
    case .upheld: [texts(status.listing == nil ? "appeal.next-upheld" : "appeal.next-upheld-soon")]
    case .rejected: [texts("appeal.next-rejected")]
    }
  }
}
