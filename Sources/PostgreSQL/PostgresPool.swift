// SPDX-License-Identifier: Apache-2.0

public import Logging
import Synchronization

/// A bounded set of connections, leased in the order of requests, but first to tasks that are ``isUrgent``.
public final class PostgresPool: Sendable {
  /// Whether the task gets a connection before all tasks that are not urgent, and is never refused because of them.
  @TaskLocal public static var isUrgent = false

  public let configuration: PostgresConfiguration
  /// How long a task waits for a connection before `poolTimeout`.
  public let waitLimit: Duration
  /// The most tasks that may wait, of urgent ones and of others; one more is refused at once.
  public let maximumWaiters: Int
  let logger: Logger
  let state: Mutex<PoolState>
  private let nodes = Mutex<[PostgresNode: PostgresPool]>([:])
  private let lastWaiter = Atomic<UInt64>(0)

  /// A pool; connections are opened on demand.
  ///
  /// - Parameters:
  ///   - maximumConnections: At least 1.
  ///   - maximumWaiters: The most tasks that may wait; one more gets `poolTimeout` at once, because an early refusal is
  ///     cheap for both sides.
  public init(
    _ configuration: PostgresConfiguration, maximumConnections: Int, waitLimit: Duration = .seconds(10),
    maximumWaiters: Int = .max, logger: Logger
  ) {
    self.configuration = configuration
    self.waitLimit = waitLimit
    self.maximumWaiters = maximumWaiters
    self.logger = logger
    state = Mutex(PoolState(maximum: max(1, maximumConnections)))
  }

  /// Runs `body` with a leased connection. A transaction, COPY or stream that `body` leaves open is rolled back.
  ///
  /// - Throws: The error of `body`; `PostgresError` of kind `poolTimeout`, `poolShutDown`, `cancelled`,
  ///   `connectionFailed`.
  @discardableResult
  public func withConnection<T: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> T
  ) async throws -> T {
    let connection = try await lease()
    let cutter = ConnectionCutter.current
    cutter?.begin(connection)
    defer { cutter?.end(connection) }
    do {
      let value = try await body(connection)
      await giveBack(connection)
      return value
    } catch {
      await giveBack(connection)
      throw error
    }
  }

  /// - Throws: `PostgresError`.
  public func run<Row>(_ statement: Statement<Row>) async throws -> [Row] {
    try await withConnection { try await $0.run(statement) }
  }

  /// - Throws: `PostgresError`.
  @discardableResult
  public func runReportingCount<Row>(_ statement: Statement<Row>) async throws -> Int {
    try await withConnection { try await $0.runReportingCount(statement) }
  }

  /// The pool of another node of the same cluster, of 8 connections. It is created once, and shut down with this one.
  public func node(_ node: PostgresNode) -> PostgresPool {
    nodes.withLock { nodes in
      if let pool = nodes[node] { return pool }
      var configuration = configuration
      // A node that is down must not hold up the caller, who has others to ask.
      (configuration.node, configuration.connectTimeout) = (node, .seconds(2))
      let pool = PostgresPool(configuration, maximumConnections: 8, waitLimit: waitLimit, logger: logger)
      nodes[node] = pool
      return pool
    }
  }

  /// The pools that ``node(_:)`` has created.
  var nodePools: [PostgresPool] { nodes.withLock { Array($0.values) } }

  /// Refuses new work, fails waiting tasks, and returns when every connection was returned and closed.
  public func shutdown() async {
    for pool in nodePools { await pool.shutdown() }
    let (idle, waiters) = state.withLock { state in
      state.isShutDown = true
      var waiters: [PoolState.Waiter] = []
      while let waiter = state.popWaiter() { waiters.append(waiter) }
      defer { state.idle = [] }
      return (state.idle, waiters)
    }
    for waiter in waiters { waiter.continuation.resume(throwing: PostgresError(.poolShutDown)) }
    for connection in idle { await close(connection) }
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.leased == 0 { return true }
        state.endings.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  public var occupancy: (leased: Int, idle: Int, waiting: Int) {
    state.withLock { ($0.leased, $0.idle.count, $0.waiterCount) }
  }

  func nextWaiterID() -> UInt64 { lastWaiter.add(1, ordering: .relaxed).newValue }
}

/// The leased connections and waiting tasks of a pool; guarded by the pool's lock.
struct PoolState {
  enum Grant {
    /// A connection that was idle, or was just returned.
    case connection(PostgresConnection)
    /// Permission to open a connection.
    case slot
  }

  struct Waiter {
    let id: UInt64
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Grant, any Error>
  }

  let maximum: Int
  var idle: [PostgresConnection] = []
  /// All connections that are open.
  var open: [ObjectIdentifier: PostgresConnection] = [:]
  /// Number of connections that are leased or being opened.
  var leased = 0
  var isShutDown = false
  var hasTimer = false
  var endings: [CheckedContinuation<Void, Never>] = []
  private var urgent = WaiterQueue()
  private var others = WaiterQueue()

  init(maximum: Int) { self.maximum = maximum }

  var waiterCount: Int { urgent.count + others.count }
  func waiterCount(isUrgent: Bool) -> Int { isUrgent ? urgent.count : others.count }
  var nextDeadline: ContinuousClock.Instant? {
    [urgent.first?.deadline, others.first?.deadline].compactMap(\.self).min()
  }

  /// A grant that is available at once; nil where tasks are waiting or the pool is exhausted.
  mutating func take() -> Grant? {
    guard waiterCount == 0 else { return nil }
    if let connection = idle.popLast() {
      leased += 1
      return .connection(connection)
    }
    guard leased < maximum else { return nil }
    leased += 1
    return .slot
  }

  mutating func append(_ waiter: Waiter, isUrgent: Bool) {
    if isUrgent { urgent.append(waiter) } else { others.append(waiter) }
  }

  mutating func popWaiter() -> Waiter? { urgent.pop() ?? others.pop() }

  /// The waiter with the earliest deadline, if it has passed.
  mutating func popExpired(at time: ContinuousClock.Instant) -> Waiter? {
    if let first = urgent.first, first.deadline <= time { return urgent.pop() }
    guard let first = others.first, first.deadline <= time else { return nil }
    return others.pop()
  }

  mutating func removeWaiter(_ id: UInt64) -> Waiter? { urgent.remove(id) ?? others.remove(id) }
}

private struct WaiterQueue {
  private var waiters: [PoolState.Waiter] = []
  private var head = 0

  var count: Int { waiters.count - head }
  var first: PoolState.Waiter? { count > 0 ? waiters[head] : nil }

  mutating func append(_ waiter: PoolState.Waiter) { waiters.append(waiter) }

  mutating func pop() -> PoolState.Waiter? {
    guard head < waiters.count else { return nil }
    defer {
      head += 1
      if head > 32, head * 2 > waiters.count {
        waiters.removeFirst(head)
        head = 0
      }
    }
    return waiters[head]
  }

  mutating func remove(_ id: UInt64) -> PoolState.Waiter? {
    guard let index = waiters[head...].firstIndex(where: { $0.id == id }) else { return nil }
    return waiters.remove(at: index)
  }
}
