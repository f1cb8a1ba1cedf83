public import CallerPack
import FileSupport
import Foundation

/// The folder that holds what is published; it is a static site as it is.
///
/// `manifest.json` names the files of the newest publication: the other parts of the manifest in `bins/` and
/// `descriptions/`, and what these name in `packs/`, `deltas/` and `formats/`, all under names that are never used again
/// for another content. A publication is visible from the moment its manifest is renamed into place,
/// and not before. `manifests/` keeps the manifests of late, `roots/` all lists of keys. What begins with a dot is
/// nobody else's business.
public struct PublicationFolder: Sendable {
  /// Absolute or relative path of the folder.
  public let path: String

  /// - Parameter path: made when something is first published.
  public init(path: String) {
    self.path = path
  }

  /// Path of the newest publication's manifest.
  public var manifestPath: String { "\(path)/manifest.json" }

  /// Where a pack lies.
  /// - Parameter file: a name such as `toxic-12.rfpack`.
  public func packPath(_ file: String) -> String { "\(path)/packs/\(file)" }

  /// Where a file lies that a manifest names.
  public func filePath(_ relative: String) -> String { "\(path)/\(relative)" }

  /// Path of a new file of the publication that is being made. It is served from when ``place()`` has moved it, and so
  /// not before the gates have passed.
  /// - Parameter relative: as the manifest will name it.
  func stagedPath(_ relative: String) -> String { "\(staging)/\(relative)" }

  private var staging: String { "\(path)/.work/next" }

  /// Folders of files that a publication adds before its manifest.
  private static let stagedFolders = ["packs", "deltas", "formats"]

  /// Makes room for the files of the next publication.
  func stage() throws {
    for name in Self.stagedFolders {
      try FileManager.default.createDirectory(atPath: stagedPath(name), withIntermediateDirectories: true)
    }
  }

  /// Moves the staged files to their places, where they are served.
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

  /// Path of a pack's file, relative to the folder.
  static func packFile(name: String, serial: Int64) -> String { "packs/\(name)-\(serial).rfpack" }

  /// Path of a delta's file, relative to the folder.
  static func deltaFile(name: String, from base: Int64, to serial: Int64) -> String {
    "deltas/\(name)-\(base)-\(serial).rfdelta"
  }

  /// Path of the kept copy of a manifest, relative to the folder.
  static func manifestFile(serial: Int64) -> String { "manifests/\(serial).json" }

  /// The serial in a pack's file name; nil for any other name, so for anything that could leave the folder.
  public static func serial(ofPackFile file: String) -> Int64? {
    guard let match = file.wholeMatch(of: /([a-z0-9][a-z0-9._-]{0,63})-([1-9][0-9]{0,17})\.rfpack/),
      Manifest.isName(String(match.1))
    else { return nil }
    return Int64(match.2)
  }

  /// Folders of files that manifests name, and of the manifests' heads.
  public static let folders = ["packs", "deltas", "formats", "bins", "descriptions", "manifests"]

  /// The newest publication's manifest, with its serial and the SHA-256 of what is signed; nil before the first.
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

  /// The manifest that a head belongs to, with all packs or those of some names.
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

  /// The heads of kept manifests, newest first; one that cannot be read is left out.
  func keptHeads() throws -> [ManifestHead] {
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(path)/manifests")
    let serials = files.compactMap { file in
      file.wholeMatch(of: /([1-9][0-9]{0,17})\.json/).flatMap { Int64($0.1) }
    }
    return serials.sorted(by: >).compactMap { serial in
      try? readHead(filePath(Self.manifestFile(serial: serial))).head
    }
  }

  /// The kept manifests, newest first; one that cannot be read is left out, for nothing rests on it but deltas.
  func keptManifests() throws -> [Manifest] {
    try keptHeads().compactMap { try? manifest(of: $0) }
  }

  func makeFolders() throws {
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

  /// Makes a publication visible: its files lie in the folder already.
  /// - Returns: SHA-256 of what is signed.
  /// - Throws: ``PublishingError/unreadable(_:)`` before anything is visible where a reader would refuse it.
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

  /// Reads a manifest as its readers do.
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

  /// Removes the files of publications that never became visible, and of those that nobody needs any more.
  ///
  /// Needed are: the last `count` publications, every one that has not expired at `time`, for a reader may have read its
  /// manifest just now and may be fetching its files, and of each pack the last `count` files before the present one, from
  /// which deltas are made, with a manifest that names them.
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
    // Half-written files beside the manifest and the roots.
    for folder in ["", "/roots"] where FileManager.default.fileExists(atPath: "\(path)\(folder)") {
      for file in try FileManager.default.contentsOfDirectory(atPath: "\(path)\(folder)") where file.hasSuffix(".tmp") {
        try FileManager.default.removeItem(atPath: "\(path)\(folder)/\(file)")
      }
    }
  }

  /// Paths of a manifest's bins and descriptions, as far as they can be read.
  private func partPaths(of head: ManifestHead) -> [String] {
    var reader = ManifestReader(head)
    for bin in reader.missing {
      guard let bytes = try? contents(of: bin) else { continue }
      try? reader.add(bytes, as: bin)
    }
    return reader.named.map(\.path)
  }

  /// Empties the folder of what a publication needs only while it is made.
  func clearWork() throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: "\(path)/.work") {
      try FileManager.default.removeItem(atPath: "\(path)/.work/\(file)")
    }
  }
}
