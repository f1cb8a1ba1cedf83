// SPDX-License-Identifier: Apache-2.0

/// Texts that moderators choose from: common reasons of decisions, and answers to appeals. A team edits them by language
/// and category; without its own texts the built-in ones are used.
public struct TextTemplates: Sendable, Equatable {
  /// The use of a text.
  public enum Kind: String, Sendable, CaseIterable {
    /// The public reason of a decision, in one line.
    case reason
    case answer

    /// The most characters of a text.
    public var length: Int { self == .reason ? TextLimit.reason : Appeal.maxAnswer }

    /// The built-in texts: codes of messages, so that each reader sees them in their own language.
    public var builtIn: [Text] {
      let codes =
        switch self {
        case .reason: ["many_reporters", "fraud_quoted", "automatic_calls", "known_business", "not_credible"]
        case .answer: ["removed", "misused", "still_reported", "not_shown"]
        }
      return codes.map { .builtIn($0) }
    }
  }

  /// The outcome of an appeal that an answer is for.
  public enum Outcome: String, Sendable, CaseIterable {
    case uphold, reject
  }

  public enum Text: Sendable, Hashable {
    /// The code of a message.
    case builtIn(String)
    /// A text of the team, for one outcome or, with nil, for either.
    case own(String, for: Outcome? = nil)

    /// Nil for reasons, and for answers that suit either outcome.
    public var outcome: Outcome? {
      switch self {
      case .builtIn("removed"), .builtIn("misused"): .uphold
      case .builtIn("still_reported"), .builtIn("not_shown"): .reject
      case .builtIn: nil
      case .own(_, let outcome): outcome
      }
    }
  }

  /// Identifies the texts for one use, language and category.
  public struct List: Sendable, Hashable {
    public var kind: Kind
    /// The code of the language, such as `en`.
    public var language: String
    /// The category of the case; nil for all without a list of their own.
    public var category: ReportCategory?

    public init(_ kind: Kind, language: String, category: ReportCategory? = nil) {
      (self.kind, self.language, self.category) = (kind, language, category)
    }
  }

  /// The most texts of a list: each has a digit as its key.
  public static let most = 9

  /// The version of the team's texts; 0 before the first.
  public var version: Int32
  /// The lists of the team; none of them is empty.
  public var lists: [List: [Text]]

  public init(version: Int32 = 0, lists: [List: [Text]] = [:]) {
    (self.version, self.lists) = (version, lists)
  }

  /// The texts to choose from: for the category, else for all categories, else the built-in ones.
  public subscript(list: List) -> [Text] {
    lists[list] ?? lists[List(list.kind, language: list.language)] ?? list.kind.builtIn
  }
}
