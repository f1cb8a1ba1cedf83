public import Foundation

/// An app's side of a Ringfence server: complaints with an outbox that survives the app's death, counts of calls, look-ups
/// that do not say which number, and packs.
///
/// What ``report(_:)``, ``withdraw(_:)`` and ``countCall(from:region:wasNamed:at:)`` have returned from is on the disk and
/// will reach the server, however often the app is killed; it counts once, however often it is sent. Nothing here writes
/// a log, and no error or event holds a number.
public actor RingfenceClient {
  let configuration: ClientConfiguration
  let transport: any ClientTransport
  let environment: ClientEnvironment
  let tell: @Sendable (ClientEvent) -> Void
  let outbox: Outbox
  /// What was wrong with the outbox's file when it was opened; nil when nothing was.
  public nonisolated let damage: OutboxDamage?
  private let lock: FolderLock
  nonisolated let files = FileExecutor(label: "ringfence.client")
  /// A queue of the client's own: what is accepted is on the disk when its call returns, and the disk may be slow.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { files.asUnownedSerialExecutor() }

  var backoff = Backoff()
  /// Nothing is sent before: what the backoff says.
  var pausedUntil = Date.distantPast
  /// Nothing is sent before, not even on the app's wish: what the server asked for.
  var forbiddenUntil = Date.distantPast
  /// The most reports of the next request.
  var batchSize = RingfenceClient.largestBatch
  var hashCache = HashCache()
  private var passing: Task<FlushResult, Never>?
  private var updating: Task<PackUpdateResult, any Error>?
  private var sleeper: Task<Void, Never>?

  static let largestBatch = 100

  /// Opens the folder and what waits in it.
  /// - Parameters:
  ///   - transport: what carries requests.
  ///   - environment: time and chance.
  ///   - onEvent: told what became of things; called on any thread, and must return at once.
  /// - Throws: ``ClientError``: `busy` when another process has the folder open, `file`.
  public init(
    _ configuration: ClientConfiguration, transport: any ClientTransport = URLSessionTransport(),
    environment: ClientEnvironment = ClientEnvironment(), onEvent: @escaping @Sendable (ClientEvent) -> Void = { _ in }
  ) throws(ClientError) {
    self.configuration = configuration
    self.transport = transport
    self.environment = environment
    tell = onEvent
    let folder = configuration.folder.path
    try ClientFiles.makeFolder(folder)
    lock = try FolderLock(folder)
    outbox = try Outbox(path: "\(folder)/outbox", limit: configuration.outboxLimit)
    damage = outbox.damage
    if let damage { tell(.damaged(bytes: damage.bytes)) }
  }

  // MARK: Accepting

  /// Accepts a complaint: it is on the disk when this returns. Handing the same one in again is harmless.
  /// - Throws: ``ClientError``: `full`, `file`, `invalid` where the id is used for another content that still waits.
  public func report(_ report: ClientReport) throws(ClientError) {
    try outbox.accept(report)
    wake()
  }

  /// Takes a complaint back, whether it was sent already or not.
  /// - Parameter id: the report's.
  /// - Throws: ``ClientError``: `file`.
  public func withdraw(_ id: UUID) throws(ClientError) {
    try outbox.withdraw(id)
    wake()
  }

  /// Counts a call. Days are sent when they are over, in UTC, one batch a day.
  /// - Parameters:
  ///   - number: of the caller; a national form needs `region`.
  ///   - wasNamed: whether the phone could name or block the caller.
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

  /// Reports, withdrawals and batches that wait.
  public var waiting: Int { outbox.reports.count + outbox.withdrawals.count + outbox.batches.count }

  // MARK: Sending

  /// Sends what waits, once; whoever asks meanwhile gets the same answer.
  /// - Parameter isUrgent: tries also during the client's own pause after a failure, such as when the network is back.
  ///   What the server asked for by `Retry-After` is kept in any case.
  @discardableResult
  public func flush(isUrgent: Bool = false) async -> FlushResult {
    if let passing { return await passing.value }
    let task = Task { await pass(isUrgent: isUrgent) }
    passing = task
    let result = await task.value
    passing = nil
    return result
  }

  /// Sends as things come, and again after failures, until its task is cancelled. Run one.
  public func run() async {
    while !Task.isCancelled {
      let next = await flush().nextAttempt
      let now = environment.now()
      // With nothing to send, the end of the day turns counts into a batch.
      let due = next.map { $0.timeIntervalSince(now) } ?? UTCDay.secondsLeft(at: now) + 60 * environment.chance()
      let sleep = environment.sleep
      let task = Task { _ = try? await sleep(.seconds(max(0.1, due))) }
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

  /// Brings packs up to date: verified, by deltas where those are smaller, each put in place at once.
  /// - Parameter wanted: names of packs; nil for all there are.
  /// - Throws: ``ClientError``, `CancellationError`; what was held before stays good.
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

  /// The file of a pack that is held; nil when there is none.
  public nonisolated func pack(_ name: String) -> URL? {
    let url = PackUpdater.packs(in: configuration.folder).appending(path: "\(name).rfpack")
    return FileManager.default.fileExists(atPath: url.path) ? url : nil
  }
}
