extension ReportCategory {
  /// The category's name for people in a language of ``RecipeLabels/languages``; English for any other.
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
