// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Curation
import PageTemplates
import Storage

/// Values of the layout around every page, available to templates as `frame`.
struct PageLayout: Encodable {
  /// An entry of the navigation.
  struct Entry: Encodable {
    let address: String
    let name: String
    let isCurrent: Bool
    /// The number of waiting cases; empty for none.
    let count: String
  }

  /// The account's name; empty without a session.
  let account: String
  /// The role's name.
  let role: String
  let isSignedIn: Bool
  /// Whether the page belongs to the reader's own account.
  let isAccount: Bool
  let isModerator: Bool
  let isAdministrator: Bool
  /// The token that every form includes.
  let csrf: String
  /// The key of each action by its name, empty for none.
  let keys: [String: String]
  /// Whether single keys do anything.
  let areKeysOn: Bool
  /// For `<html lang>`.
  let language: String
  let navigation: [Entry]

  init(context: ServerRequestContext, texts: Localizer) {
    let moderator = context.moderator
    account = moderator?.name ?? ""
    role = moderator.map { texts("role.\($0.role.rawValue)") } ?? ""
    isSignedIn = moderator != nil
    isAccount = Navigation.isUnder(Navigation.account, context.path)
    isModerator = moderator.map { $0.role >= .moderator } ?? false
    isAdministrator = moderator.map { $0.role >= .administrator } ?? false
    csrf = context.csrf
    let shortcuts = moderator?.shortcuts ?? .standard
    keys = Dictionary(
      uniqueKeysWithValues: ShortcutKeys.Action.allCases.map { ($0.rawValue, shortcuts[$0]) })
    areKeysOn = shortcuts.isOn
    language = texts.language.rawValue
    navigation =
      moderator.map { moderator in
        let current = Navigation.current(context.path)
        return Navigation.areas.filter { moderator.role >= $0.role }.map { area in
          Entry(
            address: area.address, name: texts("layout.\(area.name)"), isCurrent: area.name == current?.name,
            count: area.name == "queue" && context.waiting.own > 0 ? texts.number(context.waiting.own) : "")
        }
      } ?? []
  }
}

extension PageLayout.Entry: TemplateValueConvertible {
  var templateValue: TemplateValue {
    ["address": .text(address), "name": .text(name), "isCurrent": .flag(isCurrent), "count": .text(count)]
  }
}
