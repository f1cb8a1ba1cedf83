// SPDX-License-Identifier: Apache-2.0

import ServerSupport
package import CallerPack
package import Curation
package import Foundation
import PhoneNumbers
import Synchronization

/// Since which publication the packs contain a number, or do not: read from the packs that the folder keeps.
package struct PackHistory: Sendable {
  package enum State: String, Sendable {
    case block
    /// The pack has it with a name alone.
    case identify
    case absent
  }

  /// The state of the number in one pack, and since when.
  package struct Place: Sendable, Equatable {
    package let pack: String
    /// The state in the newest publication.
    package let state: State
    /// The first publication with this state, or the earliest that is kept.
    package let serial: Int64
    /// The time of that publication's pack.
    package let time: Date
    /// Whether an earlier publication that is kept had another state; otherwise the state may be older.
    package let isExact: Bool
  }

  /// The newest publication's serial.
  package let serial: Int64
  /// The earliest publication of which a pack is kept.
  package let earliest: Int64
  /// The packs that contain the number now, or did in a publication that is kept.
  package let places: [Place]
  /// Whether all packs were read. Otherwise others may have had the number earlier.
  package let isComplete: Bool

  /// The most packs that are read for one number: enough for a country with its parts.
  package static let maxPacks = 64

  /// Reads the packs of all publications that are kept. Blocks the thread.
  /// - Parameters:
  ///   - number: E.164 digits.
  ///   - country: ISO 3166 alpha-2; packs of other countries are skipped.
  ///   - manifest: the newest publication.
  package init(of number: Int64, country: String?, in folder: PublicationFolder, manifest: Manifest) {
    serial = manifest.serial
    let kept = Self.serials(in: folder, upTo: manifest.serial)
    let possible = manifest.packs.filter { $0.mayContainNumbers(of: country) }
    // Those that may contain it now come first.
    let packs = (possible.filter { $0.spans(number) } + possible.filter { !$0.spans(number) }).prefix(Self.maxPacks)
    isComplete = packs.count == possible.count
    earliest = packs.compactMap { kept[$0.name]?.last }.min() ?? manifest.serial
    places = packs.compactMap { pack in
      let serials = (kept[pack.name] ?? []).filter { $0 <= pack.serial }
      // Without the newest file, as before it is copied to this server, nothing is known.
      guard serials.first == pack.serial else { return nil }
      return Self.place(of: number, in: pack.name, serials: serials, folder: folder)
    }
  }

  /// The serials of the kept packs by name, the newest first.
  private static func serials(in folder: PublicationFolder, upTo newest: Int64) -> [String: [Int64]] {
    var serials: [String: [Int64]] = [:]
    for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.filePath("packs"))) ?? [] {
      guard let serial = PublicationFolder.serial(ofPackFile: file), serial <= newest else { continue }
      serials[String(file.dropLast("-\(serial).rfpack".utf8.count)), default: []].append(serial)
    }
    return serials.mapValues { $0.sorted(by: >) }
  }

  private static func place(
    of number: Int64, in pack: String, serials: [Int64], folder: PublicationFolder
  ) -> Place? {
    var newest: (state: State, serial: Int64, time: Date)?
    for serial in serials {
      let path = folder.filePath(PublicationFolder.packFile(name: pack, serial: serial))
      // A file that was removed in the meantime ends the history.
      guard let reader = try? PackReader.open(path: path), let state = try? state(of: number, in: reader) else { break }
      let time = Date(timeIntervalSince1970: TimeInterval(reader.header.createdAt))
      if let known = newest, known.state != state {
        return Place(pack: pack, state: known.state, serial: known.serial, time: known.time, isExact: true)
      }
      newest = (state, serial, time)
    }
    guard let newest, newest.state != .absent else { return nil }
    return Place(pack: pack, state: newest.state, serial: newest.serial, time: newest.time, isExact: false)
  }

  private static func state(of number: Int64, in reader: PackReader) throws -> State {
    guard let entry = try reader.lookup(number) else { return .absent }
    return entry.isBlocked ? .block : .identify
  }
}

/// Reads the history of numbers in packs, of few numbers at a time: each reads the index of many files.
package final class PackHistories: Sendable {
  private let folder: PublicationFolder
  private let running = Mutex(0)

  /// The most numbers at once.
  private static let most = 2

  package init(folder: PublicationFolder) {
    self.folder = folder
  }

  /// Packs of other countries than the number's are skipped.
  /// - Returns: nil while the histories of other numbers are being read.
  package func history(of number: Int64, manifest: Manifest) async -> PackHistory? {
    let isFree = running.withLock { count in
      guard count < Self.most else { return false }
      count += 1
      return true
    }
    guard isFree else { return nil }
    defer { running.withLock { $0 -= 1 } }
    let country = RegionMap.countries.region(of: number)
    return await Task(executorPreference: ConcurrentQueueExecutor.publishing) { [folder] in
      PackHistory(of: number, country: country, in: folder, manifest: manifest)
    }.value
  }
}

extension Manifest {
  /// The packs that may contain a number, for its statement of reasons.
  /// - Parameter treatment: with `identify`, packs that only block are left out.
  package func packs(of number: Int64, treatment: Decision.Treatment) -> [StatementOfReasons.Pack] {
    let country = RegionMap.countries.region(of: number)
    return packs.filter { pack in
      pack.spans(number) && pack.mayContainNumbers(of: country) && (treatment != .identify || pack.kind != "blocking")
    }.map { StatementOfReasons.Pack(name: $0.name, region: $0.region) }
  }
}

extension ManifestPack {
  /// Whether the pack may contain numbers of a country.
  /// - Parameter country: ISO 3166 alpha-2; nil for numbers without a country, which any pack may contain.
  package func mayContainNumbers(of country: String?) -> Bool {
    guard let region = region?.uppercased(), let country else { return true }
    return region == country || region.hasPrefix("\(country)-") || region.count != 2
  }

  /// Whether a number is between the least and the greatest of the pack, so that the pack may contain it.
  package func spans(_ number: Int64) -> Bool {
    guard let first, let last else { return false }
    return (first...last).contains(number)
  }
}
