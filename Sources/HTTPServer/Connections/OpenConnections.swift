// SPDX-License-Identifier: Apache-2.0

package import HummingbirdCore
package import Metrics
import NIOCore
import Synchronization

/// The open connections of the server. If there are as many as allowed, it closes an idle one for each that waits: of the
/// network with the most connections, the one that has been idle for the longest time.
///
/// Its size is bounded by the number of connections.
package final class OpenConnections: Sendable {
  private struct State {
    var places: [ObjectIdentifier: Place] = [:]
    var counts: [ClientNetwork: Int] = [:]

    mutating func remove(_ place: Place) {
      guard places.removeValue(forKey: ObjectIdentifier(place)) != nil, let count = counts[place.network] else {
        return
      }
      counts[place.network] = count > 1 ? count - 1 : nil
    }

    /// Of the networks with idle connections the one with the most connections, and its longest idle connection.
    func longestIdle(except new: Place?) -> (Place, since: UInt64)? {
      var best: (place: Place, time: UInt64, count: Int)?
      for place in places.values {
        guard place !== new, let time = place.idleSince else { continue }
        let count = counts[place.network] ?? 0
        if let best, (best.count, time) > (count, best.time) { continue }
        best = (place, time, count)
      }
      return best.map { ($0.place, $0.time) }
    }
  }

  private let max: Int
  private let maxPerNetwork: Int?
  private let shed: Counter
  private let state = Mutex(State())
  /// Whether a connection waits and no idle one has been found yet.
  private let isRoomWanted = Atomic(false)

  /// - Parameters:
  ///   - max: maximum connections; more wait in the kernel's queue.
  ///   - maxPerNetwork: maximum connections of one network; nil without a limit.
  ///   - shed: counts the closed idle connections.
  package init(max: Int, maxPerNetwork: Int?, shed: Counter) {
    self.max = max
    self.maxPerNetwork = maxPerNetwork
    self.shed = shed
  }

  /// Adds a connection, which is idle until its first byte.
  /// - Parameter close: closes the connection; may be called on any thread.
  /// - Returns: nil if the network has reached its limit; nothing is added then.
  func add(_ network: ClientNetwork, close: @escaping @Sendable () -> Void) -> Place? {
    let place = state.withLock { state -> Place? in
      let count = state.counts[network, default: 0]
      if let maxPerNetwork, count >= maxPerNetwork { return nil }
      state.counts[network] = count + 1
      let place = Place(network, close)
      state.places[ObjectIdentifier(place)] = place
      return place
    }
    // Others may have been accepted and not added yet when room was wanted. The new one may be about to send.
    if let place { closeIdleConnection(except: place) }
    return place
  }

  /// Removes a connection that is closed. It does nothing for one that has been removed to make room.
  func remove(_ place: Place) {
    state.withLock { $0.remove(place) }
  }

  /// Notes that all requests of a connection have been answered.
  func rest(_ place: Place) {
    place.rest()
    closeIdleConnection()
  }

  /// Closes an idle connection now, or as soon as there is one.
  fileprivate func makeRoom() {
    isRoomWanted.store(true, ordering: .sequentiallyConsistent)
    closeIdleConnection()
  }

  /// Closes an idle connection if one is wanted.
  private func closeIdleConnection(except new: Place? = nil) {
    guard isRoomWanted.load(ordering: .sequentiallyConsistent) else { return }
    let place = state.withLock { state -> Place? in
      guard isRoomWanted.load(ordering: .sequentiallyConsistent) else { return nil }
      // A chosen connection may begin a request before it is taken.
      while let (place, time) = state.longestIdle(except: new) {
        guard place.take(idleSince: time) else { continue }
        isRoomWanted.store(false, ordering: .sequentiallyConsistent)
        state.remove(place)
        return place
      }
      return nil
    }
    guard let place else { return }
    shed.increment()
    place.close()
  }

  /// Accepts connections up to the maximum.
  package var admission: some AvailableConnectionsDelegate { Admission(self) }

  struct Admission: AvailableConnectionsDelegate {
    private let connections: OpenConnections
    private var count = 0

    init(_ connections: OpenConnections) { self.connections = connections }

    mutating func connectionOpened() { count += 1 }

    mutating func connectionClosed() { count -= 1 }

    /// The server asks again when a connection has been closed.
    func isAcceptingNewConnections() -> Bool {
      if count < connections.max {
        connections.isRoomWanted.store(false, ordering: .relaxed)
        return true
      }
      connections.makeRoom()
      return false
    }
  }

  /// A connection's entry.
  final class Place: Sendable {
    private static let inUse = UInt64.max
    private static let taken = UInt64.max - 1

    fileprivate let network: ClientNetwork
    fileprivate let close: @Sendable () -> Void
    /// Nanoseconds of uptime, or one of the two values above.
    private let idle: Atomic<UInt64>

    fileprivate init(_ network: ClientNetwork, _ close: @escaping @Sendable () -> Void) {
      self.network = network
      self.close = close
      idle = Atomic(NIODeadline.now().uptimeNanoseconds)
    }

    /// Notes the first byte of a request.
    /// - Returns: false if the connection is being closed to make room.
    func use() -> Bool {
      guard idle.exchange(Self.inUse, ordering: .sequentiallyConsistent) == Self.taken else { return true }
      idle.store(Self.taken, ordering: .sequentiallyConsistent)
      return false
    }

    fileprivate func rest() {
      _ = idle.compareExchange(
        expected: Self.inUse, desired: NIODeadline.now().uptimeNanoseconds, ordering: .sequentiallyConsistent)
    }

    /// The time since which it is idle; nil during a request.
    fileprivate var idleSince: UInt64? {
      let time = idle.load(ordering: .sequentiallyConsistent)
      return time < Self.taken ? time : nil
    }

    fileprivate func take(idleSince time: UInt64) -> Bool {
      idle.compareExchange(expected: time, desired: Self.taken, ordering: .sequentiallyConsistent).exchanged
    }
  }
}
