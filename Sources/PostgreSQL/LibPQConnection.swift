// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import CLibPQ
import Logging
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A libpq connection and its canceller; used on the connection's thread only.
struct LibPQConnection: @unchecked Sendable {
  let pointer: OpaquePointer
  let gate: CancellationGate
  private let status: ConnectionStatus

  init(_ pointer: OpaquePointer, status: ConnectionStatus) {
    self.pointer = pointer
    gate = CancellationGate(connection: pointer, status: status)
    self.status = status
    status.keepSocket(PQsocket(pointer))
    status.process = PQbackendPID(pointer)
  }

  func finish() {
    PQfinish(pointer)
    status.keepSocket(-1)
  }

  var isLost: Bool { PQstatus(pointer) == CONNECTION_BAD }
  var isIdle: Bool { PQtransactionStatus(pointer) == PQTRANS_IDLE }
  var message: String? { PQerrorMessage(pointer).map { String(cString: $0) } }
}

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

/// Sends cancel requests for the running statement only.
///
/// `PQcancel` blocks, so it runs on a separate thread. A request that reaches the server before its statement is lost,
/// so it is repeated until the statement ends. A statement ends only when no request is in progress, so that none
/// cancels the next statement.
final class CancellationGate: @unchecked Sendable {
  private let lock = ConditionLock()
  private let handle: OpaquePointer?
  private var generation: UInt64 = 0
  private var isRunning = false
  private var isSending = false
  private var hasThread = false
  private let status: ConnectionStatus
  /// How long a canceled statement, or a request to cancel one, may take before the connection is ended.
  private static let patience = Duration.seconds(5)

  init(connection: OpaquePointer, status: ConnectionStatus) {
    handle = PQgetCancel(connection)
    self.status = status
  }

  deinit {
    PQfreeCancel(handle)
  }

  /// Marks the start of a statement and returns its ticket.
  func begin() -> UInt64 {
    lock.withLock {
      generation += 1
      isRunning = true
      return generation
    }
  }

  /// Marks the end of the statement; waits for a request in progress.
  func end() {
    lock.withLock {
      isRunning = false
      if hasThread { lock.broadcast() }
      let deadline = ContinuousClock.now + Self.patience
      while isSending, deadline > .now { lock.wait(milliseconds: 1_000) }
      // A request that arrives later would cancel another statement.
      if isSending { status.cut() }
    }
  }

  /// Asks the server to cancel the statement of `ticket`, if it still runs. Returns at once.
  func request(_ ticket: UInt64) {
    let starts = lock.withLock {
      guard isRunning, generation == ticket, !hasThread else { return false }
      hasThread = true
      return true
    }
    guard starts else { return }
    startThread { self.send(ticket) }
    // Behind a proxy that lives, neither the answer nor an end of the connection may ever come.
    Task.detached {
      try await Task.sleep(for: Self.patience)
      if self.lock.withLock({ self.isRunning && self.generation == ticket }) { self.status.cut() }
    }
  }

  /// Sends one request and waits for it; for the connection's own thread.
  func sendNow() {
    var message = [CChar](repeating: 0, count: 256)
    _ = PQcancel(handle, &message, Int32(message.count))
  }

  private func send(_ ticket: UInt64) {
    var pause = 20
    while true {
      let goesOn = lock.withLock {
        guard isRunning, generation == ticket else {
          hasThread = false
          return false
        }
        isSending = true
        return true
      }
      guard goesOn else { return }
      sendNow()
      lock.withLock {
        isSending = false
        lock.broadcast()
        if isRunning, generation == ticket { lock.wait(milliseconds: pause) }
      }
      pause = min(pause * 2, 1_000)
    }
  }
}

/// The state of a connection that other threads can read without its thread.
final class ConnectionStatus: Sendable {
  enum Value: Int, AtomicRepresentable {
    case connecting, idle, dirty, closed
  }

  private let state = Atomic<Value>(.connecting)
  /// A descriptor of its own for the socket; -1 where there is none. libpq closes its own as soon as the connection is
  /// lost, and the number may then be another connection's.
  private let socket = Mutex<Int32>(-1)
  /// The newest stream or COPY whose reader was released.
  private let abandonedTicket = Atomic<Int>(0)
  private let cutting = Atomic<Bool>(false)
  private let serverProcess = Atomic<Int32>(0)
  /// When the present call began, in nanoseconds since the start of the program; 0 between calls.
  private let began = Atomic<Int64>(0)
  private static let start = ContinuousClock.now

  var value: Value {
    get { state.load(ordering: .acquiring) }
    set { state.store(newValue, ordering: .releasing) }
  }

  deinit { keepSocket(-1) }

  /// Keeps a copy of a descriptor, and closes the former one; -1 for none.
  func keepSocket(_ descriptor: Int32) {
    let copy = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    let former = socket.withLock { socket in
      defer { socket = copy }
      return socket
    }
    if former >= 0 { close(former) }
  }

  /// Whether the pool closes the connection, and its idle ones, which may lead to the same place.
  var isCut: Bool { cutting.load(ordering: .acquiring) }

  /// Lets the pool close the connection after its use.
  func drop() { cutting.store(true, ordering: .releasing) }

  /// Ends the connection while its thread waits for an answer: the call throws `PostgresError` of kind `connectionLost`.
  func cut() {
    drop()
    socket.withLock { _ = shutdown($0, Int32(SHUT_RDWR)) }
  }

  /// The server process of the connection, or a number of the pooler's.
  var process: Int32 {
    get { serverProcess.load(ordering: .acquiring) }
    set { serverProcess.store(newValue, ordering: .releasing) }
  }

  /// Identifies a call that has waited for `limit` or longer; nil where there is none.
  func call(after limit: Duration) -> Int64? {
    let began = began.load(ordering: .acquiring)
    return began > 0 && Self.start.duration(to: .now) - .nanoseconds(began) >= limit ? began : nil
  }

  func beginCall() {
    let (seconds, attoseconds) = Self.start.duration(to: .now).components
    began.store(max(1, seconds * 1_000_000_000 + attoseconds / 1_000_000_000), ordering: .releasing)
  }

  func endCall() { began.store(0, ordering: .releasing) }

  /// Records that a stream has no reader any more; it may have ended before.
  func abandon(_ ticket: Int) {
    abandonedTicket.store(ticket, ordering: .releasing)
  }

  var needsReset: Bool { value == .dirty || abandonedTicket.load(ordering: .acquiring) != 0 }

  func takeAbandoned() -> Int? {
    let ticket = abandonedTicket.exchange(0, ordering: .acquiringAndReleasing)
    return ticket == 0 ? nil : ticket
  }

  /// Whether an idle connection has nothing to read: a stopped server leaves a message or an end of file.
  var isQuiet: Bool {
    var byte: UInt8 = 0
    return socket.withLock { socket in
      let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
      return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
    }
  }
}

/// Receives a connection's notices, on its thread.
final class NoticeSink: Sendable {
  private struct State {
    var handler: (@Sendable (PostgresMessage) -> Void)?
    var warnings: [PostgresMessage] = []
  }

  private let logger: Logger
  private let state = Mutex(State())

  init(logger: Logger) { self.logger = logger }

  func setHandler(_ handler: (@Sendable (PostgresMessage) -> Void)?) {
    state.withLock { $0.handler = handler }
  }

  /// The warnings since the last call.
  func takeWarnings() -> [PostgresMessage] {
    state.withLock { state in
      guard !state.warnings.isEmpty else { return [] }
      defer { state.warnings = [] }
      return state.warnings
    }
  }

  func receive(_ notice: PostgresMessage) {
    let handler = state.withLock { state in
      if notice.severity == "WARNING", state.warnings.count < 100 { state.warnings.append(notice) }
      return state.handler
    }
    logger.log(
      level: notice.severity == "WARNING" ? .warning : .debug, "The database sent a notice",
      metadata: [
        "db.severity": "\(notice.severity)", "db.sqlstate": "\(notice.sqlState)", "db.message": "\(notice.message)",
      ])
    handler?(notice)
  }

  /// Makes libpq pass notices to this sink, which must outlive the connection.
  func attach(to connection: OpaquePointer) {
    PQsetNoticeReceiver(
      connection,
      { context, result in
        guard let context, let result else { return }
        let sink = Unmanaged<NoticeSink>.fromOpaque(context).takeUnretainedValue()
        sink.receive(PostgresMessage(result: result))
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
