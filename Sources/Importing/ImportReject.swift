// SPDX-License-Identifier: Apache-2.0

/// A row that was not imported, and why.
public struct ImportReject: Sendable, Equatable {
  /// The line in the file, from 1, counting the header; the first line of a row that spans several.
  public var line: Int
  /// The reason of the rejection.
  public var reason: RejectReason
  /// The start of the row's text, at most ``ComplaintLimits/rejectTextBytes`` bytes, invalid UTF-8 repaired.
  public var text: String

  /// Makes a reject of these fields.
  public init(line: Int, reason: RejectReason, text: String) {
    self.line = line
    self.reason = reason
    self.text = text
  }
}
