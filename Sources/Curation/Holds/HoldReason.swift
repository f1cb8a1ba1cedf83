// SPDX-License-Identifier: Apache-2.0

/// The reason why a number is held: the rule against brigading that found it, with its figures.
public struct HoldReason: CodedData {
  /// The rules.
  public enum Code: String, CaseIterable, Sendable {
    /// Most complaints come from reporters who are new.
    case newReporters = "new_reporters"
    /// Many complaints come through one network.
    case oneNetwork = "one_network"
    /// Many complaints have one text.
    case oneText = "one_text"
    /// Nearly all complaints came on one day.
    case oneDay = "one_day"
    /// Many votes call it a nuisance, and many legitimate.
    case split
  }

  /// Reporters who complain about a number, counted by the marks that make a complaint suspect.
  public struct Marks: Sendable, Equatable {
    /// All reporters who complain.
    public var reporters: Int
    /// Newcomers.
    public var new: Int
    /// Reporters who share a network with others.
    public var sameNetwork: Int
    /// Reporters whose comment others have sent as well.
    public var sameText: Int
    /// Reporters without any mark.
    public var others: Int

    /// - Parameters: see the properties.
    public init(reporters: Int, new: Int = 0, sameNetwork: Int = 0, sameText: Int = 0, others: Int) {
      self.reporters = reporters
      self.new = new
      self.sameNetwork = sameNetwork
      self.sameText = sameText
      self.others = others
    }
  }

  /// The name of the message.
  public let code: Code
  /// The values of the message; see ``CodedData``.
  public let values: [String: CodedValue]

  /// - Parameters: see ``CodedData``.
  public init(code: Code, values: [String: CodedValue]) {
    self.code = code
    self.values = values
  }

  /// Most suspects are new.
  public static func newReporters(_ marks: Marks) -> HoldReason { HoldReason(.newReporters, marks) }

  /// Most suspects share networks.
  public static func oneNetwork(_ marks: Marks) -> HoldReason { HoldReason(.oneNetwork, marks) }

  /// Most suspects share texts.
  public static func oneText(_ marks: Marks) -> HoldReason { HoldReason(.oneText, marks) }

  /// - Parameters:
  ///   - peak: number of reporters on the day with the most of them.
  ///   - reporters: all who complain.
  ///   - others: number of reporters on other days.
  public static func oneDay(peak: Int, reporters: Int, others: Int) -> HoldReason {
    HoldReason(
      code: .oneDay,
      values: ["peak": CodedValue(peak), "reporters": CodedValue(reporters), "others": CodedValue(others)])
  }

  /// - Parameters:
  ///   - complaints: votes against the number.
  ///   - legitimate: votes for it.
  public static func split(complaints: Int, legitimate: Int) -> HoldReason {
    HoldReason(code: .split, values: ["complaints": CodedValue(complaints), "legitimate": CodedValue(legitimate)])
  }

  private init(_ code: Code, _ marks: Marks) {
    self.init(
      code: code,
      values: [
        "reporters": CodedValue(marks.reporters), "new": CodedValue(marks.new),
        "same_network": CodedValue(marks.sameNetwork), "same_text": CodedValue(marks.sameText),
        "others": CodedValue(marks.others),
      ])
  }
}
