// SPDX-License-Identifier: Apache-2.0

public import CallerPack
import Support
public import OutboundHTTP

/// The problem of the key for a server that requires one.
public enum KeyFault: Sendable, Equatable {
  case none
  /// The given key is for another server, and was not sent.
  case isFor(WebOrigin)
  /// The server does not know the key, or it was revoked.
  case unknown
  case withoutScope
}

/// The reason why nothing was fetched; earlier files are unchanged.
public enum FetchError: Error, Sendable, CustomStringConvertible {
  case request(String, HTTPClientError)
  /// Another failure of the network or of the server; the text includes the remedy.
  case network(String)
  /// The manifest, or a file that it lists, is missing.
  case missing(String)
  /// The server requires an app's key.
  case key(_ server: String, KeyFault)
  case refused(UpdateError)
  /// Another process is fetching into this folder.
  case busy(String)
  case noSuchPack(String, offered: [String])
  /// None of the wanted packs is available in the format.
  case noSuchFormat(String, offered: [String])
  /// A local file or folder cannot be read or written.
  case cannotWrite(String)

  public var description: String {
    switch self {
    case .request(let address, let error):
      "\(address): \(error). Check the address and the network, then fetch again."
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
    case .noSuchPack(let name, let offered):
      offered.isEmpty
        ? "There is no pack \(name). This publication has no packs."
        : "There is no pack \(name). Use one of: \(Self.list(offered))."
    case .noSuchFormat(let name, let offered):
      offered.isEmpty
        ? "There is no format \(name). This publication has packs only. Leave --format out."
        : "There is no format \(name). Use one of: \(offered.joined(separator: ", "))."
    case .cannotWrite(let what): "\(what) Free space or correct its permissions, then fetch again."
    }
  }
}

extension FetchError {
  /// The first names, and the number of the others.
  private static func list(_ names: [String], limit: Int = 20) -> String {
    names.prefix(limit).joined(separator: ", ")
      + (names.count > limit ? " and \(names.count - limit) more, which the manifest lists" : "")
  }

  /// Runs work whose errors of documents and local files become errors of this type.
  static func converting<Result>(_ work: () async throws -> Result) async throws -> Result {
    do {
      return try await work()
    } catch let error as UpdateError {
      throw FetchError.refused(error)
    } catch let error as FileFailure {
      throw FetchError(error)
    }
  }

  static func check(_ file: String, _ path: String, sha256: String) throws {
    let digest = try PackDigest.ofFile(file).hex
    guard digest == sha256 else {
      throw UpdateError.wrongFile(path: path, expected: "SHA-256 \(sha256)", got: digest)
    }
  }
}
