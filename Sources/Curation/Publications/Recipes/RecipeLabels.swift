// SPDX-License-Identifier: Apache-2.0

/// The labels of a recipe's entries.
///
/// A moderator's label is used unchanged. A number that is listed because of complaints is labeled by ``listed``, even
/// if a directory names it; where a few reports identify it and do not block it, the count of reporters replaces the
/// category. Any other number is labeled by ``directory``.
public struct RecipeLabels: Sendable, Equatable {
  /// ISO 639 code of the categories' names, such as `en`.
  public var language: String
  /// Names of categories that replace the language's.
  public var names: [ReportCategory: String]
  public var listed: LabelTemplate
  public var directory: LabelTemplate
  /// The most bytes of UTF-8 in a label, 4 to 65,534; longer ones are cut between characters.
  public var maxBytes: Int

  public init(
    language: String = "en", names: [ReportCategory: String] = [:], listed: LabelTemplate = .category,
    directory: LabelTemplate = .name, maxBytes: Int = 192
  ) {
    self.language = language
    self.names = names
    self.listed = listed
    self.directory = directory
    self.maxBytes = maxBytes
  }

  /// The languages that have a name for every category.
  public static let languages = ["de", "en", "es", "fr", "ru"]

  /// A category's name: the recipe's own, or the language's, or the English one.
  public func name(of category: ReportCategory) -> String {
    names[category] ?? category.label(in: language)
  }

  /// The label of a number that a few reports identify, in the place of its category: `Reported by 7 people`.
  /// - Parameter reporters: rounded to two leading digits.
  public func name(ofReporters reporters: Int) -> String {
    let count = LabelTemplate.figure(Double(reporters))
    return switch language {
    case "de": "Von \(count) Personen gemeldet"
    case "es": "Reportado por \(count) personas"
    case "fr": "Signalé par \(count) personnes"
    case "ru": "Жалоб: \(count)"
    default: "Reported by \(count) people"
    }
  }

  public func cut(_ text: String) -> String {
    guard text.utf8.count > maxBytes else { return text }
    var end = text.startIndex
    var bytes = 0
    for index in text.indices {
      bytes += text[index].utf8.count
      if bytes > maxBytes { break }
      end = text.index(after: index)
    }
    let cut = text[..<end]
    // A single character may be longer than a label; its first scalars are kept.
    guard cut.isEmpty else { return String(cut) }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard String(scalars).utf8.count + String(scalar).utf8.count <= maxBytes else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}

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
    case .oneRing: "One-ring scam"
    case .gambling: "Gambling"
    case .political: "Political call"
    case .harassment: "Harassment"
    case .other: "Nuisance caller"
    case .legitimate: "Legitimate"
    }
  }

  /// The label in a language of ``RecipeLabels/languages``; in English for any other.
  public func label(in language: String) -> String {
    switch language {
    case "de": germanLabel
    case "es": spanishLabel
    case "fr": frenchLabel
    case "ru": russianLabel
    default: label
    }
  }

  private var germanLabel: String {
    switch self {
    case .fraud: "Betrugsverdacht"
    case .pyramid: "Dubiose Geldanlage"
    case .debtCollection: "Inkasso"
    case .telemarketing: "Telefonwerbung"
    case .survey: "Umfrage"
    case .robocall: "Automatischer Anruf"
    case .silent: "Stille Anrufe"
    case .oneRing: "Lockanruf"
    case .gambling: "Glücksspiel"
    case .political: "Politische Werbung"
    case .harassment: "Belästigung"
    case .other: "Unerwünschter Anruf"
    case .legitimate: "Seriös"
    }
  }

  private var spanishLabel: String {
    switch self {
    case .fraud: "Posible fraude"
    case .pyramid: "Esquema de inversión"
    case .debtCollection: "Cobro de deudas"
    case .telemarketing: "Telemarketing"
    case .survey: "Encuesta"
    case .robocall: "Llamada automática"
    case .silent: "Llamadas mudas"
    case .oneRing: "Estafa de llamada perdida"
    case .gambling: "Juegos de azar"
    case .political: "Llamada política"
    case .harassment: "Acoso"
    case .other: "Llamada no deseada"
    case .legitimate: "Legítimo"
    }
  }

  private var frenchLabel: String {
    switch self {
    case .fraud: "Fraude présumée"
    case .pyramid: "Placement suspect"
    case .debtCollection: "Recouvrement"
    case .telemarketing: "Démarchage"
    case .survey: "Sondage"
    case .robocall: "Appel automatisé"
    case .silent: "Appels muets"
    case .oneRing: "Arnaque au rappel"
    case .gambling: "Jeux d’argent"
    case .political: "Appel politique"
    case .harassment: "Harcèlement"
    case .other: "Appel indésirable"
    case .legitimate: "Légitime"
    }
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
    case .harassment: "Оскорбления и угрозы"
    case .other: "Нежелательный звонок"
    case .legitimate: "Обычный номер"
    }
  }
}
