// SPDX-License-Identifier: Apache-2.0

import CLibPQ

extension PostgresConnection {
  /// Returns the connection to the idle state: no COPY, no stream, no transaction. A connection that cannot be reset is
  /// closed.
  func reset() {
    do {
      _ = status.takeAbandoned()
      try clearOccupation()
      transactionDepth = 0
      opening = nil
      try performWithoutCancellation { link in
        guard !link.isIdle else { return }
        _ = try accept(PQexec(link.pointer, "ROLLBACK"), on: link, sql: "ROLLBACK")
      }
    } catch {
      close()
    }
  }

  /// Ends an open COPY or stream whose reader was released.
  func clearOccupation() throws {
    guard let link, let occupation else { return }
    self.occupation = nil
    switch occupation {
    case .copyIn:
      PQputCopyEnd(link.pointer, "the source ended early")
    case .copyOut:
      link.gate.sendNow()
      var buffer: UnsafeMutablePointer<CChar>?
      while PQgetCopyData(link.pointer, &buffer, 0) > 0 { PQfreemem(buffer) }
    case .stream:
      if PQtransactionStatus(link.pointer) == PQTRANS_ACTIVE { link.gate.sendNow() }
    }
    while let result = PQgetResult(link.pointer) { PQclear(result) }
    if case .stream = occupation {
      _ = try accept(PQexec(link.pointer, "ROLLBACK"), on: link, sql: "ROLLBACK")
    }
  }
}
