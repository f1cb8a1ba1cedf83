// SPDX-License-Identifier: Apache-2.0

/// A burst of complaints that holds no number because complaints usually arrive so; see ``BrigadeBaseline``.
public struct UsualBurst: CodedData {
  /// The property that is usual.
  public enum Code: String, CaseIterable, Sendable {
    /// Nearly all complaints on one day.
    case oneDay = "one_day"
    /// Many complaints through one network.
    case oneNetwork = "one_network"
    /// Many complaints with one text.
    case oneText = "one_text"
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

  /// - Parameters:
  ///   - code: what is usual.
  ///   - alike: reporters who complain about the number and have it in common.
  ///   - reporters: all who complain.
  ///   - share: the numbers of the past that have it in common too.
  public init(_ code: Code, alike: Int, reporters: Int, share: BrigadeBaseline.Share) {
    self.init(
      code: code,
      values: [
        "alike": CodedValue(alike), "reporters": CodedValue(reporters), "usual": CodedValue(share.count),
        "numbers": CodedValue(share.numbers),
      ])
  }
}
