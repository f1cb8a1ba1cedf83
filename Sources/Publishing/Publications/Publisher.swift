import AsyncSupport
public import CallerPack
import CallerPackBuilder
public import Curation
public import Foundation
public import Logging
public import PostgreSQL
public import Storage

/// Makes a publication: selects, writes packs, deltas and other formats, looks at them, signs, and reveals them all at
/// once.
public struct Publisher: Sendable {
  let store: PublicationStore
  let folder: PublicationFolder
  let recipes: [Recipe]
  let selection: Selection
  let sources: ContentSources
  let signing: @Sendable () throws -> SigningKey
  let policy: PublicationPolicy
  let protection: @Sendable (PostgresConnection) async throws -> @Sendable (Int64) -> String?
  let holding: BrigadeReview?
  let logger: Logger

  /// - Parameters:
  ///   - recipes: which packs there are; names differ.
  ///   - selection: which numbers are listed.
  ///   - sources: where names and regions come from.
  ///   - signing: reads the key that signs the manifest, anew for each publication, for keys are changed beside a running
  ///     server; the folder's newest root lists it, or there is no root yet.
  ///   - protection: loads, from the snapshot that is published, what tells why a number may never be; nil for all others.
  ///   - holding: holds numbers that look like a brigade's before anything is selected; nil: nothing is held.
  public init(
    store: PublicationStore, folder: PublicationFolder, recipes: [Recipe] = Recipe.shipped,
    selection: Selection = Selection(), sources: ContentSources = ContentSources(),
    signing: @escaping @Sendable () throws -> SigningKey, policy: PublicationPolicy = PublicationPolicy(),
    protection: @escaping @Sendable (PostgresConnection) async throws -> @Sendable (Int64) -> String? = { _ in
      { _ in nil }
    },
    holding: BrigadeReview? = nil, logger: Logger
  ) {
    self.store = store
    self.folder = folder
    self.recipes = recipes
    self.selection = selection
    self.sources = sources
    self.signing = signing
    self.policy = policy
    self.protection = protection
    self.holding = holding
    self.logger = logger
  }

  /// Publishes the numbers as they stand at `time`, because somebody asked for it.
  /// - Throws: see ``publish(_:)``.
  public func publish(at time: Date) async throws -> Manifest {
    try await publish(PublicationRequest(time: time))
  }

  /// Publishes the numbers as they stand at the time that is asked for.
  ///
  /// The same snapshot of the database, time, serial, recipes, key, and files of the publications before give the same
  /// bytes. Killed at any moment it leaves the former publication whole; the next run clears what was left.
  /// - Throws: ``PublishingError``, `PackError`, or what the database said; the former publication stays.
  public func publish(_ request: PublicationRequest) async throws -> Manifest {
    try await locked { ground in
      try await run(
        request, on: ground,
        make: { work in try await makePacks(work) },
        remember: { connection, manifest in try await list(manifest, on: connection) })
    }
  }

  /// Runs `body` while nobody else publishes into the folder, which the database agrees with then.
  /// - Throws: ``PublishingError/busy``, and what `body` throws.
  func locked<Result: Sendable>(
    _ body: @Sendable (PublicationGround) async throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(ConcurrentQueueExecutor.publishing) {
      try folder.makeFolders()
      let lock = try folder.lock()
      defer { withExtendedLifetime(lock) {} }
      try await settleDeadRun()
      let former = try folder.manifest()
      return try await body(PublicationGround(former: former?.manifest, previous: try await heal(former)))
    }
  }

  /// Runs one attempt to the end that the database remembers.
  /// - Parameters:
  ///   - ground: what ``locked(_:)`` found; its lock is held until this returns.
  ///   - exempt: gates that do not apply.
  ///   - asOf: the moment the numbers were weighed at, where that is not the time of the request.
  ///   - make: makes the packs; they lie in the folder afterwards.
  ///   - remember: what the database is to remember with the publication, in the same transaction.
  func run(
    _ request: PublicationRequest, on ground: PublicationGround, exempt: Set<Gate> = [], asOf: Date? = nil,
    make: @escaping @Sendable (PublicationWork) async throws -> [PackDraft],
    remember: @escaping @Sendable (PostgresConnection, Manifest) async throws -> Void
  ) async throws -> Manifest {
    let signing = try signing()
    _ = try folder.root(for: signing, at: request.time)
    let claim = try await claim(request, after: ground.previous, asOf: asOf)
    let work = PublicationWork(
      request: request, claim: claim, former: ground.former, previous: ground.previous, asOf: asOf ?? request.time,
      signing: signing, progress: RunProgress(tell: request.progress))
    let heart = Task { await work.progress.report(to: store, claim) }
    defer { heart.cancel() }
    do {
      let manifest = try await finish(work, exempt: exempt, make: make, remember: remember)
      PendingClaim.forget(in: folder)
      return manifest
    } catch {
      await end(work, after: error)
      throw error
    }
  }

  private func claim(
    _ request: PublicationRequest, after previous: Manifest.Link?, asOf: Date?
  ) async throws -> PublicationClaim {
    let least = max(previous?.serial ?? 0, try await store.greatestSerial()) + 1
    let serial = request.serial ?? least
    guard serial >= least else { throw PublishingError.serialUsed(serial, least: least) }
    guard let claim = try await store.claim(serial, cause: request.cause, asOf: asOf ?? request.time) else {
      throw PublishingError.busy
    }
    try PendingClaim.keep(claim, in: folder)
    return claim
  }

  /// Remembers why nothing came of a run, also when its task was cancelled. The error itself is what counts: the database
  /// may be what failed, and then the next run in this folder finds the claim and tells it.
  private func end(_ work: PublicationWork, after error: any Error) async {
    var state = PublicationRun.State.failed
    var gates: [GateRecord] = []
    if case PublishingError.heldBack(let records) = error { (state, gates) = (.refused, records) }
    logger.error(
      "Nothing was published",
      metadata: [
        "publication.serial": .stringConvertible(work.claim.serial), "publication.state": "\(state.rawValue)",
        "error": "\(error)",
      ])
    let (result, failure, records) = (state, PublicationFailure(error), gates)
    let ending = Task { try await store.end(work.claim, as: result, failure: failure, gates: records) }
    if case .success = await ending.result { PendingClaim.forget(in: folder) }
  }
}

/// What the next publication follows, while the folder's lock is held.
struct PublicationGround: Sendable {
  /// The manifest in the folder.
  let former: Manifest?
  /// The publication that the next one follows; not always the one in the folder.
  let previous: Manifest.Link?
}

/// One attempt at a publication.
struct PublicationWork: Sendable {
  let request: PublicationRequest
  let claim: PublicationClaim
  /// The manifest in the folder.
  let former: Manifest?
  /// The publication that this one follows; not always the one in the folder.
  let previous: Manifest.Link?
  let asOf: Date
  /// Signs the manifest.
  let signing: SigningKey
  let progress: RunProgress

  var serial: Int64 { claim.serial }
}
