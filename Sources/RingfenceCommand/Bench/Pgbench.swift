import Foundation
import PostgreSQL
import Storage

/// PostgreSQL's own benchmark program.
struct Pgbench: Sendable {
  private let program: String
  private let environment: [String: String]

  /// Finds the program: in PATH, or the newest of Debian's folders.
  /// - Parameter schema: where the scripts' tables are.
  /// - Throws: ``CommandFailure`` when there is none.
  init(dsn: String, schema: String) throws {
    program = try Self.find()
    var variables = try PostgresConfiguration(dsn).environment()
    variables["PGOPTIONS"] = "\(variables["PGOPTIONS"] ?? "") -c search_path=\(schema)"
    environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
  }

  /// Runs a script for some seconds, each run of it a transaction.
  func run(_ script: String, clients: Int, seconds: Int) async throws -> PgbenchFigures {
    let output = try await run(
      script, ["--client=\(clients)", "--jobs=\(min(2, clients))", "--time=\(seconds)"])
    guard let figures = PgbenchFigures(output: output) else { throw Self.failure(output) }
    return figures
  }

  /// Runs a script once, for its errors.
  func runOnce(_ script: String) async throws {
    _ = try await run(script, ["--client=1", "--transactions=1"])
  }

  private func run(_ script: String, _ arguments: [String]) async throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "ringfence-\(UUID().uuidString).sql").path
    guard FileManager.default.createFile(atPath: path, contents: Data(script.utf8)) else {
      throw CommandFailure.unreadable("\(path) cannot be written.")
    }
    defer { try? FileManager.default.removeItem(atPath: path) }
    let words =
      ["--no-vacuum", "--protocol=prepared", "--define=started=\(Int(Date().timeIntervalSince1970))", "--file=\(path)"]
      + arguments
    let (status, output) = try await execute(words)
    guard status == 0 else { throw Self.failure(output) }
    return output
  }

  private func execute(_ words: [String]) async throws -> (status: Int32, output: String) {
    try await withCheckedThrowingContinuation { continuation in
      Thread {
        continuation.resume(
          with: Result {
            // The pool's threads block signals, and a child inherits that; pgbench ends by SIGALRM.
            var signals = sigset_t()
            sigemptyset(&signals)
            pthread_sigmask(SIG_SETMASK, &signals, nil)
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(filePath: program)
            process.arguments = words
            process.environment = environment
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: output, as: UTF8.self))
          })
      }.start()
    }
  }

  private static func failure(_ output: String) -> CommandFailure {
    .failed("pgbench failed:\n\(output.split(separator: "\n").suffix(5).joined(separator: "\n"))")
  }

  private static func find() throws -> String {
    let manager = FileManager.default
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/pgbench" }
    let packages = "/usr/lib/postgresql"
    let versions = ((try? manager.contentsOfDirectory(atPath: packages)) ?? []).compactMap { Int($0) }.sorted(by: >)
    guard
      let program = (path + versions.map { "\(packages)/\($0)/bin/pgbench" }).first(
        where: manager.isExecutableFile(atPath:))
    else {
      throw CommandFailure.failed("pgbench was not found (Debian: apt install postgresql). --no-peers does without.")
    }
    return program
  }
}
