import Foundation

/// The real data beside the project: `../shared/data` from the package's root, or under `RINGFENCE_SHARED`.
enum SharedData {
  static let folder: URL? = {
    var candidates: [URL] = []
    if let given = ProcessInfo.processInfo.environment["RINGFENCE_SHARED"] {
      candidates = [URL(filePath: given).appending(path: "data"), URL(filePath: given)]
    } else {
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      candidates = [root.deletingLastPathComponent().appending(path: "shared/data")]
    }
    return candidates.first { FileManager.default.fileExists(atPath: $0.appending(path: "numbering").path) }
  }()

  /// Whether a file is there; says so on the console when it is not, since the tests that need it do not run.
  static func has(_ path: String) -> Bool {
    if let folder, FileManager.default.fileExists(atPath: folder.appending(path: path).path) { return true }
    print("SKIPPED: no shared/data/\(path); set RINGFENCE_SHARED to the folder that holds data/")
    return false
  }

  /// The lines of a file below its header, the file unpacked when its name ends in `.gz`.
  static func rows(_ path: String) throws -> [Substring] {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    let file = folder.appending(path: path)
    let bytes = path.hasSuffix(".gz") ? try unpacked(file) : try Data(contentsOf: file)
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().map { $0 }
  }

  private static func unpacked(_ file: URL) throws -> Data {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", file.path]
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
    return bytes
  }
}
