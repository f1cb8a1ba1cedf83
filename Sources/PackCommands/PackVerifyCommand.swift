// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import CallerPack

/// `verify`
package struct PackVerifyCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Verify all bytes of packs.",
    discussion: "An invalid pack is named, and the others are still verified.")

  @Argument(help: "Packs to verify.") package var files: [String]

  package init() {}

  package func validate() throws {
    guard !files.isEmpty else { throw ValidationError("No pack to verify. Pass at least one file.") }
  }

  package func run() async throws { try PackExitCode.report { try verify() } }

  /// - Throws: the worst exit code, after all packs.
  package func verify() throws {
    let console = PackConsole.current
    var failure: ExitCode?
    for (index, file) in files.enumerated() {
      do throws(PackError) {
        let reader = try PackReader.open(path: file)
        try reader.verify()
        console.output("\(file): \(count(reader.header.entryCount, "entry", "entries")), valid\n")
      } catch {
        // An error of the system names the file already.
        let name = error.code == .inputOutput ? "" : "\(file): "
        console.remarks("error: \(name)\(error)\n")
        // Invalid data is worse than a file that cannot be read.
        if failure != PackExitCode.badData { failure = PackExitCode.of(error) }
      }
      console.progress(UInt64(index + 1), UInt64(files.count), .items("files"))
    }
    if let failure { throw failure }
  }
}
