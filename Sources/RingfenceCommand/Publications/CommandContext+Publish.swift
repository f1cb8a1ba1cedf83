import CallerPack
import Curation
import Foundation
import Localization
import Logging
import Publishing
import Storage

extension CommandContext {
  /// A publisher into this context's folder.
  /// - Parameters:
  ///   - file: of recipes; nil takes that of the data folder, or the one that comes with the program.
  ///   - top: the most numbers in a pack, where that is fewer than its recipe says.
  func publisher(
    policy: PublicationPolicy, recipes file: String? = nil, top: Int = Recipe.mostEntries, logger: Logger
  ) throws -> Publisher {
    let file = Recipe.file(named: file, data: folder.path, installation: installation)
    let recipes = try Recipe.read(from: file).map { recipe in
      var recipe = recipe
      recipe.limit = min(recipe.limit, top)
      return recipe
    }
    let folder = folder
    // A key that cannot be read is said now, and not in the night.
    _ = try folder.signingKey()
    return Publisher(
      store: stores.publications, folder: publicationFolder, recipes: recipes,
      sources: ContentSources(
        regions: { try await RegionStore.map(on: $0) },
        directory: { try await DirectoryStore.forEachEntry(at: $1, on: $0, $2) }),
      signing: { try folder.signingKey() }, policy: policy,
      protection: {
        let protected = try await ProtectionStore.load(on: $0)
        return { protected.rule(for: $0).map { $0.operatorText ?? $0.code.rawValue } }
      }, holding: BrigadeReview(store: stores.holds), logger: logger)
  }

  /// Publishes, with a progress bar, and says what came of it.
  /// - Throws: ``CommandFailure`` with the exit code 4 when a gate holds the publication back.
  func publish(
    _ request: PublicationRequest, policy: PublicationPolicy = PublicationPolicy(), recipes: String? = nil,
    top: Int = Recipe.mostEntries
  ) async throws -> String {
    let publisher = try publisher(policy: policy, recipes: recipes, top: top, logger: .quiet)
    let texts = try installation.englishTexts()
    let meter = ProgressMeter(title: "Publishing", total: 100, unit: .items("%"), output: progressOutput())
    defer { meter.finish() }
    var request = request
    request.progress = { step, part in
      meter.update(done: UInt64(part * 100), detail: texts.message("jobs.step", step))
    }
    do {
      let manifest = try await publisher.publish(request)
      let packs = manifest.packs.map { pack in
        let delta = pack.deltas.first.map { ", \($0.bytes) from publication \($0.fromSerial)" } ?? ""
        return "  \(publicationFolder.filePath(pack.path)): \(pack.entries) numbers, \(pack.bytes) bytes\(delta)"
      }
      return (["Publication \(manifest.serial)"] + packs).joined(separator: "\n")
    } catch let error as PublishingError {
      guard case .heldBack(let gates) = error else { throw error }
      let lines = gates.closed.map { record in
        let finding = texts.message("publications.finding", record.finding)
        return "  \(record.gate)\(record.pack.isEmpty ? "" : " (\(record.pack))"): \(finding)"
      }
      let reason = texts.message("publications.failure", PublicationFailure(error))
      throw CommandFailure(description: ([reason] + lines).joined(separator: "\n"), exitCode: 4)
    }
  }
}
