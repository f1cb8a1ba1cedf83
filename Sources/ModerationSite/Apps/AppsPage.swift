// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Foundation
import Storage

/// Values of the template `apps`.
struct AppsPage: Encodable {
  /// A key that has just been created.
  struct Made: Encodable {
    let app: String
    let key: String
  }

  struct App: Encodable {
    let name: String
    let keys: [KeyRow]
  }

  struct Scope: Encodable {
    let name: String
    let text: String
    let isChosen: Bool
  }

  struct Withdrawal: Encodable {
    let key: Int32
    let askedBy: String
    let askedAt: PageTime
    let reason: String
    let withdrawn: String
    let state: String
    let isOpen: Bool
  }

  let apps: [App]
  let made: [Made]
  let error: String
  let name: String
  let expires: String
  let scopes: [Scope]
  let withdrawals: [Withdrawal]

  init(
    keys: [AppKey], withdrawals: [KeyWithdrawal], made: Made?, error: String, form: Form, texts: Localizer, now: Date
  ) {
    apps = Dictionary(grouping: keys, by: \.appName).sorted { $0.key < $1.key }.map { name, keys in
      App(name: name, keys: keys.map { KeyRow($0, texts: texts, now: now) })
    }
    self.made = made.map { [$0] } ?? []
    self.error = error
    name = error.isEmpty ? "" : form.text("name") ?? ""
    expires = error.isEmpty ? "" : form.text("expires") ?? ""
    let chosen = error.isEmpty ? AppScopes.all : AppScopes(names: form.all("scope")) ?? []
    scopes = Scope.all(chosen, texts)
    self.withdrawals = withdrawals.map { work in
      Withdrawal(
        key: work.keyID, askedBy: work.askedBy, askedAt: PageTime(work.askedAt, texts), reason: work.reason,
        withdrawn: texts.number(work.withdrawn), state: texts(work.doneAt == nil ? "apps.under-way" : "apps.done"),
        isOpen: work.doneAt == nil)
    }
  }
}

extension AppsPage.Scope {
  static func all(_ chosen: AppScopes, _ texts: Localizer) -> [AppsPage.Scope] {
    AppScopes.named.map { name, scope in
      .init(name: name, text: texts("apps.scope.\(name)"), isChosen: chosen.contains(scope))
    }
  }
}

/// A key in a table.
struct KeyRow: Encodable {
  let id: Int32
  let hint: String
  let state: String
  let mark: String
  let scopes: String
  let createdAt: PageTime
  let createdBy: String
  /// At most one element.
  let endsAt: [PageTime]
  /// At most one element.
  let lastUsedAt: [PageTime]

  init(_ key: AppKey, texts: Localizer, now: Date) {
    id = key.id
    hint = key.hint
    let state = key.state(at: now)
    self.state = texts("apps.state.\(state.rawValue)")
    mark = state == .valid ? "good" : "warn"
    scopes = key.scopes.names.joined(separator: ", ")
    createdAt = PageTime(key.createdAt, texts)
    createdBy = key.createdBy
    endsAt = (key.revokedAt ?? key.expiresAt).map { [PageTime($0, texts)] } ?? []
    lastUsedAt = key.lastUsedAt.map { [PageTime($0, texts)] } ?? []
  }
}
