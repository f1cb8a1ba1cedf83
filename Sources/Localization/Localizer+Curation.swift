import Curation

/// Sentences that are kept in English, in the words of the reader.
extension Localizer {
  /// The figures of a rule against brigades.
  /// - Returns: nil for a sentence that no rule of this version makes.
  package func figures(_ sentence: String) -> String? {
    switch BrigadeDetection.Figures(sentence) {
    case .marked(let complainers, let newcomers, let network, let text, let others):
      let said = [("new", newcomers), ("network", network), ("text", text)].filter { $0.1 > 0 }
        .map { self("case.hold.mark-\($0.0)", ["figure": number($0.1)]) }.joined(separator: ", ")
      return self(
        "case.hold.marked", ["complainers": number(complainers), "marks": said, "others": number(others)])
    case .oneDay(let peak, let complainers, let others):
      return self(
        "case.hold.on-one-day",
        ["peak": number(peak), "complainers": number(complainers), "others": number(others)])
    case .split(let toxic, let legitimate):
      return self("case.hold.voices", ["toxic": number(toxic), "legitimate": number(legitimate)])
    case nil: return nil
    }
  }

  /// Why a number is protected: what the operator wrote stays as it is, what the server says itself is translated.
  package func protection(_ rule: String) -> String {
    switch rule {
    case "an emergency number": self("case.protected.emergency")
    case "a short number": self("case.protected.short")
    case "a number that no numbering plan has": self("case.protected.invalid")
    default: rule
    }
  }
}
