public import CallerPack
import Foundation

/// The folder that holds what is published; it can be served as it is.
///
/// `manifest.json` names the packs of the newest publication; `packs/` holds them under names that are never used
/// again. A publication is visible from the moment its manifest is renamed into place, and not before.
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

  /// Name of a pack's file.
  public static func packFile(name: String, serial: Int64) -> String { "\(name)-\(serial).rfpack" }

  /// The serial in a pack's file name; nil for any other name, so for anything that could leave the folder.
  public static func serial(ofPackFile file: String) -> Int64? {
    guard let match = file.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,39}-([1-9][0-9]{0,17})\.rfpack/) else { return nil }
    return Int64(match.1)
  }

  /// The newest publication's manifest, with its serial and the SHA-256 of what is signed; nil before the first.
  /// - Throws: ``PublishingError/badManifest(_:)``.
  public func manifest() throws -> (manifest: Manifest, link: Manifest.Link)? {
    guard FileManager.default.fileExists(atPath: manifestPath) else { return nil }
    guard let data = FileManager.default.contents(atPath: manifestPath),
      let envelope = try? Envelope(decoding: [UInt8](data), payloadType: Manifest.payloadType),
      let manifest = try? Manifest(decoding: envelope.payload)
    else { throw PublishingError.badManifest(manifestPath) }
    return (manifest, Manifest.Link(serial: manifest.serial, sha256: envelope.payloadDigest.hex))
  }

  /// Makes a publication visible: its packs lie in the folder already.
  /// - Returns: SHA-256 of what is signed.
  func reveal(_ manifest: Manifest, signedBy key: SigningKey) throws -> PackDigest {
    let envelope = try Envelope(sealing: manifest, with: [key])
    try DurableFile.replace(manifestPath, with: Data(envelope.encoded()))
    return envelope.payloadDigest
  }

  /// Removes packs of publications that never became visible, and of those older than the last `kept`.
  func sweep(newest serial: Int64, keeping kept: Int64) throws {
    let folder = "\(path)/packs"
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let isKept = Self.serial(ofPackFile: file).map { (serial - kept + 1...serial).contains($0) } ?? false
      if !isKept { try FileManager.default.removeItem(atPath: "\(folder)/\(file)") }
    }
  }
}
