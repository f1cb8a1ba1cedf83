public import CallerPack

/// Why nothing was fetched; what was held before stays.
public enum FetchError: Error, Sendable, CustomStringConvertible {
  /// The network, or the server's answer; says what to do.
  case network(String)
  /// A file that the manifest names, or the manifest itself, is not there.
  case missing(String)
  /// A document or file was refused.
  case refused(UpdateError)
  /// Another process fetches into this folder just now.
  case busy(String)
  /// None of the packs that are wanted is to be had in a format; those that there are.
  case noSuchFormat(String, offered: [String])
  /// A file or folder of ours cannot be read or written.
  case cannotWrite(String)

  /// What happened and what to do.
  public var description: String {
    switch self {
    case .network(let what): what
    case .missing(let address):
      "There is nothing at \(address). The address of a server ends in /v1, that of a folder where manifest.json lies."
    case .refused(let error): "\(error)"
    case .busy(let folder): "Another process is fetching into \(folder). Wait until it has finished."
    case .noSuchFormat(let name, let offered):
      offered.isEmpty
        ? "There is no format \(name): these packs come in no other. Leave --format out, or ask the publisher for it."
        : "There is no format \(name). These packs come in \(offered.joined(separator: ", "))."
    case .cannotWrite(let what): "\(what) Free space or mend its permissions, then fetch again."
    }
  }
}
