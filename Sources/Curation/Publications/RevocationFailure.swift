// SPDX-License-Identifier: Apache-2.0

/// The reason why a revocation was not carried out.
public struct RevocationFailure: CodedData {
  /// The kinds of reasons.
  public enum Code: String, CaseIterable, Sendable {
    case gatesClosed = "gates_closed"
    case nothingPublished = "nothing_published"
    case numberProtected = "number_protected"
  }

  /// The kind of reason.
  public let code: Code
  /// The values of the message by their names.
  public let values: [String: CodedValue]

  /// - Parameters: see the properties; the functions below make each code with its values.
  public init(code: Code, values: [String: CodedValue] = [:]) {
    self.code = code
    self.values = values
  }

  /// Gates refused the changed publication.
  /// - Parameter gates: the names of the gates.
  public static func gatesClosed(_ gates: [String]) -> RevocationFailure {
    RevocationFailure(code: .gatesClosed, values: ["gates": .text(gates.joined(separator: ", "))])
  }

  /// There is no publication that could be changed.
  public static let nothingPublished = RevocationFailure(code: .nothingPublished)

  /// The number is protected and was to be added.
  /// - Parameter number: E.164 digits.
  public static func numberProtected(_ number: Int64) -> RevocationFailure {
    RevocationFailure(code: .numberProtected, values: ["number": "+\(number)"])
  }
}
