// SPDX-License-Identifier: Apache-2.0

import Accounts
import Storage

extension CommandContext {
  /// The key that encrypts this database's second factors.
  /// - Throws: ``CommandFailure`` if they are encrypted with another key.
  func accountKey() async throws -> AccountKey {
    let key = try folder.accountKey()
    guard try await stores.accounts.isKept(with: key.fingerprint) else {
      throw CommandFailure.failed(
        """
        The account key of this server does not match the second factors in this database. Set the matching key with \
        RINGFENCE_ACCOUNT_KEY or RINGFENCE_ACCOUNT_KEY_FILE, or copy account.key from another server's data folder or a \
        backup. If the key is lost, reset each account with a second factor with `ringfence account reset NAME`, and \
        start again.
        """)
    }
    return key
  }
}
