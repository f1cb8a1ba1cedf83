// SPDX-License-Identifier: Apache-2.0

/// The reason why a number is held: the rule against brigading that found it, with its figures.
public enum HoldReason: CodedData {
  public enum CodingKeys: MessageCode {
    case newReporters, oneWeek, oneNetwork, oneText, sameNumbers, oneDay, split, unassigned
  }

  /// Reporters who complain about a number, counted by the marks that make a complaint suspect.
  public struct Marks: Decodable, Hashable, Sendable {
    /// All reporters who complain.
    public var reporters: Int
    public var new = 0
    public var sameNetwork = 0
    /// Reporters whose comment others have sent as well.
    public var sameText = 0
    public var sameNumbers = 0
    public var independent = 0
    /// Reporters without any mark.
    public var others: Int
  }

  /// Number of independent reporters; nil where the rule does not count them.
  public var independent: Int? {
    switch self {
    case .newReporters(let marks), .oneWeek(let marks), .oneNetwork(let marks), .oneText(let marks),
      .sameNumbers(let marks):
      marks.independent
    case .oneDay, .split, .unassigned: nil
    }
  }

  /// Most complaints come from reporters who are new.
  case newReporters(Marks)
  /// The complaints of reporters without a mark came within a week, and these were not established long before.
  case oneWeek(Marks)
  case oneNetwork(Marks)
  case oneText(Marks)
  case sameNumbers(Marks)
  /// Nearly all complaints came on one day: reporters on the day with the most of them, in total, and on other days.
  case oneDay(peak: Int, reporters: Int, others: Int)
  /// Many votes call it a nuisance, and many legitimate.
  case split(complaints: Int, legitimate: Int)
  /// The numbering plan did not have the number when its first report arrived. No rule against brigading.
  case unassigned(version: String)

  /// Whether the number waits for a newer plan, or a moderator, to say that it is one.
  public var isUnassigned: Bool { if case .unassigned = self { true } else { false } }
}

/// A burst of complaints that holds no number because complaints usually arrive so; see ``BrigadeBaseline``.
public enum UsualBurst: CodedData {
  public enum CodingKeys: MessageCode {
    case oneDay, oneNetwork, oneText
  }

  /// How many have the property in common.
  public struct Figures: Decodable, Hashable, Sendable {
    fileprivate let alike, reporters, usual, numbers: Int
  }

  case oneDay(Figures)
  case oneNetwork(Figures)
  case oneText(Figures)

  /// - Parameters:
  ///   - code: what is usual.
  ///   - alike: reporters who complain about the number and have it in common.
  ///   - reporters: all who complain.
  ///   - share: the numbers of the past that have it in common too.
  public init(_ code: CodingKeys, alike: Int, reporters: Int, share: BrigadeBaseline.Share) {
    let figures = Figures(alike: alike, reporters: reporters, usual: share.count, numbers: share.numbers)
    self =
      switch code {
      case .oneDay: .oneDay(figures)
      case .oneNetwork: .oneNetwork(figures)
      case .oneText: .oneText(figures)
      }
  }
}
