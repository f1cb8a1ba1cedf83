import CLibPQ

/// A libpq connection and its canceller; used on the connection's thread only.
struct Link: @unchecked Sendable {
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

/// A statement the server keeps under a name.
struct PreparedStatement {
  let name: String
  let types: [UInt32]
}

/// What a connection is busy with between calls.
enum Occupation: Equatable {
  case copyIn
  case copyOut(Int)
  case stream(Int)
}
