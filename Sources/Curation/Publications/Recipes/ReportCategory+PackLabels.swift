// SPDX-License-Identifier: Apache-2.0

/// The labels that packs contain for categories, unless a recipe has its own. They are published data and not display text:
/// what pages show comes from the message catalogs, and a change here changes every pack.
extension ReportCategory {
  /// The label in English, at most 24 bytes.
  public var label: String {
    switch self {
    case .fraud: "Suspected fraud"
    case .pyramid: "Investment scheme"
    case .debtCollection: "Debt collector"
    case .telemarketing: "Telemarketing"
    case .survey: "Survey"
    case .robocall: "Robocall"
    case .silent: "Silent calls"
    case .oneRing: "One-ring trap"
    case .gambling: "Gambling"
    case .political: "Political call"
    case .harassment: "Harassment"
    case .other: "Nuisance caller"
    case .legitimate: "Legitimate"
    }
  }

  /// The label in a language of ``RecipeLabels/languages``; in English for any other.
  public func label(in language: String) -> String {
    language == "ru" ? russianLabel : label
  }

  private var russianLabel: String {
    switch self {
    case .fraud: "Возможно мошенники"
    case .pyramid: "Финансовая пирамида"
    case .debtCollection: "Коллекторы"
    case .telemarketing: "Реклама и продажи"
    case .survey: "Опрос"
    case .robocall: "Автообзвон"
    case .silent: "Молчат в трубку"
    case .oneRing: "Сброс после гудка"
    case .gambling: "Азартные игры"
    case .political: "Политическая агитация"
    case .harassment: "Угрозы"
    case .other: "Нежелательный звонок"
    case .legitimate: "Обычный номер"
    }
  }
}
