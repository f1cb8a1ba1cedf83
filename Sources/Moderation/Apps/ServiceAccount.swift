// SPDX-License-Identifier: Apache-2.0

import Curation
package import Storage

extension App {
  /// The account that a key with the scope moderate or administer acts as; nil for a key without them.
  ///
  /// Its name begins with `app:`, so that the audit log and claims distinguish it from accounts of people.
  package var serviceAccount: Actor? {
    guard !scopes.isDisjoint(with: [.moderate, .administer]) else { return nil }
    let name = TextLimit.author("app:\(name)")
    return Actor(name: name, role: scopes.contains(.administer) ? .administrator : .moderator)
  }
}
