import Localization
import Storage

extension CommandContext {
  /// The messages of the command line, which are in English.
  /// - Throws: `MessageCatalogError`.
  func texts() throws -> Localizer { try MessageCatalog(folder: installation.texts)[.english] }

  /// The failure of a command whose decision was refused.
  /// - Throws: `MessageCatalogError`.
  func failure(_ error: DecisionError) throws -> CommandFailure {
    switch error {
    case .stale: .failed("\(error)")
    case .protected(let reason):
      .failed(
        """
        The number is protected: \(try texts().message(reason)). It can be neither blocked nor identified. If that is \
        wrong, remove the protection first with: ringfence protect remove
        """)
    }
  }
}
