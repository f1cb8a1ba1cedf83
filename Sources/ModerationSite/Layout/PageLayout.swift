import HTTPServer
import Localization
import Curation
import PageTemplates
import Storage

/// What the layout shows around every page; templates find it as `frame`.
struct PageLayout: Encodable {
  /// Where the navigation leads.
  struct Entry: Encodable {
    let address: String
    let name: String
    let isCurrent: Bool
    /// How many wait there; empty for none.
    let count: String
  }

  /// The account's name; empty when nobody has signed in.
  let account: String
  /// What the account may do, in words.
  let role: String
  let isSignedIn: Bool
  /// Whether the page is one of the account's own.
  let isAccount: Bool
  let isModerator: Bool
  let isAdministrator: Bool
  /// The token that each form bears.
  let csrf: String
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
