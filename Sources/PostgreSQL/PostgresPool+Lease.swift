// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension PostgresPool {
  /// A usable connection, within the wait limit.
  func lease() async throws -> PostgresConnection {
    guard !Task.isCancelled else { throw PostgresError(.cancelled) }
    let atOnce = try state.withLock { state in
      if state.isShutDown { throw PostgresError(.poolShutDown) }
      return state.take()
    }
    let grant = if let atOnce { atOnce } else { try await wait() }
    switch grant {
    case .connection(let connection):
      // A check of the socket detects a server that has stopped in the meantime.
      if !connection.isClosed, connection.status.isQuiet { return connection }
      await close(connection)
      return try await open()
    case .slot:
      return try await open()
    }
  }

  func giveBack(_ connection: PostgresConnection) async {
    connection.onNotice(nil)
    if connection.status.isCut {
      let idle = state.withLock { state in
        defer { state.idle = [] }
        return state.idle
      }
      for connection in idle + [connection] { await close(connection) }
      return freeSlot()
    }
    if connection.status.needsReset { await connection.reset() }
    if connection.isClosed {
      await close(connection)
      return freeSlot()
    }
    let waiter: PoolState.Waiter?? = state.withLock { state in
      guard !state.isShutDown else { return .none }
      if let waiter = state.popWaiter() { return .some(waiter) }
      state.idle.append(connection)
      state.leased -= 1
      return .some(nil)
    }
    switch waiter {
    case .some(.some(let waiter)): waiter.continuation.resume(returning: .connection(connection))
    case .some(.none): return
    case .none:
      await close(connection)
      freeSlot()
    }
  }

  private func open() async throws -> PostgresConnection {
    do {
      let connection = try await PostgresConnection.connect(configuration, logger: logger)
      state.withLock { $0.open[ObjectIdentifier(connection)] = connection }
      return connection
    } catch {
      freeSlot()
      throw error
    }
  }

  func close(_ connection: PostgresConnection) async {
    _ = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(connection)) }
    await connection.close()
  }

  /// Frees a slot for the first waiting task, or for later.
  private func freeSlot() {
    typealias Woken = (PoolState.Waiter?, [CheckedContinuation<Void, Never>])
    let (waiter, endings) = state.withLock { state -> Woken in
      if let waiter = state.popWaiter() { return (waiter, []) }
      state.leased -= 1
      guard state.isShutDown, state.leased == 0 else { return (nil, []) }
      defer { state.endings = [] }
      return (nil, state.endings)
    }
    waiter?.continuation.resume(returning: .slot)
    for ending in endings { ending.resume() }
  }

  private enum Entry {
    case granted(PoolState.Grant)
    case refused(PostgresError)
    case waiting(startsTimer: Bool)
  }

  private func wait() async throws -> PoolState.Grant {
    let id = nextWaiterID()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let entry = state.withLock { state -> Entry in
          if state.isShutDown { return .refused(PostgresError(.poolShutDown)) }
          if Task.isCancelled { return .refused(PostgresError(.cancelled)) }
          if let grant = state.take() { return .granted(grant) }
          if state.waiterCount(isUrgent: Self.isUrgent) >= maximumWaiters {
            return .refused(PostgresError(.poolTimeout(waitLimit: .zero)))
          }
          state.append(
            .init(id: id, deadline: .now.advanced(by: waitLimit), continuation: continuation), isUrgent: Self.isUrgent)
          defer { state.hasTimer = true }
          return .waiting(startsTimer: !state.hasTimer)
        }
        switch entry {
        case .granted(let grant): continuation.resume(returning: grant)
        case .refused(let error): continuation.resume(throwing: error)
        case .waiting(let startsTimer): if startsTimer { Task { await self.expireWaiters() } }
        }
      }
    } onCancel: {
      let waiter = state.withLock { $0.removeWaiter(id) }
      waiter?.continuation.resume(throwing: PostgresError(.cancelled))
    }
  }

  /// One timer for all: the wait limit is the same for all tasks, so the first to wait is the first to expire.
  private func expireWaiters() async {
    while true {
      let next: ContinuousClock.Instant? = state.withLock { state in
        if state.nextDeadline == nil { state.hasTimer = false }
        return state.nextDeadline
      }
      guard let next else { return }
      try? await Task.sleep(until: next, clock: .continuous)
      while let waiter = state.withLock({ $0.popExpired(at: .now) }) {
        waiter.continuation.resume(throwing: PostgresError(.poolTimeout(waitLimit: waitLimit)))
      }
    }
  }
}
