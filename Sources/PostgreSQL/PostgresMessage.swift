// SPDX-License-Identifier: Apache-2.0

import CLibPQ

/// An error or a notice of the server. It may contain data: for logs, not for users.
public struct PostgresMessage: Sendable, Equatable {
  /// `ERROR`, `FATAL`, `WARNING`, `NOTICE`…, never translated.
  public var severity: String
  /// Five characters.
  public var sqlState: String
  /// The message itself.
  public var message: String
  /// Details.
  public var detail: String?
  /// The suggested remedy.
  public var hint: String?
  /// The position in the statement, in characters from 1.
  public var position: Int?
  /// The call stack of functions.
  public var context: String?
  /// The schema it names.
  public var schema: String?
  /// The table it names.
  public var table: String?
  /// The column it names.
  public var column: String?
  /// The constraint it names.
  public var constraint: String?
  /// The server's own function that raised it.
  public var sourceFunction: String?

  init(result: OpaquePointer) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    severity = field("V") ?? field("S") ?? ""
    sqlState = field("C") ?? ""
    message = field("M") ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
    detail = field("D")
    hint = field("H")
    position = field("P").flatMap { Int($0) }
    context = field("W")
    schema = field("s")
    table = field("t")
    column = field("c")
    constraint = field("n")
    sourceFunction = field("R")
  }
}
