// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import CallerPack
import Curation
import Support
import Foundation
public import Logging
public import Storage

/// Runs a program of the operator's after each publication, for example one that copies the files to mirrors.
///
/// One runs at a time, always for the newest publication: a slow copy of an older one cannot replace a newer manifest.
/// A file in the data folder has the last serial for which the program ended with exit code 0, so that a server that was
/// killed before that runs it again.
public struct AfterPublish: Sendable {
  private let program: String
  private let limit: Duration
  private let folder: PublicationFolder
  private let state: String
  private let outbox: OutboxStore
  private let logger: Logger

  /// How long a server waits before it runs a program again that failed.
  public static let pause = Duration.seconds(900)

  /// - Parameters:
  ///   - program: the path of an executable file. Its environment has `RINGFENCE_PUBLICATIONS`, the folder with
  ///     manifest.json, and `RINGFENCE_SERIAL`.
  ///   - limit: the program is ended after this time.
  ///   - dataFolder: gets the files `after-publish.serial` and `after-publish.lock`.
  public init(
    program: String, limit: Duration, folder: PublicationFolder, dataFolder: String, outbox: OutboxStore,
    logger: Logger
  ) {
    (self.program, self.limit, self.folder, self.outbox) = (program, limit, folder, outbox)
    (self.state, self.logger) = (dataFolder, logger)
  }

  /// Runs the program until it has ended well for the newest publication, or fails.
  /// - Parameter waits: whether to wait for another process that runs it.
  /// - Returns: nil where nothing is left to do or another process does it; otherwise why it failed.
  @discardableResult
  public func run(waits: Bool = false) async throws -> String? {
    guard try due() != nil, let lock = try await lock(waits: waits) else { return nil }
    defer { withExtendedLifetime(lock) {} }
    while let serial = try due() {
      if let failure = try await runOnce(serial) {
        logger.error("The program after a publication failed", metadata: ["error": "\(failure)"])
        // One event per day for a publication, however often it is tried.
        let id = UUID(naming: "after publish \(serial) \(Int(Date().timeIntervalSince1970 / 86_400))")
        let details: [String: Event.Detail] = ["serial": .count(Int(serial)), "reason": .text(failure)]
        try await outbox.record(Event(.afterPublishFailed, id: id, at: Date(), details), at: Date())
        return failure
      }
      do throws(FileFailure) {
        try CompleteFile.replace(done, with: Array("\(serial)\n".utf8))
      } catch {
        return error.description
      }
    }
    return nil
  }

  private var done: String { Self.done(state) }

  private static func done(_ dataFolder: String) -> String { "\(dataFolder)/after-publish.serial" }

  /// Makes the next check of a server run the program again for the newest publication, whose files have changed.
  public static func repeatLast(dataFolder: String) { unlink(done(dataFolder)) }

  /// The serial of the newest publication, unless the program has ended well for it.
  private func due() throws -> Int64? {
    guard let newest = try folder.manifest()?.link.serial else { return nil }
    let text = (try? String(contentsOfFile: done, encoding: .utf8)) ?? ""
    return newest == Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)) ? nil : newest
  }

  private func lock(waits: Bool) async throws -> FolderLock? {
    while true {
      do throws(FileFailure) {
        return try FolderLock(folder: state, name: "after-publish.lock")
      } catch {
        guard error.isHeld else { throw error }
        guard waits else { return nil }
      }
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// - Returns: why it failed.
  private func runOnce(_ serial: Int64) async throws -> String? {
    var environment = ExternalProgram.environment
    environment["RINGFENCE_PUBLICATIONS"] = URL(filePath: folder.path).standardizedFileURL.path
    environment["RINGFENCE_SERIAL"] = "\(serial)"
    do {
      let (status, output, isOverdue) = try await ExternalProgram.run(
        program, [], environment: environment, limit: limit)
      let last = output.split(separator: "\n").last.map { ": \($0.prefix(300))" } ?? ""
      if isOverdue { return "\(program) took longer than \(limit.components.seconds) s\(last)" }
      return status == 0 ? nil : "\(program) ended with exit code \(status)\(last)"
    } catch let error where !(error is CancellationError) {
      return "\(program) could not be started: \(error.localizedDescription)"
    }
  }
}
