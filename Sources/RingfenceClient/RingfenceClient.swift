// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Support
public import Foundation

/// An app's client of a Ringfence server: reports with an outbox that survives crashes, counts of calls, lookups that
/// do not reveal the number, and packs.
///
/// When ``report(_:)``, ``withdraw(_:)`` or ``countCall(from:region:wasNamed:at:)`` returns, its data is on the disk
/// and will reach the server, even if the app is killed. It counts once, however often it is sent. The client writes no
/// log, and no error or event contains a number.
///
/// ```swift
/// let client = try RingfenceClient(configuration)
/// Task { await client.run() }
/// try await client.report(ClientReport(number: "+49301234", category: "fraud", reporter: userID))
/// let result = try await client.updatePacks(["toxic"])
/// ```
///
/// Create one client a folder, and keep it as long as the app runs.
public actor RingfenceClient {
  let configuration: ClientConfiguration
  let transport: any ClientTransport
  let environment: ClientEnvironment
  /// Nil for a client that does not attest.
  let device: (any DeviceAttestation)?
  let onEvent: @Sendable (ClientEvent) -> Void
  let outbox: Outbox
  /// The damage that was found when the outbox's file was opened; nil when there was none.
  public nonisolated let damage: OutboxDamage?
  private let lock: FolderLock
  nonisolated let files = FileExecutor(label: "ringfence.client")
  /// A queue of the client's own, because accepting a report waits for the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { files.asUnownedSerialExecutor() }

  var backoff = Backoff()
  /// The end of the pause after a failure; ``flush(isUrgent:)`` may skip it.
  var pausedUntil = Date.distantPast
  /// The end of the pause that the server requested; it is never skipped.
  var forbiddenUntil = Date.distantPast
  /// The most reports of the next request.
  var batchSize = RingfenceClient.largestBatch
  var hashCache = HashCache()
  private var passing: Task<FlushResult, Never>?
  private var updating: Task<PackUpdateResult, any Error>?
  private var sleeper: Task<Void, Never>?

  static let largestBatch = 100

  /// Opens the folder and its outbox.
  /// - Parameters:
  ///   - configuration: the server, the key and the folder.
  ///   - transport: sends the requests.
  ///   - environment: the clock and random numbers.
  ///   - device: proves that a genuine app sends the reports, so that they weigh more, for example ``AppAttestation``; nil
  ///     sends them without proof. The app's key needs the scope `install`.
  ///   - onEvent: receives the outcomes of reports and batches; called on any thread, and must return at once.
  /// - Throws: ``ClientError``: `busy` when another process has the folder open, `file`.
  public init(
    _ configuration: ClientConfiguration, transport: any ClientTransport = URLSessionTransport(),
    environment: ClientEnvironment = ClientEnvironment(), device: (any DeviceAttestation)? = nil,
    onEvent: @escaping @Sendable (ClientEvent) -> Void = { _ in }
  ) throws(ClientError) {
    self.configuration = configuration
    self.transport = transport
    self.environment = environment
    self.device = device
    self.onEvent = onEvent
    let folder = configuration.folder.path
    try ClientFiles.makeFolder(folder)
    do {
      lock = try FolderLock(folder: folder, name: "lock")
    } catch {
      throw error.operation == .lock ? .busy : .file(operation: "open the lock", code: error.code)
    }
    outbox = try Outbox(path: "\(folder)/outbox", limit: configuration.outboxLimit)
    damage = outbox.damage
    if let damage { onEvent(.damaged(bytes: damage.bytes)) }
  }

  // MARK: Accepting

  /// Accepts a report, which is on the disk when this method returns. Accepting the same report again has no effect.
  /// - Parameter report: the report.
  /// - Throws: ``ClientError``: `full`, `file`, `invalid` if the id is used for another content that still waits.
  public func report(_ report: ClientReport) throws(ClientError) {
    try outbox.accept(report)
    wake()
  }

  /// Withdraws a report, whether it was sent already or not.
  /// - Parameter id: the report's id.
  /// - Throws: ``ClientError``: `file`.
  public func withdraw(_ id: UUID) throws(ClientError) {
    try outbox.withdraw(id)
    wake()
  }

  /// Counts a call. The counts of a day (UTC) are sent after its end, in one batch.
  /// - Parameters:
  ///   - number: the caller's number, 1 to 64 bytes; a national number needs `region`.
  ///   - region: ISO 3166-1 alpha-2.
  ///   - wasNamed: whether the phone identified or blocked the caller.
  ///   - time: the time of the call; by default now.
  /// - Throws: ``ClientError``: `full`, `file`, `invalid`.
  public func countCall(
    from number: String, region: String? = nil, wasNamed: Bool, at time: Date? = nil
  ) throws(ClientError) {
    guard (1...64).contains(number.utf8.count) else { throw .invalid(field: "number", rule: "1 to 64 bytes.") }
    try outbox.accept(
      CallItem(
        number: number, region: region, named: wasNamed ? 1 : 0, unknown: wasNamed ? 0 : 1,
        day: UTCDay.text(of: time ?? environment.now())))
  }

  /// Counts a call whose number a list contains, or an override, without the number. The counts of a day (UTC) are sent
  /// after its end, with a token of the installation that names nobody. Further calls than 10 of a day, and further
  /// overrides, are ignored, so that no phone changes a sum much.
  /// - Parameters:
  ///   - call: the class of the call.
  ///   - outcome: its fate, or an override.
  /// - Throws: ``ClientError``: `full`, `file`, `invalid`.
  public func countRemediation(_ call: ClientRemediation, _ outcome: ClientRemediation.Outcome) throws(ClientError) {
    guard (1...64).contains(call.pack.utf8.count) else { throw .invalid(field: "pack", rule: "1 to 64 bytes.") }
    try outbox.accept(RemediationItem(day: UTCDay.text(of: environment.now()), call: call, outcome: outcome))
  }

  /// The number of reports, withdrawals and batches that wait.
  public var waiting: Int { outbox.reports.count + outbox.withdrawals.count + outbox.batches.count }

  // MARK: Sending

  /// Sends everything that waits, once. Concurrent calls share one attempt and its result.
  /// - Parameter isUrgent: whether to try also during the client's own pause after a failure, for example when the
  ///   network is back. A pause that the server requested with `Retry-After` is kept in any case.
  /// - Returns: the numbers of delivered, dropped and waiting items.
  @discardableResult
  public func flush(isUrgent: Bool = false) async -> FlushResult {
    if let passing { return await passing.value }
    let task = Task { await pass(isUrgent: isUrgent) }
    passing = task
    let result = await task.value
    passing = nil
    return result
  }

  /// Sends new items as they arrive, retries after failures, and ends when its task is canceled. Run it in one task.
  public func run() async {
    while !Task.isCancelled {
      let next = await flush().nextAttempt
      let now = environment.now()
      // When nothing waits, the next attempt is at the end of the day, which turns counts into a batch.
      let due = next.map { $0.timeIntervalSince(now) } ?? UTCDay.secondsLeft(at: now) + 60 * environment.chance()
      let sleep = environment.sleep
      let task = Task { _ = try? await sleep(max(0.1, due)) }
      sleeper = task
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  private func wake() {
    let now = environment.now()
    if now >= pausedUntil, now >= forbiddenUntil { sleeper?.cancel() }
  }

  // MARK: Packs

  /// Updates packs: downloads deltas where they are smaller, verifies everything, and replaces each pack in one step.
  /// - Parameter wanted: names of packs; nil for all.
  /// - Returns: the serial of the publication and the names of changed packs.
  /// - Throws: ``ClientError``, `CancellationError`; the packs of the previous update then stay.
  public func updatePacks(_ wanted: Set<String>? = nil) async throws -> PackUpdateResult {
    if let updating { return try await updating.value }
    let updater = try PackUpdater(configuration, transport: transport, environment: environment)
    let task = Task { try await updater.run(wanted) }
    updating = task
    defer { updating = nil }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Returns the file of a pack: `packs/NAME.rfpack` in the client's folder; nil when there is none.
  /// - Parameter name: the name of the pack in the manifest, such as `toxic`.
  public nonisolated func pack(_ name: String) -> URL? {
    let url = PackUpdater.packs(in: configuration.folder).appendingPathComponent("\(name).rfpack")
    return FileManager.default.fileExists(atPath: url.path) ? url : nil
  }
}

/// Runs an actor on a serial queue. fsync blocks as long as the disk needs, and must not block a thread of the
/// cooperative pool, which has two to six threads on a phone.
final class FileExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  // `ExecutorJob` needs iOS 17; on macOS and Linux `UnownedJob` is deprecated here.
  #if canImport(Darwin) && !os(macOS)
    func enqueue(_ job: UnownedJob) { run(job) }
  #else
    func enqueue(_ job: consuming ExecutorJob) { run(UnownedJob(job)) }
  #endif

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  private func run(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
