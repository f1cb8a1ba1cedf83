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

  /// A field for the key of an action.
  struct Shortcut: Encodable {
    let action: String
    let name: String
    var key: String
    var isWrong = false

    init(_ action: ShortcutKeys.Action, key: String, _ texts: Localizer) {
      self.action = action.rawValue
      name = texts("account.key.\(action.rawValue)")
      self.key = key
    }
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
  var shortcuts: [Shortcut]
  var areShortcutsOn: Bool
  /// The error of the form of keys; empty for none.
  var shortcutProblem = ""
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
    shortcuts = ShortcutKeys.Action.allCases.map { Shortcut($0, key: account.shortcuts.chosen($0), texts) }
    areShortcutsOn = account.shortcuts.isOn
    hasOthers = sessions.contains { $0.id != moderator.sessionID }
    languages =
      [Choice(value: "", name: texts("account.language-browser"), isChosen: account.language == nil)]
      + Language.allCases.map { language in
        Choice(value: language.rawValue, name: language.name, isChosen: account.language == language.rawValue)
      }
  }
}
