// SPDX-License-Identifier: Apache-2.0

import Crypto
package import Curation
import Foundation
public import Storage

/// Encrypts messages with codes of owners while they wait in the database, so that a reader of a replica or a backup of it
/// learns no code. The key is a secret of the pseudonym key, which also hashes the codes.
public struct OwnerCodeMessage: Sendable {
  private let key: SymmetricKey

  public init(pseudonymizer: Pseudonymizer) {
    key = SymmetricKey(data: pseudonymizer.secret(for: "messages with owner codes"))
  }

  private struct Sealed: Codable {
    let sealed: String
  }

  /// The event as it is stored: a JSON object with the ciphertext of its body.
  package func sealing(_ event: Event) throws -> Event {
    let sealed = Sealed(sealed: try RightsService.sealed(Data(event.body.utf8), key))
    return Event(event, body: String(decoding: try JSONEncoder().encode(sealed), as: UTF8.self))
  }

  /// The body that a receiver gets; nil for a message of another pseudonym key. Other messages are stored as they are sent.
  public func body(of message: OutboxMessage) -> String? {
    guard message.isSecret, let stored = try? JSONDecoder().decode(Sealed.self, from: Data(message.body.utf8)) else {
      return message.body
    }
    return (try? RightsService.opened(stored.sealed, key)).map { String(decoding: $0, as: UTF8.self) }
  }
}
