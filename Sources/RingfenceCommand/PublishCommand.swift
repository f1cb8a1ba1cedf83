import Timestamps
import ArgumentParser
import CallerPack
import Curation
import Foundation
import Intake
import Publishing

/// `ringfence publish`
struct PublishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish", abstract: "Write the packs of the hottest numbers and make them visible at once.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "The most numbers in a pack, 1 to 1999999, where that is fewer than its recipe says.")
  var top = Recipe.mostEntries

  @Option(help: "Weigh the numbers as of this time (RFC 3339) instead of now.")
  var at: String?

  func validate() throws {
    guard (1...Recipe.mostEntries).contains(top) else { throw ValidationError("--top is 1 to 1999999.") }
    guard let at else { return }
    guard let time = Timestamp.parse(at) else {
      throw ValidationError("--at is an RFC 3339 time, such as 2020-12-31T00:00:00Z.")
    }
    guard Decay.heat.scale(at: time).isNormal else { throw ValidationError("--at lies between 1992 and 2068.") }
  }

  func run() async throws {
    try await Workplace.open(database, owns: false, logger: .quiet) { workplace in
      print(try await workplace.publish(at: at.flatMap(Timestamp.parse) ?? Date(), top: top))
    }
  }
}

extension Workplace {
  /// Publishes, with a progress line, and says what came of it.
  func publish(at time: Date, top: Int = Recipe.mostEntries) async throws -> String {
    let recipes = Recipe.shipped.filter { $0.source == .reports }.map {
      Recipe(name: $0.name, kind: $0.kind, limit: min($0.limit, top))
    }
    let publisher = Publisher(
      store: publications, folder: publicationFolder, recipes: recipes, signing: try folder.signingKey(),
      logger: .quiet)
    let step = Step("Publishing")
    defer { step.finish() }
    let manifest = try await publisher.publish(PublicationRequest(time: time, progress: { text, _ in step.say(text) }))
    let packs = manifest.packs.map { pack in
      "  \(publicationFolder.path)/\(pack.path): \(pack.entries) numbers, \(pack.bytes) bytes"
    }
    return (["Publication \(manifest.serial)"] + packs).joined(separator: "\n")
  }
}
