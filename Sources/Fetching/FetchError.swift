public import CallerPack

/// The reason why a server did not accept the key.
public enum KeyFault: Sendable, Equatable {
  /// None was given.
  case none
  /// The one that was given is for another server, and was not sent.
  case isFor(WebOrigin)
  /// The server does not know it, or it was revoked.
  case unknown
  /// It may not fetch.
  case withoutScope
}

/// Why nothing was fetched; what was held before stays.
public enum FetchError: Error, Sendable, CustomStringConvertible {
  /// The network, or the server's answer; says what to do.
  case network(String)
  /// A file that the manifest names, or the manifest itself, is not there.
  case missing(String)
  /// The server wants an app's key.
  case key(_ server: String, KeyFault)
  /// A document or file was refused.
  case refused(UpdateError)
  /// Another process fetches into this folder just now.
  case busy(String)
  /// None of the packs that are wanted is to be had in a format; those that there are.
  case noSuchFormat(String, offered: [String])
  /// A file or folder of ours cannot be read or written.
  case cannotWrite(String)

  /// The error and the next step.
  public var description: String {
    switch self {
    case .network(let what): what
    case .missing(let address):
      "There is no file at \(address). The address of a server ends in /v1. The address of a folder is the folder with manifest.json."
    case .key(let server, let fault):
      switch fault {
      case .none:
        "\(server) requires an API key. Pass --app-key-file, or set RINGFENCE_APP_KEY and RINGFENCE_APP_ORIGIN. "
          + "The server's operator creates a key with: ringfence app create NAME --scopes fetch"
      case .isFor(let origin):
        "\(server) requires an API key. RINGFENCE_APP_KEY was not sent, because RINGFENCE_APP_ORIGIN is \(origin). "
          + "Check both addresses, or pass another key with --app-key-file."
      case .unknown:
        "\(server) does not accept this API key: it is unknown or revoked. Ask the server's operator for a new key."
      case .withoutScope:
        "This API key has no scope fetch on \(server). Ask the server's operator to add it."
      }
    case .refused(let error): "\(error)"
    case .busy(let folder): "Another process is fetching into \(folder). Wait until it has finished."
    case .noSuchFormat(let name, let offered):
      offered.isEmpty
        ? "There is no format \(name). This publication has packs only. Leave --format out."
        : "There is no format \(name). Use one of: \(offered.joined(separator: ", "))."
    case .cannotWrite(let what): "\(what) Free space or correct its permissions, then fetch again."
    }
  }
}
