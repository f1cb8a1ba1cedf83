import Foundation
import WebClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What there is on the server to ask for.
struct MixedWorld: Sendable {
  /// A file of the publication.
  struct File: Sendable {
    let path: String
    let bytes: Int
    let tag: String
  }

  private(set) var packs: [File] = []
  private(set) var deltas: [File] = []
  /// The manifest's entity tag; nil before the first publication.
  private(set) var manifestTag: String?

  /// The manifest, as far as this needs it; nobody trusts it here.
  private struct Envelope: Decodable { let payload: Data }
  private struct Listed: Decodable {
    struct File: Decodable {
      let path: String
      let bytes: Int
      let sha256: String
    }
    struct Pack: Decodable {
      let path: String
      let bytes: Int
      let sha256: String
      let deltas: [File]
    }
    let packs: [Pack]
  }

  /// Looks at the newest publication.
  /// - Throws: ``CommandFailure`` when nobody answers.
  static func look(at target: LoadTarget) async throws -> MixedWorld {
    guard let url = URL(string: "http://\(target.authority)/v1/manifest.json") else { return MixedWorld() }
    let answer: (head: WebHead, body: Data)
    do {
      answer = try await WebClient().send(URLRequest(url: url), limit: 8 << 20)
    } catch {
      throw CommandFailure.failed("Nobody answers at \(target.authority).")
    }
    var world = MixedWorld()
    guard answer.head.status == 200, let envelope = try? JSONDecoder().decode(Envelope.self, from: answer.body),
      let manifest = try? JSONDecoder().decode(Listed.self, from: envelope.payload)
    else { return world }
    world.manifestTag = answer.head["ETag"]
    world.packs = manifest.packs.map { File(path: $0.path, bytes: $0.bytes, tag: "\"\($0.sha256)\"") }
    world.deltas = manifest.packs.flatMap(\.deltas).map {
      File(path: $0.path, bytes: $0.bytes, tag: "\"\($0.sha256)\"")
    }
    return world
  }
}
