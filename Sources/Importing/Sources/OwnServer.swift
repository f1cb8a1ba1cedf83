// SPDX-License-Identifier: Apache-2.0

import Curation
import Storage

/// The id of this server, which other servers know as an origin.
struct OwnServer: Sendable {
  /// Nil before the first publication, and while it is not known.
  let id: String?
  /// False where the server has published, and its publication folder has no first root.
  let isKnown: Bool

  /// - Parameter serverID: reads the id from the publication folder.
  init(_ serverID: @Sendable () throws -> String?, _ stores: Stores) async throws {
    do {
      id = try serverID()
    } catch {
      (id, isKnown) = (nil, false)
      return
    }
    if id == nil { isKnown = try await stores.publications.latest() == nil } else { isKnown = true }
  }

  /// The rule for the rows of another server's evidence file.
  func rule(for publisher: String, among subscriptions: [Subscription]) -> ProvenanceOrigins {
    // A new subscription displaces nothing before its entries are stored.
    let subscribed = subscriptions.filter { $0.isRead }.compactMap(\.serverID)
    return ProvenanceOrigins(own: id, isOwnKnown: isKnown, publisher: publisher, subscribed: Set(subscribed))
  }
}
