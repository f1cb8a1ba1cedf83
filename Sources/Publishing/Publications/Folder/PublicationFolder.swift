// SPDX-License-Identifier: Apache-2.0

public import CallerPack
import Support
import Foundation

/// The folder of published files, which can be served as a static site.
///
/// `manifest.json` names the files of the newest publication: the manifest's other parts in `bins/` and
/// `descriptions/`, and their files in `packs/`, `deltas/` and `formats/`. A file name never gets another content. A
/// publication becomes visible when its manifest is renamed into place. `manifests/` has recent manifests, `roots/` all
/// lists of keys. Names that begin with a dot are internal.
public struct PublicationFolder: Sendable {
  /// Absolute or relative path of the folder.
  public let path: String

  /// - Parameter path: the folder is created by the first publication.
  public init(path: String) {
    self.path = path
  }

  public var manifestPath: String { "\(path)/manifest.json" }

  /// The path of a file named in a manifest.
  public func filePath(_ relative: String) -> String { "\(path)/\(relative)" }

  /// The path of a new file of the running publication. ``place()`` moves it to its final path after the gates have
  /// passed.
  /// - Parameter relative: its name in the manifest.
  func stagedPath(_ relative: String) -> String { "\(staging)/\(relative)" }

  private var staging: String { "\(path)/.work/next" }

  /// Folders of files that a publication adds before its manifest.
  private static let stagedFolders = ["packs", "deltas", "formats"]

  /// Prepares the staging folders of the next publication.
  func stage() throws {
    for name in Self.stagedFolders {
      try FileManager.default.createDirectory(atPath: stagedPath(name), withIntermediateDirectories: true)
    }
  }

  /// Moves the staged files to their final paths, where they are served.
  func place() throws {
    for name in Self.stagedFolders {
      for file in try FileManager.default.contentsOfDirectory(atPath: stagedPath(name)) {
        try DurableFile.move(stagedPath("\(name)/\(file)"), to: filePath("\(name)/\(file)"))
      }
    }
    removeStaged()
  }

  /// Removes staged files that were not placed.
  func removeStaged() { try? FileManager.default.removeItem(atPath: staging) }

  /// Relative to the folder.
  static func packFile(name: String, serial: Int64) -> String { "packs/\(name)-\(serial).rfpack" }

  /// Relative to the folder.
  static func deltaFile(name: String, from base: Int64, to serial: Int64) -> String {
    "deltas/\(name)-\(base)-\(serial).rfdelta"
  }

  /// Relative to the folder.
  static func manifestFile(serial: Int64) -> String { "manifests/\(serial).json" }

  /// The serial in a pack's file name; nil for any other name, including all names that lead out of the folder.
  public static func serial(ofPackFile file: String) -> Int64? {
    guard let match = file.wholeMatch(of: /([a-z0-9][a-z0-9._-]{0,63})-([1-9][0-9]{0,17})\.rfpack/),
      Manifest.isName(String(match.1))
    else { return nil }
    return Int64(match.2)
  }

  /// Folders of files that manifests name, and of the manifests' heads.
  public static let folders = ["packs", "deltas", "formats", "bins", "descriptions", "manifests"]

  /// The newest manifest, with its serial and the SHA-256 of its signed part; nil before the first publication.
  /// - Throws: ``PublishingError/badManifest(_:)``.
  public func manifest() throws -> (manifest: Manifest, link: Manifest.Link)? {
    guard let (head, link) = try head() else { return nil }
    do {
      return (try manifest(of: head), link)
    } catch {
      throw PublishingError.badManifest(manifestPath)
    }
  }

  /// The signed part of the newest publication's manifest; nil before the first.
  /// - Throws: ``PublishingError/badManifest(_:)``.
  public func head() throws -> (head: ManifestHead, link: Manifest.Link)? {
    guard FileManager.default.fileExists(atPath: manifestPath) else { return nil }
    return try readHead(manifestPath)
  }

  private func readHead(_ path: String) throws -> (head: ManifestHead, link: Manifest.Link) {
    guard let data = FileManager.default.contents(atPath: path),
      let envelope = try? Envelope(decoding: [UInt8](data), payloadType: Manifest.payloadType),
      let head = try? ManifestHead(decoding: envelope.payload)
    else { throw PublishingError.badManifest(path) }
    return (head, Manifest.Link(serial: head.serial, sha256: envelope.payloadDigest.hex))
  }

  /// Reads the manifest of a head, with all packs or only those with some names.
  /// - Throws: `UpdateError`.
  func manifest(of head: ManifestHead, wanted: Set<String>? = nil) throws -> Manifest {
    var reader = ManifestReader(head, wanted: wanted)
    while let part = reader.missing.first { try reader.add(contents(of: part), as: part) }
    return reader.manifest
  }

  private func contents(of part: ManifestPart) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: filePath(part.path)) else {
      throw PublishingError.badManifest(filePath(part.path))
    }
    return [UInt8](data)
  }

  /// The heads of stored manifests, newest first. Unreadable ones are skipped.
  func keptHeads() throws -> [ManifestHead] {
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(path)/manifests")
    let serials = files.compactMap { file in
      file.wholeMatch(of: /([1-9][0-9]{0,17})\.json/).flatMap { Int64($0.1) }
    }
    return serials.sorted(by: >).compactMap { serial in
      try? readHead(filePath(Self.manifestFile(serial: serial))).head
    }
  }

  /// The stored manifests, newest first. Unreadable ones are skipped; only deltas need them.
  func keptManifests() throws -> [Manifest] {
    try keptHeads().compactMap { try? manifest(of: $0) }
  }

  package func makeFolders() throws {
    for name in Self.folders {
      try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }
    // Packs that no gate has passed yet.
    do throws(FileFailure) {
      try PrivateFile.makeFolder("\(path)/.work")
    } catch {
      throw PublishingError.cannotWrite(error.path, errno: error.code)
    }
  }

  /// Makes the names of files durable before a manifest names them.
  func flushNames() throws {
    for name in Self.folders { try DurableFile.flush("\(path)/\(name)") }
  }

  /// Makes a publication visible whose files are in the folder.
  /// - Returns: the serial and the SHA-256 of the signed part.
  /// - Throws: ``PublishingError/unreadable(_:)`` before anything is visible, if a reader would refuse the manifest.
  @discardableResult
  package func reveal(_ manifest: Manifest, signedBy key: SigningKey) throws -> Manifest.Link {
    try makeFolders()
    let (head, files) = try manifest.parts()
    let envelope = try Envelope(sealing: head, with: [key])
    let bytes = envelope.encoded()
    try checkReadable(bytes, files, as: manifest)
    for (part, bytes) in files where !FileManager.default.fileExists(atPath: filePath(part.path)) {
      try DurableFile.replace(filePath(part.path), with: Data(bytes))
    }
    let data = Data(bytes)
    try DurableFile.replace(filePath(Self.manifestFile(serial: manifest.serial)), with: data)
    try flushNames()
    try DurableFile.replace(manifestPath, with: data)
    return Manifest.Link(serial: manifest.serial, sha256: envelope.payloadDigest.hex)
  }

  /// Reads a manifest the way its readers do.
  private func checkReadable(
    _ bytes: [UInt8], _ files: [(part: ManifestPart, bytes: [UInt8])], as manifest: Manifest
  ) throws {
    do {
      let envelope = try Envelope(decoding: bytes, payloadType: Manifest.payloadType)
      var reader = ManifestReader(try ManifestHead(decoding: envelope.payload))
      let contents = Dictionary(files.map { ($0.part, $0.bytes) }) { first, _ in first }
      while let part = reader.missing.first { try reader.add(contents[part] ?? [], as: part) }
      guard reader.manifest == manifest else {
        throw UpdateError.malformed("The parts of the manifest are not what they were made of")
      }
    } catch {
      throw PublishingError.unreadable("\(error)")
    }
  }

  /// Removes the files of publications that never became visible, and files that are no longer needed.
  ///
  /// It keeps the last `count` publications, and all that have not expired at `time`, because a reader may be fetching
  /// their files. Of each pack it also keeps the last `count` earlier files as bases of deltas, and a manifest that
  /// names them.
  func sweep(newest: Manifest?, keeping count: Int, at time: Date) throws {
    let serial = newest?.serial ?? 0
    let manifests = try keptManifests().filter { $0.serial <= serial }
    let kept = manifests.enumerated().filter { $0.offset < count || $0.element.expires > time }.map(\.element)
    var named = Set(kept.map { Self.manifestFile(serial: $0.serial) })
    var bases = Dictionary(uniqueKeysWithValues: (newest?.packs ?? []).map { ($0.name, Set([$0.sha256])) })
    for manifest in manifests {
      for pack in manifest.packs {
        guard let known = bases[pack.name], known.count <= count, !known.contains(pack.sha256) else { continue }
        bases[pack.name] = known.union([pack.sha256])
        named.formUnion([pack.path, Self.manifestFile(serial: manifest.serial)])
      }
    }
    for manifest in kept + [newest].compactMap(\.self) {
      for pack in manifest.packs {
        named.formUnion([pack.path] + pack.deltas.map(\.path) + pack.formats.map(\.path))
      }
    }
    for head in try keptHeads() where named.contains(Self.manifestFile(serial: head.serial)) {
      named.formUnion(partPaths(of: head))
    }
    if let head = try head()?.head { named.formUnion(partPaths(of: head)) }
    for folder in Self.folders {
      for file in try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")
      where !named.contains("\(folder)/\(file)") {
        try FileManager.default.removeItem(atPath: "\(path)/\(folder)/\(file)")
      }
    }
    // Incomplete files beside the manifest and the roots.
    for folder in ["", "/roots"] where FileManager.default.fileExists(atPath: "\(path)\(folder)") {
      for file in try FileManager.default.contentsOfDirectory(atPath: "\(path)\(folder)") where file.hasSuffix(".tmp") {
        try FileManager.default.removeItem(atPath: "\(path)\(folder)/\(file)")
      }
    }
  }

  /// Paths of a manifest's bins and descriptions; unreadable parts are skipped.
  private func partPaths(of head: ManifestHead) -> [String] {
    var reader = ManifestReader(head)
    for bin in reader.missing {
      guard let bytes = try? contents(of: bin) else { continue }
      try? reader.add(bytes, as: bin)
    }
    return reader.named.map(\.path)
  }

  /// Removes temporary files of a publication.
  func clearWork() throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: "\(path)/.work") {
      try FileManager.default.removeItem(atPath: "\(path)/.work/\(file)")
    }
  }
}
