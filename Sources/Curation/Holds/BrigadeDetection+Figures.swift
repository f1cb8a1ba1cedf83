extension BrigadeDetection {
  /// The figures of a finding. They are kept as the English sentence that they make, and read out of it again where another
  /// language is wanted.
  public enum Figures: Sendable, Equatable {
    /// Suspects by each mark among all who complain, and the others.
    case marked(complainers: Int, newcomers: Int, network: Int, text: Int, others: Int)
    /// Those who complained on one day, of all, and those of other days.
    case oneDay(peak: Int, complainers: Int, others: Int)
    /// Those who complain, and those who say that it is no nuisance.
    case split(toxic: Int, legitimate: Int)

    /// In plain English.
    public var sentence: String {
      switch self {
      case .marked(let complainers, let newcomers, let network, let text, let others):
        let said = [
          newcomers > 0 ? "\(newcomers) are new" : nil, network > 0 ? "\(network) share a network with others" : nil,
          text > 0 ? "\(text) use the same words as others" : nil,
        ].compactMap(\.self).joined(separator: ", ")
        return "Of \(complainers) reporters who complain, \(said); \(others) are neither."
      case .oneDay(let peak, let complainers, let others):
        return "\(peak) of \(complainers) reporters complained on one day, \(others) before or after."
      case .split(let toxic, let legitimate):
        return "\(toxic) reporters complain and \(legitimate) say that it is no nuisance."
      }
    }

    /// The figures in a ``sentence``; nil where it is none.
    public init?(_ sentence: String) {
      if let match = sentence.wholeMatch(of: /Of (\d+) reporters who complain, (.+); (\d+) are neither\./),
        let complainers = Int(match.1), let others = Int(match.3), let marks = Self.marks(match.2)
      {
        self = .marked(
          complainers: complainers, newcomers: marks.newcomers, network: marks.network, text: marks.text,
          others: others)
      } else if let match = sentence.wholeMatch(
        of: /(\d+) of (\d+) reporters complained on one day, (\d+) before or after\./),
        let peak = Int(match.1), let complainers = Int(match.2), let others = Int(match.3)
      {
        self = .oneDay(peak: peak, complainers: complainers, others: others)
      } else if let match = sentence.wholeMatch(
        of: /(\d+) reporters complain and (\d+) say that it is no nuisance\./),
        let toxic = Int(match.1), let legitimate = Int(match.2)
      {
        self = .split(toxic: toxic, legitimate: legitimate)
      } else {
        return nil
      }
    }

    private static func marks(_ text: Substring) -> (newcomers: Int, network: Int, text: Int)? {
      var marks = (newcomers: 0, network: 0, text: 0)
      for part in text.split(separator: ", ") {
        guard let end = part.firstIndex(of: " "), let count = Int(part[..<end]) else { return nil }
        switch part[end...] {
        case " are new": marks.newcomers = count
        case " share a network with others": marks.network = count
        case " use the same words as others": marks.text = count
        default: return nil
        }
      }
      return marks
    }
  }
}
