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

  /// The fields of the manifest that the load needs; the signature is not verified.
  private struct Envelope: Decodable { let payload: Data }
  private struct Manifest: Decodable {
    struct File: Decodable {
      let path: String
      let sha256: String
    }
    struct Pack: Decodable {
      let path: String
      let sha256: String
      let deltas: [File]
    }
    let packs: [Pack]
  }

  /// Reads the newest publication of a server; empty when it has none.
  /// - Throws: ``CommandFailure`` when no server answers.
  init(of target: LoadTarget) throws {
    let answer = try BlockingHTTPClient(target: target).get("/v1/manifest.json")
    guard answer.status == 200, let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(answer.body)),
      let manifest = try? JSONDecoder().decode(Manifest.self, from: envelope.payload)
    else { return }
    manifestTag = answer.field("ETag")
    packs = manifest.packs.map { File(path: $0.path, tag: "\"\($0.sha256)\"") }
    deltas = manifest.packs.flatMap(\.deltas).map { File(path: $0.path, tag: "\"\($0.sha256)\"") }
  }
}
