// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Paths of the project's files and of test data.
public enum Checkout {
  /// The folder of Package.swift.
  public static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// The folder of migrations.
  public static var migrations: String { "\(root)/Migrations" }
  /// The folder of page templates.
  public static var templates: String { "\(root)/Resources/Templates" }
  /// The folder of the message catalogs.
  public static var texts: String { "\(root)/Resources/Localization" }
  /// The folder of the style sheets.
  public static var publicFiles: String { "\(root)/Public" }
  /// The folder of templates, catalogs, recipes and regions.
  public static var resources: String { "\(root)/Resources" }
  /// The description of the API.
  public static var openAPI: String { "\(resources)/openapi.yaml" }

  /// The folder of the test vectors, which `make vectors` writes; missing ones are written now.
  public static let vectors: String = {
    let folder = "\(root)/Tests/Vectors"
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "\(root)/Scripts/make-vectors.py", folder, "--missing"]
    try? process.run()
    process.waitUntilExit()
    return folder
  }()

  /// A small file of invented data in a real format.
  /// - Parameter path: such as `complaints/daily.csv`.
  public static func fixture(_ path: String) -> String { "\(root)/Tests/TestData/Fixtures/\(path)" }

  /// A file of real data beside the checkout, or in RINGFENCE_SHARED; nil, with a printed note, if it is missing.
  /// - Parameter path: such as `data/complaints/ftc-2020.tsv.gz`.
  public static func shared(_ path: String) -> String? {
    let folder = ProcessInfo.processInfo.environment["RINGFENCE_SHARED"] ?? "\(root)/../shared"
    let file = "\(folder)/\(path)"
    if FileManager.default.fileExists(atPath: file) { return file }
    print("SKIPPED: \(file) is not there; what it would have shown is not tested.")
    return nil
  }

  /// The folder for clusters that tests keep: the one of `TMPDIR`, which `make test` puts into memory. Databases are created
  /// there with a fifteenth of the work that a disk takes. A long path is not used, because sockets are in the folder.
  public static var clusterFolder: String {
    let given = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    return given.hasPrefix("/") && given.utf8.count < 40 ? given : "/tmp"
  }
}

/// Creates a folder that is deleted after the body.
public func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  let folder = "\(FileManager.default.temporaryDirectory.path)/ringfence-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try await body(folder)
}
