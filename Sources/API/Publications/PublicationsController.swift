// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import PhoneNumbers
import Publishing
import Storage
import Support

/// Serves the files of the publication folder under `/v1/`: the manifest, the roots, packs, deltas, and packs in other
/// formats.
struct PublicationsController: Sendable {
  let folder: PublicationFolder
  let files: FileAnswer
  let newest: NewestManifest
  let fetches: ClientFetchCounter

  private static let statement = HTTPField.Name(ClientStatement.field)!

  /// `GET /v1/manifest.json`: the newest publication's manifest, unchanged.
  @Sendable func manifest(_ request: Request, context: ServerRequestContext) async throws -> Response {
    if let told = request.headers[Self.statement].flatMap(ClientStatement.init) {
      fetches.note(ClientFetch(product: told.product.name, version: told.product.version, serial: told.serial))
    }
    return try await files.answer(folder.manifestPath, freshness: .checked, to: request, context: context)
  }

  /// `GET /v1/root.json`: the newest root.
  @Sendable func newestRoot(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await files.answer("\(folder.path)/root.json", freshness: .checked, to: request, context: context)
  }

  /// `GET /v1/FOLDER/{file}`: a file that never changes, so that caches may keep it.
  func files(in folder: String) -> @Sendable (Request, ServerRequestContext) async throws -> Response {
    { request, context in
      let file = try context.parameters.require("file")
      guard Self.isPublished(file) else { throw Problem.notFound }
      // A file is served even if the manifest is damaged.
      let known = try? await newest.file("\(folder)/\(file)")
      return try await files.answer(
        "\(self.folder.path)/\(folder)/\(file)", known: known, freshness: .forEver, to: request, context: context)
    }
  }

  /// Whether a published file can have the name. Such names cannot leave the folder and are not temporary files.
  static func isPublished(_ file: String) -> Bool {
    let isPlain = { (byte: UInt8) in (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) }
    guard (1...120).contains(file.utf8.count), let first = file.utf8.first, isPlain(first) else { return false }
    return file.utf8.allSatisfy { isPlain($0) || "-_.".utf8.contains($0) } && !file.hasSuffix(".tmp")
  }
}

/// `GET /v1/numbers/{number}/publications`: since when the packs contain a number, or do not.
struct NumberPublicationsController: Sendable {
  let newest: NewestManifest
  let histories: PackHistories
  let explanations: ExplanationStore
  let protection: ProtectionStore
  let interfaces: PublicationInterfaces

  @Sendable func history(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let number = try NumbersController.number(try context.parameters.require("number"))
    guard let manifest = try await newest.manifest() else { throw Problem.nothingPublished }
    guard let history = await histories.history(of: number.digits, manifest: manifest) else {
      throw Problem.unavailable
    }
    let explanation = try await withDeadline { [explanations] in
      try await explanations.explainCoarsely(number.digits, at: Date())
    }
    // Like a number that was never listed: nothing tells a stranger that its owner has asked.
    let isSuppressed = try await withDeadline { [protection] in
      try await protection.isSuppressed(number.digits)
    }
    var response = JSON.response(
      NumberPublications(
        number.digits, history, places: isSuppressed ? [] : history.places, lists: explanation.lists.values.sorted(),
        copies: PublicationCopy.all(of: manifest, interfaces: interfaces)))
    response.headers[.cacheControl] = "private, max-age=\(PublicationCopy.lookupSeconds)"
    return response
  }
}

struct NumberPublications: Encodable {
  /// Since when a pack contains the number, or does not.
  struct Pack: Encodable {
    let pack: String
    let state: String
    let serial: Int64
    let since: String
    let isExact: Bool

    private enum CodingKeys: String, CodingKey {
      case pack, state, serial, since
      case isExact = "is_exact"
    }
  }

  /// How old the copy of a client may be.
  struct Copy: Encodable {
    let interface: String
    let longestSeconds: Int?

    private enum CodingKeys: String, CodingKey {
      case interface
      case longestSeconds = "longest_seconds"
    }
  }

  let number: String
  let serial: Int64
  let earliestSerial: Int64
  let packs: [Pack]
  let lists: [String]
  let copies: [Copy]

  private enum CodingKeys: String, CodingKey {
    case number, serial, packs, lists, copies
    case earliestSerial = "earliest_serial"
  }

  init(
    _ number: Int64, _ history: PackHistory, places: [PackHistory.Place], lists: [String], copies: [PublicationCopy]
  ) {
    self.number = "+\(number)"
    serial = history.serial
    earliestSerial = history.earliest
    packs = places.map {
      Pack(
        pack: $0.pack, state: $0.state.rawValue, serial: $0.serial, since: Timestamp.format($0.time),
        isExact: $0.isExact)
    }
    self.lists = lists
    self.copies = copies.map { Copy(interface: $0.interface, longestSeconds: $0.seconds) }
  }
}
