// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation
import Foundation
import Storage

/// Values of the template `account`.
struct AccountPage: Encodable {
  struct SessionRow: Encodable {
    let id: String
    let browser: String
    let opened: PageTime
    let seen: PageTime
    let isThis: Bool
  }

  struct Choice: Encodable {
    let value: String
    let name: String
    let isChosen: Bool
  }

  let name: String
  let role: String
  let hasPassword: Bool
  let hasSecondFactor: Bool
  /// Whether the account must have a second factor.
  let asksSecondFactor: Bool
  let recoveryCodes: String
  let areCodesFew: Bool
  let sessions: [SessionRow]
  let hasOthers: Bool
  let languages: [Choice]
  var isWelcome = false
  /// The result of the last action; empty for none.
  var notice = ""
  /// The error of the password form; empty for none.
  var problem = ""

  init(_ account: Account, sessions: [AccountSession], moderator: Session, policy: SecondFactorPolicy, texts: Localizer)
  {
    name = account.name
    role = texts("role.\(account.role.rawValue)")
    hasPassword = account.hasPassword
    hasSecondFactor = account.hasSecondFactor
    asksSecondFactor = policy.asks(account.role) && !account.hasSecondFactor
    recoveryCodes = texts.count("account.codes-left", Int(account.recoveryCodes))
    areCodesFew = account.recoveryCodes < 3
    self.sessions = sessions.map { session in
      SessionRow(
        id: session.id.uuidString.lowercased(),
        browser: session.browser.isEmpty ? texts("account.some-browser") : session.browser,
        opened: PageTime(session.openedAt, texts), seen: PageTime(session.seenAt, texts),
        isThis: session.id == moderator.sessionID)
    }
    hasOthers = sessions.contains { $0.id != moderator.sessionID }
    languages =
      [Choice(value: "", name: texts("account.language-browser"), isChosen: account.language == nil)]
      + Language.allCases.map { language in
        Choice(value: language.rawValue, name: language.name, isChosen: account.language == language.rawValue)
      }
  }
}
