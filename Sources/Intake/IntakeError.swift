// SPDX-License-Identifier: Apache-2.0

import Foundation
import PhoneNumbers
import Support

/// The reason why nothing was accepted, of a request, or of one of its reports.
public enum IntakeError: Error, Equatable, CustomStringConvertible {
  /// The queue is full; the same report can be sent again in a moment.
  case full
  /// The server is stopping.
  case closed
  /// The database has not answered for too long. Submitted reports may still be committed; the same report can be sent
  /// again later, and counts once.
  case stalled

  /// The cause and the remedy for the sender, in plain English.
  public var description: String {
    switch self {
    case .full: "Too many reports are waiting. Send the request again in a few seconds."
    case .stalled: "The database does not answer. Send the request again in a few seconds."
    case .closed: "The server is stopping. Send the request again in a few seconds."
    }
  }
}

/// A rule that one field of a submission breaks.
public struct FieldProblem: Error, Sendable, Equatable {
  /// The field's place in the API's JSON: its name, or a path such as `items/3/number`.
  public let field: String
  /// Stable name of the rule, in snake_case.
  public let code: String
  /// Plain English: the rule, and what to send instead.
  public let detail: String

  /// The same problem with the path of an outer object.
  /// - Parameter path: the path of the part, such as `items/3` or, for the fourth element of an array, `3`.
  public func nested(in path: String) -> FieldProblem {
    FieldProblem(field: "\(path)/\(field)", code: code, detail: detail)
  }

  /// A report from a month that was dropped. Ages are checked before, so this occurs only after a wrong clock.
  static func before(retention: Date) -> FieldProblem {
    FieldProblem(
      field: "reported_at", code: "before_retention",
      detail: "Reports from before \(Timestamp.format(retention)) were deleted. Older reports are refused.")
  }
}

extension FieldProblem {
  init(_ error: PhoneNumberError) {
    let field =
      switch error {
      case .unknownRegion, .needsRegion: "region"
      default: "number"
      }
    self.init(field: field, code: error.code, detail: error.description)
  }
}

/// All problems of a submission.
public struct InvalidSubmission: Error, Equatable {
  /// The problems, at least one, in the order of the API's fields.
  public let problems: [FieldProblem]
}
