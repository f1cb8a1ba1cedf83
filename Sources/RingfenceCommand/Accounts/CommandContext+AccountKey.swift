import Accounts
import Storage

extension CommandContext {
  /// The key that this database's second factors are kept with.
  /// - Throws: ``CommandFailure`` when they are kept with another one than this server has.
  func accountKey() async throws -> AccountKey {
    let key = try folder.accountKey()
    guard try await stores.accounts.isKept(with: key.fingerprint) else {
      throw CommandFailure.failed(
        """
        The account key of this server is not the one that this database's second factors are kept with. Give it that \
        key: with RINGFENCE_ACCOUNT_KEY or RINGFENCE_ACCOUNT_KEY_FILE, or by copying account.key from the data folder of \
        the server that has it, or from a backup. If it is lost, take away each second factor with \
        `ringfence account reset NAME`, and start again.
        """)
    }
    return key
  }
}
