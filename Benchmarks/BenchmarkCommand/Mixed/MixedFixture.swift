// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The publication of the server under load: the files that clients download.
struct MixedFixture: Sendable {
  /// A file of the publication.
  struct File: Sendable {
    let path: String
    /// The entity tag.
    let tag: String
  }

  private(set) var packs: [File] = []
  private(set) var deltas: [File] = []
  /// The manifest's entity tag; nil before the first publication.
  private(set) var manifestTag: String?

  /// The fields of the manifest's parts that the load needs; nothing is verified.
  private struct Envelope: Decodable { let payload: Data }
  private struct Head: Decodable { let bins: [String] }
  private struct Bin: Decodable { let packs: [String: String] }
  private struct Pack: Decodable {
    struct File: Decodable {
      let path: String
      let sha256: String
    }
    let path: String
    let sha256: String
    let deltas: [File]
  }

  /// Reads the newest publication of a server; empty when it has none.
  /// - Throws: ``CommandFailure`` when no server answers.
  init(of target: LoadTarget) throws {
    let client = BlockingHTTPClient(target: target)
    let answer = try client.get("/v1/manifest.json")
    guard answer.status == 200, let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(answer.body)),
      let head = try? JSONDecoder().decode(Head.self, from: envelope.payload)
    else { return }
    manifestTag = answer.field("ETag")
    for bin in head.bins {
      guard let bin = try Self.read(Bin.self, "bins/\(bin)", client) else { continue }
      for (_, description) in bin.packs.sorted(by: { $0.key < $1.key }) {
        guard let pack = try Self.read(Pack.self, "descriptions/\(description)", client) else { continue }
        packs.append(File(path: pack.path, tag: "\"\(pack.sha256)\""))
        deltas += pack.deltas.map { File(path: $0.path, tag: "\"\($0.sha256)\"") }
      }
    }
  }

  private static func read<Part: Decodable>(
    _ type: Part.Type, _ path: String, _ client: BlockingHTTPClient
  ) throws -> Part? {
    let answer = try client.get("/v1/\(path).json")
    return answer.status == 200 ? try? JSONDecoder().decode(Part.self, from: Data(answer.body)) : nil
  }
}
