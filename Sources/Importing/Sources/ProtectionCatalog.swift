// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
public import Storage

/// The public service numbers of `Resources/protected`, by country: authorities, support lines and banks whose numbers callers
/// show falsely.
public struct ProtectionCatalog: Sendable {
  /// A number with its owner, and the page on which it was read.
  public struct Entry: Sendable {
    fileprivate let number: String
    public let owner: String
    /// The address of the page, and who publishes it.
    public let page: String, publisher: String

    /// Read only where it is needed, so that servers start sooner.
    /// - Throws: `ProtectedPatternError`.
    public func target() throws -> ProtectionTarget {
      try ProtectionTarget(reading: number, region: nil)
    }
  }

  /// The numbers by ISO 3166 code of the country.
  public let countries: [String: [Entry]]

  public init(countries: [String: [Entry]] = [:]) { self.countries = countries }

  /// - Parameter resources: the folder with `protected`.
  /// - Throws: the error of a file, or `ProtectedPatternError` for a row without four columns.
  public static func read(resources: String) throws -> ProtectionCatalog {
    var countries: [String: [Entry]] = [:]
    let folder = "\(resources)/protected"
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".txt") {
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      countries[String(file.dropLast(4))] = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard columns.count == 4 else { throw ProtectedPatternError.notANumber }
        return Entry(number: columns[0], owner: columns[1], page: columns[2], publisher: columns[3])
      }
    }
    return ProtectionCatalog(countries: countries)
  }

  /// Protects the numbers of countries, in the name of the catalog, so that a protection by a person stays.
  /// - Returns: how many numbers there are, and how many stay as they are.
  @discardableResult
  public func add(
    _ codes: [String], to store: ProtectionStore, by actor: Actor, at time: Date
  ) async throws -> (count: Int, kept: Int) {
    var (count, kept) = (0, 0)
    for code in codes {
      let targets = try (countries[code] ?? []).map { (target: try $0.target(), reason: $0.owner) }
      guard !targets.isEmpty else { continue }
      let event = actor.did(.protectionAdd, to: "catalog \(code)", after: ["what": "catalog \(code)"])
      kept += try await store.add(
        targets, by: ProtectionStore.author(ofList: "catalog \(code)"), at: time, audit: event)
      count += targets.count
    }
    return (count, kept)
  }
}
