// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CallerPack
import Curation
import Foundation
import HTTPServer
import Intake
import Logging
import Publishing
import Storage
import Synchronization
import Support

struct PublishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish", abstract: "Make a publication: packs, deltas and a signed manifest.",
    discussion: """
      All data comes from one snapshot of the database. A publication becomes visible after it passes these gates: \
      readable, order, cap, protected, non-empty, size, churn. If a gate fails, the previous publication stays in place \
      and the exit code is 4. Numbers that a decision allows, that are protected or revoked, and numbers of suspended and \
      removed sources leave it anyway, and gates do not count them. A first list without numbers is published. You \
      can overrule non-empty, size and churn:

        ringfence publish --overrule churn --reason "First publication with the new list" --by Ada
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var options: PublicationOptions

  @Option(
    help: .value(
      "entries", "Maximum entries of a pack, 1 to \(Recipe.maxEntries); a lower limit of the recipe still applies."))
  var top = Recipe.maxEntries

  @Option(help: .value("time", "Evaluate numbers and date the publication as of this time (RFC 3339). Default: now."))
  var at: String?

  @Option(help: "Serial of the publication. Default: the next one. A used serial is refused.")
  var serial: Int64?

  @Flag(help: "Allow a time in --at so early that the publication has already expired.")
  var reproduce = false

  @Option(help: .value("gate", "Gate to overrule: non-empty, size or churn; can be repeated."))
  var overrule: [String] = []

  @Option(help: "Reason for overruling; required with --overrule.")
  var reason: String?

  @OptionGroup var audit: AuditOption

  @Flag(help: "Publish nothing; print how the packs would differ from the newest publication.")
  var preview = false

  func validate() throws {
    guard !preview || (serial == nil && overrule.isEmpty) else {
      throw ValidationError("--preview publishes nothing. Leave out --serial and --overrule.")
    }
    try check(top, "--top", in: 1...Recipe.maxEntries)
    guard serial ?? 1 >= 1 else { throw ValidationError("--serial is \(serial ?? 0). Use 1 or more.") }
    try validateOverrules()
    guard let at else { return }
    guard let time = Timestamp.parse(at) else {
      throw ValidationError("--at \"\(at)\" is not an RFC 3339 time. Write it as 2020-12-31T00:00:00Z.")
    }
    guard Decay.heat.scale(at: time).isNormal else {
      throw ValidationError("--at \(at) is out of range. Use a time from 1992 to 2068.")
    }
  }

  private func validateOverrules() throws {
    for name in overrule {
      guard let gate = Gate(rawValue: name) else {
        throw ValidationError(
          "There is no gate \(name). Use one of: \(Gate.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      guard gate.canBeOverruled else {
        throw ValidationError(
          "The gate \(name) cannot be overruled: phones would reject the publication, or it would break the law.")
      }
    }
    guard overrule.isEmpty || reason != nil && (audit.by ?? audit.byProgram) != nil else {
      throw ValidationError("--overrule needs --reason, and --by or --by-program.")
    }
    try checkReason(reason, atMost: TextLimit.overruling)
  }

  func run() async throws {
    let overrules = overrule.compactMap(Gate.init(rawValue:)).map {
      PublicationRequest.Overrule(gate: $0, reason: reason ?? "", by: audit.name)
    }
    let settings = try Settings(of: self)
    let policy = try PublicationPolicy(settings)
    let time = at.flatMap(Timestamp.parse) ?? Date()
    try validateLifetime(from: time, to: time + policy.lifetime)
    try await CommandContext.open(settings, as: audit) { context in
      if preview {
        let publisher = try context.publisher(policy, recipes: try settings.recipes, top: top, logger: .quiet)
        return show(try await publisher.preview(at: time))
      }
      let request = PublicationRequest(time: time, serial: serial, overrules: overrules)
      print(try await context.publish(request, policy, recipes: try settings.recipes, top: top))
      if let failure = try await context.afterPublish(logger: .quiet)?.run(waits: true) {
        throw CommandFailure.failed("The publication is made. \(failure)")
      }
    }
  }

  private func show(_ preview: (packs: [Publisher.Preview], weights: ClassWeights?)) {
    for pack in preview.packs {
      let changes = pack.changes
      let entries = changes.kept + changes.relabelled + changes.entered
      print(
        "\(pack.name): \(entries) entries, \(changes.entered) added, \(changes.left) removed"
          + (pack.isFormerDamaged ? "; its newest pack is missing or damaged" : ""))
    }
    for (kind, value, weight) in preview.weights?.all ?? [] {
      print("weight of \(kind.rawValue) \(value): \(PlainNumber.fixed(weight, places: 2))")
    }
  }

  private func validateLifetime(from time: Date, to end: Date) throws {
    guard let at, !reproduce, !preview else { return }
    guard time < Date() + 86_400 else {
      throw CommandFailure(
        description: """
          The publication of --at \(at) would be dated in the future, so clients would reject it. Leave --at out, or add \
          --reproduce to make it anyway.
          """, exitCode: 2)
    }
    guard end <= Date() else { return }
    throw CommandFailure(
      description: """
        The publication of --at \(at) would have expired at \(Timestamp.format(end)), so clients would reject it. Leave \
        --at out, or add --reproduce to make it anyway.
        """, exitCode: 2)
  }
}

/// The options of a publication, shared by every command that makes one.
struct PublicationOptions: ParsableArguments {
  @Option(\.recipes) var recipes: String?
  @Option(\.deltaBases) var deltaBases: String?
  @Option(\.validDays) var validDays: String?
  @Option(\.minSize) var minSize: String?
  @Option(\.maxSize) var maxSize: String?
  @Option(\.maxChurn) var maxChurn: String?
  @Option(\.tolerance) var tolerance: String?
  @Option(\.afterPublish) var afterPublish: String?
  @Option(\.webhook) var webhook: [String] = []
}

extension CommandContext {
  /// Runs the program of the setting `after-publish`; nil where there is none.
  func afterPublish(logger: Logger) throws -> AfterPublish? {
    let seconds = try folder.settings.afterPublishSeconds
    return try folder.settings.afterPublish.map { program in
      AfterPublish(
        program: program, limit: .seconds(seconds), folder: publicationFolder, dataFolder: folder.path,
        outbox: stores.outbox, logger: logger)
    }
  }

  /// - Parameters:
  ///   - recipes: the recipe file; nil takes the data folder's, or the one shipped with the program.
  ///   - top: maximum numbers in a pack, if that is less than its recipe's limit.
  func publisher(
    _ policy: PublicationPolicy, recipes: String?, top: Int = Recipe.maxEntries, logger: Logger
  ) throws -> Publisher {
    let folder = folder
    let recipes = recipeFile(named: recipes)
    // An unreadable key is reported at start instead of by the first publication.
    _ = try folder.signingKey()
    let publisher = Publisher(
      store: stores.publications, folder: publicationFolder,
      recipes: try Self.recipes(in: recipes(), top: top),
      sources: ContentSources(
        regions: { try await RegionStore.map(on: $0) },
        directory: { try await DirectoryStore.forEachEntry(at: $1, on: $0, $2) }),
      signing: { try folder.signingKey() }, policy: policy,
      protection: {
        let protected = try await ProtectionStore.load(on: $0)
        return ProtectionLookup(
          { protected.rule(for: $0).map { $0.operatorText ?? $0.code.name } },
          first: { protected.first(in: $0)?.number })
      }, holding: BrigadeReview(store: stores.holds), usefulness: usefulness, logger: logger)
    try publisher.checkRecipes()
    return publisher
  }

  /// The weights of classes by the counts of phones.
  private var usefulness: @Sendable (Date) async throws -> ClassWeights {
    let (store, folder) = (stores.remediations, folder)
    return { time in
      let figures = try await store.figures(at: time, bits: try folder.pseudonymizer().secret(for:))
      return ClassWeights(figures, means: try await store.meanNumbers())
    }
  }

  /// Finds the recipe file in force. A file that is gone for a moment must not be replaced by the shipped one.
  private func recipeFile(named file: String?) -> @Sendable () throws -> String {
    let (folder, installation) = (folder, installation)
    let former = Mutex<String?>(nil)
    return {
      try former.withLock { former in
        let path = Recipe.file(named: file, data: folder.path, installation: installation)
        if let former, former != path, former.hasPrefix(folder.path) {
          throw CommandFailure.unreadable(
            "The recipes file \(former) no longer exists. Restore it, or restart the server to use \(path).")
        }
        former = path
        return path
      }
    }
  }

  private static func recipes(in file: String, top: Int) throws -> [Recipe] {
    try Recipe.read(from: file).map { recipe in
      var recipe = recipe
      recipe.limit = min(recipe.limit, top)
      return recipe
    }
  }

  /// Publishes with a progress bar and returns the result as text.
  /// - Throws: ``CommandFailure`` with exit code 4 if a gate refuses the publication.
  func publish(
    _ request: PublicationRequest, _ policy: PublicationPolicy = PublicationPolicy(), recipes: String? = nil,
    top: Int = Recipe.maxEntries
  ) async throws -> String {
    let publisher = try publisher(policy, recipes: recipes, top: top, logger: .quiet)
    let texts = try installation.englishTexts()
    let meter = ProgressMeter(title: "Publishing", total: 100, unit: .items("%"), output: progressOutput())
    defer { meter.finish() }
    var request = request
    request.progress = { step, part in
      meter.update(done: UInt64(part * 100), detail: texts.message("jobs.step", step))
    }
    do {
      let manifest = try await publish(request, by: publisher)
      let packs = manifest.packs.map { pack in
        let delta = pack.deltas.first.map { ", \($0.bytes) from publication \($0.fromSerial)" } ?? ""
        return "  \(publicationFolder.filePath(pack.path)): \(TextFormat.count(pack.entries, "number")), "
          + "\(pack.bytes) bytes\(delta)"
      }
      var lines = ["Publication \(manifest.serial)"] + packs
      if manifest.packs.allSatisfy({ $0.entries == 0 }) {
        let reasons = try await stores.firstSteps.read().reasons.map { texts.message("home.reason", $0) }
        lines.append("The list is empty. \(reasons.joined(separator: " "))")
      }
      let gates = try await stores.publications.history(limit: 1).first?.gates ?? []
      lines += gates.filter(\.hasRulesWithoutRoom).map { line($0, texts) }
      return lines.joined(separator: "\n")
    } catch let error as PublishingError {
      guard case .heldBack(let gates) = error else { throw error }
      let lines = gates.closed.map { line($0, texts) }
      let reason = texts.message("publications.failure", PublicationFailure(error))
      throw CommandFailure(description: ([reason] + lines).joined(separator: "\n"), exitCode: 4)
    }
  }

  /// Waits for another process that publishes, such as a server that takes a number back, up to a minute.
  private func publish(_ request: PublicationRequest, by publisher: Publisher) async throws -> Manifest {
    let end = ContinuousClock.now + .seconds(60)
    while true {
      do {
        return try await publisher.publish(request)
      } catch PublishingError.busy where ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  private func line(_ record: GateRecord, _ texts: Localizer) -> String {
    let finding = texts.message("publications.finding", record.finding)
    return "  \(record.gate)\(record.pack.isEmpty ? "" : " (\(record.pack))"): \(finding)"
  }
}
