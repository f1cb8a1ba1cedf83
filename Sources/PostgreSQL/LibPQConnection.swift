// SPDX-License-Identifier: Apache-2.0

import CLibPQ

/// A libpq connection and its canceller; used on the connection's thread only.
struct LibPQConnection: @unchecked Sendable {
  let pointer: OpaquePointer
  let gate: CancellationGate

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    gate = CancellationGate(connection: pointer)
  }

  func finish() { PQfinish(pointer) }

  var isLost: Bool { PQstatus(pointer) == CONNECTION_BAD }
  var isIdle: Bool { PQtransactionStatus(pointer) == PQTRANS_IDLE }
  var message: String? { PQerrorMessage(pointer).map { String(cString: $0) } }
}

/// A prepared statement.
struct PreparedStatement {
  let name: String
  let types: [UInt32]
}

/// The operation that occupies a connection between calls.
enum Occupation: Equatable {
  case copyIn
  case copyOut(Int)
  case stream(Int)
}
