public import CallerPack
import CallerPackBuilder
public import Curation
public import Foundation
public import Logging
public import Storage

/// Makes a publication: selects, writes packs, reads them back, and reveals them all at once.
public struct Publisher: Sendable {
  private let store: PublicationStore
  private let folder: PublicationFolder
  private let recipes: [Recipe]
  private let signing: SigningKey
  private let selection: Selection
  private let logger: Logger

  /// How many publications' packs stay, so that a reader that has just read an older manifest still finds its packs.
  public static let keptPublications: Int64 = 14

  /// How long a publication is good for, in seconds: two days, so that one missed night is no alarm.
  public static let lifetime: TimeInterval = 2 * 86_400

  /// - Parameters:
  ///   - recipes: one pack each; names differ.
  ///   - selection: which numbers are listed.
  ///   - signing: signs the manifest; the folder's newest root lists it, or there is no root yet.
  public init(
    store: PublicationStore, folder: PublicationFolder,
    recipes: [Recipe] = Recipe.shipped.filter { $0.source == .reports },
    selection: Selection = Selection(), signing: SigningKey, logger: Logger
  ) {
    self.store = store
    self.folder = folder
    self.recipes = recipes
    self.signing = signing
    self.selection = selection
    self.logger = logger
  }

  /// Publishes the numbers as they stand at `time`. The same data, serial and time give the same bytes.
  ///
  /// Killed at any moment it leaves the former publication whole; the next run clears what was left.
  /// - Parameter progress: told what is being done.
  /// - Throws: ``PublishingError``, `PackError`, or what the database said; the former publication stays.
  public func publish(
    at time: Date, progress: @Sendable (String) -> Void = { _ in }
  ) async throws -> Manifest {
    try FileManager.default.createDirectory(atPath: "\(folder.path)/packs", withIntermediateDirectories: true)
    let lock = try FolderLock(folder: folder.path)
    defer { withExtendedLifetime(lock) {} }
    let former = try folder.manifest()
    let recorded = try await store.latest()
    let serial = max(former?.manifest.serial ?? 0, recorded?.serial ?? 0) + 1
    // Whole seconds, as the manifest has them: what is weighed and what is said are the same moment.
    let time = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
    _ = try folder.root(for: signing, at: time)
    try folder.sweep(newest: serial - 1, keeping: Self.keptPublications)

    var packs: [ManifestPack] = []
    for recipe in recipes {
      progress("Writing the pack \(recipe.name)")
      packs.append(try await write(recipe, serial: serial, time: time))
    }
    try DurableFile.flush("\(folder.path)/packs")
    let manifest = Manifest(
      serial: serial, issued: time, asOf: time, expires: time.addingTimeInterval(Self.lifetime),
      previous: former?.link, packs: packs)
    let digest = try folder.reveal(manifest, signedBy: signing)
    try await store.record(
      Publication(serial: serial, publishedAt: Date(), asOf: time, manifestSHA256: digest.bytes))
    logger.info(
      "published",
      metadata: [
        "publication.serial": .stringConvertible(serial),
        "pack.entries": .stringConvertible(packs.reduce(0) { $0 + $1.entries }),
        "size_bytes": .stringConvertible(packs.reduce(0) { $0 + $1.bytes }),
      ])
    return manifest
  }

  private func write(_ recipe: Recipe, serial: Int64, time: Date) async throws -> ManifestPack {
    let file = PublicationFolder.packFile(name: recipe.name, serial: serial)
    let path = folder.packPath(file)
    let work = try PackWork(path: path, recipe: recipe, serial: serial, time: time)
    do {
      try await store.withSnapshot { connection in
        try await selection.forEachListed(at: time, on: connection) { await work.take($0) }
      }
      try await work.append(hottest: recipe.limit)
    } catch {
      await work.cancel()
      throw error
    }
    let summary = try await work.finish()
    let reader = try PackReader.open(path: path)
    try reader.verify()
    guard reader.header.entryCount == summary.entries else {
      throw PublishingError.notWhatWasWritten(
        pack: recipe.name, expected: summary.entries, got: reader.header.entryCount)
    }
    return ManifestPack(
      name: recipe.name, kind: recipe.kind.rawValue, serial: serial, entries: summary.entries, first: summary.first,
      last: summary.last, bytes: summary.bytes, sha256: summary.sha256.hex,
      contentSHA256: try reader.contentDigest().hex, path: "packs/\(file)")
  }
}

/// A pack in the making.
private actor PackWork {
  private let writer: PackWriter
  private let kind: Recipe.Kind
  private var listed: [(heat: Double, number: Int64, category: ReportCategory)] = []

  init(path: String, recipe: Recipe, serial: Int64, time: Date) throws {
    kind = recipe.kind
    writer = try PackWriter(
      path: path,
      options: PackWriter.Options(
        kind: recipe.kind == .blocking ? .blocking : .identification, serial: UInt64(serial),
        createdAt: Int64(time.timeIntervalSince1970)))
  }

  func take(_ numbers: [ListedNumber]) {
    for number in numbers { listed.append((number.heat, number.number, number.category)) }
  }

  func append(hottest limit: Int) throws {
    if listed.count > limit {
      listed.sort { ($1.heat, $0.number) < ($0.heat, $1.number) }
      listed.removeSubrange(limit...)
      listed.sort { $0.number < $1.number }
    }
    for (_, number, category) in listed {
      switch kind {
      case .blocking: try writer.append(number)
      case .identification: try writer.append(number, label: category.label)
      }
    }
    listed = []
  }

  func finish() throws -> PackSummary { try writer.finish() }

  func cancel() { writer.cancel() }
}
