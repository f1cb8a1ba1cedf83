// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
internal import CallDirectory
internal import CallerPack
internal import Foundation

/// `ringfence pack verify`: checks packs.
public struct PackVerifyCommand: AsyncParsableCommand {
  /// The command's name and its help.
  public static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Verify all bytes of packs.",
    discussion: """
      With --as-extension, a separate process loads the packs by the rules of a Call Directory extension, in order of \
      priority, and measures its memory. With --from, it starts with older packs and measures the update.
      """)

  @Argument(help: "Packs to verify.") var files: [String]
  @Flag(help: "Load the packs into a simulated phone and measure memory.") var asExtension = false
  @Option(help: .value("file", "Pack that the phone already has; can be repeated.")) var from: [String] = []
  @Option(help: ArgumentHelp("Be the process that is measured, with this store.", visibility: .private))
  var store: String?

  /// Creates the command.
  public init() {}

  /// Refuses an empty list of packs.
  ///
  /// - Throws: `ValidationError`.
  public func validate() throws {
    guard !files.isEmpty else { throw ValidationError("No pack to verify. Pass at least one file.") }
    guard from.isEmpty || asExtension else {
      throw ValidationError("--from needs --as-extension. Pass both, or leave --from out.")
    }
  }

  /// Checks the packs.
  ///
  /// - Throws: `ExitCode`.
  public func run() async throws {
    if asExtension, let store { return try PackExitCode.report { try loadIntoPhone(URL(fileURLWithPath: store)) } }
    try PackExitCode.report {
      let console = PackConsole.current
      for (index, file) in files.enumerated() {
        let reader = try PackReader.open(path: file)
        try reader.verify()
        console.output("\(file): \(reader.header.entryCount) entries, valid\n")
        console.progress(UInt64(index + 1), UInt64(files.count))
      }
      guard asExtension else { return }
      let store = FileManager.default.temporaryDirectory.appendingPathComponent("ringfence-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: store) }
      if !from.isEmpty { try ExtensionTrial.prepare(store, with: from.map { URL(fileURLWithPath: $0) }) }
      if let executable = console.executable {
        try measure(executable, store)
      } else {
        try loadIntoPhone(store)
      }
    }
  }

  private func loadIntoPhone(_ store: URL) throws {
    let packs = files.map { URL(fileURLWithPath: $0) }
    let trial = try ExtensionTrial.run(packs: packs, store: store, isIncremental: !from.isEmpty)
    PackConsole.current.output(trial.text)
  }

  /// Starts this program again for the load, so that the earlier memory of this process is not measured.
  private func measure(_ executable: String, _ store: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
    let older = from.flatMap { ["--from", $0] }
    process.arguments = ["pack", "verify", "--as-extension", "--store", store.path] + older + ["--"] + files
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    PackConsole.current.output(String(decoding: text, as: UTF8.self))
    guard process.terminationReason == .exit else {
      throw ExtensionTrial.Failure(
        description: "the process of the simulated phone was killed by a signal; check the available memory")
    }
    guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
  }
}
