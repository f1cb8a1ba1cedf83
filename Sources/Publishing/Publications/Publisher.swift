// SPDX-License-Identifier: Apache-2.0

import ServerSupport
public import CallerPack
import CallerPackBuilder
public import Curation
public import Foundation
public import Logging
import Moderation
public import PostgreSQL
public import Storage
import Synchronization

/// Makes a publication: selects numbers, writes packs, deltas and other formats, checks the gates, signs the manifest
/// and makes all files visible at once.
public struct Publisher: Sendable {
  package let store: PublicationStore
  let folder: PublicationFolder
  let recipes: CurrentRecipes
  let selection: Selection
  let sources: ContentSources
  let signing: @Sendable () throws -> SigningKey
  let policy: PublicationPolicy
  let protection: @Sendable (PostgresConnection) async throws -> ProtectionLookup
  let holding: BrigadeReview?
  let usefulness: @Sendable (Date) async throws -> ClassWeights
  let failures = PublicationFailures()
  let logger: Logger

  /// - Parameters:
  /// - recipes: the definitions of the packs; their names differ. Evaluated for each publication.
  /// - selection: selects the listed numbers.
  /// - sources: the directory's names and the regions.
  /// - signing: reads the key that signs the manifest, again for each publication, because keys may change while the
  ///   server runs. The folder's newest root must list the key, unless there is no root yet.
  /// - protection: loads from the snapshot a function that returns the reason why a number is protected, or nil.
  /// - holding: reviews candidates for brigades before the selection; nil holds nothing.
  /// - usefulness: the weights of classes at a time, for recipes with `rank: useful`.
  public init(
    store: PublicationStore, folder: PublicationFolder,
    recipes: @autoclosure @escaping @Sendable () throws -> [Recipe] = Recipe.shipped,
    selection: Selection = Selection(), sources: ContentSources = ContentSources(),
    signing: @escaping @Sendable () throws -> SigningKey, policy: PublicationPolicy = PublicationPolicy(),
    protection: @escaping @Sendable (PostgresConnection) async throws -> ProtectionLookup = { _ in .none },
    holding: BrigadeReview? = nil,
    usefulness: @escaping @Sendable (Date) async throws -> ClassWeights = { _ in ClassWeights() }, logger: Logger
  ) {
    self.store = store
    self.folder = folder
    self.recipes = CurrentRecipes(recipes)
    self.selection = selection
    self.sources = sources
    self.signing = signing
    self.policy = policy
    self.protection = protection
    self.holding = holding
    self.usefulness = usefulness
    self.logger = logger
  }

  /// Reads the recipes, so that errors are found before the first publication.
  /// - Throws: the errors of reading.
  public func checkRecipes() throws { _ = try recipes.current() }

  /// Publishes the numbers at `time` on request of an operator.
  /// - Throws: see ``publish(_:)``.
  public func publish(at time: Date) async throws -> Manifest {
    try await publish(PublicationRequest(time: time))
  }

  /// Publishes the numbers at the requested time.
  ///
  /// The same snapshot of the database, time, serial, recipes, key and earlier files give the same bytes. If the
  /// process is killed, the previous publication stays complete, and the next run removes the remains. If gates refuse
  /// the publication, numbers that leave for a reason are removed from the previous one.
  /// - Throws: ``PublishingError``, `PackError` or a database error; the previous publication stays.
  public func publish(_ request: PublicationRequest) async throws -> Manifest {
    try await locked { ground in
      // The snapshot must not have them. Not at a time in the future: an end cannot be taken back.
      _ = try await DecisionService(pool: store.pool).expire(at: min(request.time, Date()))
      let made = Mutex(MadePacks())
      do {
        return try await run(
          request, on: ground,
          make: { work in
            let packs = try await makePacks(work)
            made.withLock { $0 = packs }
            return packs.drafts
          },
          remember: { connection, manifest in
            try await list(manifest, on: connection)
            try await made.withLock(\.sources).settle(on: connection)
          })
      } catch PublishingError.heldBack(let gates) {
        // An error is in the log. The numbers leave with the next publication then.
        try? await withdraw(made.withLock(\.drafts), request, on: ground)
        throw PublishingError.heldBack(gates)
      }
    }
  }

  /// Whether the last attempt of this process failed.
  package var isFailing: Bool { failures.isFailing }

  /// Runs `body` while no other process publishes into the folder and the database agrees with it. Receivers get an
  /// event about a failure; the event of gates is part of the run's end.
  /// - Throws: ``PublishingError/busy``, and the errors of `body`.
  func locked<Result: Sendable>(
    _ body: @Sendable (PublicationBase) async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await alone(body)
      failures.succeed()
      return result
    } catch {
      switch error {
      case PublishingError.busy, PublishingError.heldBack: break
      default:
        if error is CancellationError || Task.isCancelled { break }
        let cause = FailureCause(error, hasKey: (try? signing()) != nil, folder: folder.path)
        let newest = try? await store.latest()?.serial
        await failures.record(PublicationFailures.event(cause, error, after: newest, at: Date()), in: outbox)
      }
      throw error
    }
  }

  private var outbox: OutboxStore { OutboxStore(pool: store.pool) }

  private func alone<Result: Sendable>(
    _ body: @Sendable (PublicationBase) async throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(ConcurrentQueueExecutor.publishing) {
      await failures.tell(outbox)
      try folder.makeFolders()
      let lock = try folder.lock()
      defer { withExtendedLifetime(lock) {} }
      try await settleDeadRun()
      let former = try folder.manifest()
      let previous = try await continued(try await heal(former))
      return try await body(PublicationBase(former: former?.manifest, previous: previous))
    }
  }

  /// The publication that the next one names as previous. After a restore it is the last reserved serial: clients accept
  /// no publication whose previous one is older than what they have seen.
  private func continued(_ previous: Manifest.Link?) async throws -> Manifest.Link? {
    guard let reserved = try await store.reservedSerial(), reserved > previous?.serial ?? 0 else { return previous }
    return Manifest.Link(serial: reserved, sha256: previous?.sha256 ?? String(repeating: "0", count: 64))
  }

  /// Runs one attempt and records its end in the database.
  /// - Parameters:
  /// - ground: the state from ``locked(_:)``; its lock is held until this returns.
  /// - exempt: gates that do not apply.
  /// - asOf: the time at which the numbers were evaluated; nil for the request's time.
  /// - make: makes the packs in the folder.
  /// - remember: stores further rows in the transaction that records the publication.
  func run(
    _ request: PublicationRequest, on ground: PublicationBase, exempt: Set<Gate> = [], asOf: Date? = nil,
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
    let least = max(previous?.serial ?? 0, try await store.maxSerial()) + 1
    let serial = request.serial ?? least
    guard serial >= least else { throw PublishingError.serialUsed(serial, least: least) }
    guard let claim = try await store.claim(serial, cause: request.cause, asOf: asOf ?? request.time) else {
      throw PublishingError.busy
    }
    do {
      try PendingClaim.keep(claim, in: folder)
    } catch {
      // Otherwise the run would count as one in progress until its heartbeats are missing.
      try? await store.end(claim, as: .failed, failure: PublicationFailure(error))
      throw error
    }
    return claim
  }

  /// Records the failure of a run, even if its task was canceled. If the database fails here too, the next run in this
  /// folder finds the claim and records it.
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
    let event = records.isEmpty ? nil : Event.gatesFailed(records, serial: work.claim.serial, at: Date())
    let ending = Task {
      try await store.end(work.claim, as: result, failure: failure, gates: records, event: event)
    }
    if case .success = await ending.result { PendingClaim.forget(in: folder) }
  }
}

/// The state that the next publication follows, valid while the folder's lock is held.
struct PublicationBase: Sendable {
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
  let signing: SigningKey
  let progress: RunProgress

  var serial: Int64 { claim.serial }
}
