// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Storage
import Synchronization

/// Counts requests for the manifest by what clients say of themselves, until the counts are stored: no request waits for
/// that. Strangers can say anything, so only so many statements of an hour are told apart; the rest is counted together.
public final class ClientFetchCounter: Sendable {
  private struct State {
    var counts: [ClientFetch: Int] = [:]
    /// The statements of the present hour that are told apart.
    var known: Set<ClientFetch> = []
    var hour = 0
  }

  static let most = 1_000
  private let state = Mutex(State())

  public init() {}

  public func note(_ fetch: ClientFetch, at time: Date = Date()) {
    let hour = Int(time.timeIntervalSince1970 / 3_600)
    state.withLock { state in
      if state.hour != hour { (state.hour, state.known) = (hour, []) }
      let isKnown = state.known.contains(fetch) || state.known.count < Self.most
      if isKnown { state.known.insert(fetch) }
      state.counts[isKnown ? fetch : ClientFetch(product: "", version: "", serial: 0), default: 0] += 1
    }
  }

  /// The counts since the last call.
  public func take() -> [ClientFetch: Int] {
    state.withLock { state in
      defer { state.counts = [:] }
      return state.counts
    }
  }

  /// Puts counts back that could not be stored.
  public func putBack(_ taken: [ClientFetch: Int]) {
    state.withLock { $0.counts.merge(taken, uniquingKeysWith: +) }
  }
}
