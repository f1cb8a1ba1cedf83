// SPDX-License-Identifier: Apache-2.0

public import CallerPack

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The source of publications: the folder of a manifest, on a server or on disk.
public struct UpdateSource: Sendable {
  public let manifest: URL

  /// - Parameter text: a URL with http, https or file: of the folder, or of the manifest in it, which ends in
  ///   `manifest.json`.
  /// - Returns: nil for anything else, and for a URL with a name and password, which could appear in logs.
  public init?(_ text: String) {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
      ["http", "https", "file"].contains(scheme),
      scheme == "file" || !(url.host ?? "").isEmpty, url.user == nil, url.query == nil, url.fragment == nil
    else { return nil }
    let isManifest = url.lastPathComponent == "manifest.json"
    manifest = isManifest ? url : url.appendingPathComponent("manifest.json")
  }

  public var isFile: Bool { manifest.isFileURL }

  /// The server; nil for a local disk.
  public var origin: WebOrigin? { WebOrigin(manifest) }

  /// The URL of a file by its path relative to the manifest's folder.
  func url(_ path: String) -> URL {
    path == UpdateSession<Downloader>.manifestPath
      ? manifest : manifest.deletingLastPathComponent().appendingPathComponent(path)
  }
}

/// An app's key, for a server that requires one for publications. It is sent to that server only, and its text is never
/// shown.
public struct AppKey: Sendable, CustomStringConvertible {
  private let text: String
  public let origin: WebOrigin

  /// - Parameter text: the output of `ringfence app create`; nil for a text that cannot be a key: empty, more than
  /// 200 bytes, or other than printable ASCII without spaces.
  public init?(_ text: String, for origin: WebOrigin) {
    guard (1...200).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
    self.text = text
    self.origin = origin
  }

  var authorization: String { "Bearer \(text)" }

  public var description: String { "an app's key" }
}
