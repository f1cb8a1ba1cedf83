// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import CallKit
import CallerPack
import Foundation
import RingfenceClient

/// The app's side: updates packs, reloads the extension, and sends reports.
final class CallFilter: Sendable {
  private let client: RingfenceClient

  /// - Parameters:
  ///   - apiKey: the app's key, from `ringfence app create`.
  ///   - publisherKey: the key that signs packs, from `ringfence keys list`.
  init(server: URL, apiKey: String, publisherKey: String) throws {
    guard let key = VerifyingKey(publisherKey) else { throw CocoaError(.coderInvalidValue) }
    let configuration = try ClientConfiguration(
      server: server, key: apiKey, folder: try CallerLists.clientFolder(), anchor: .key(key))
    client = try RingfenceClient(configuration)
  }
}

// MARK: Packs

extension CallFilter {
  /// Downloads new packs, or the deltas that lead to them, and loads them. Call it about once a day.
  func update() async throws {
    _ = try await client.updatePacks(Set(CallerLists.packs))
    try await reload()
  }

  /// Reloads the extension. A list of more than 1,800,000 changes takes several requests.
  func reload() async throws {
    let loader = try CallerLists.loader()
    repeat {
      try loader.prepareReload()
      do {
        try await CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: CallerLists.extensionID)
        try loader.confirmReload()
      } catch {
        try loader.invalidate()
        throw error
      }
    } while !loader.isComplete()
  }
}

// MARK: Reports and lookups

extension CallFilter {
  /// Sends accepted reports until the task is canceled.
  func sendReports() async { await client.run() }

  /// Accepts a report. It is on the disk when this method returns.
  func report(_ number: String, region: String, category: String, user: String) async throws {
    try await client.report(ClientReport(number: number, region: region, category: category, reporter: user))
  }

  /// Looks a number up without telling the server which one.
  func label(of number: Int64) async throws -> String? {
    try await client.listing(of: number)?.label
  }
}

// MARK: The user's own numbers

extension CallFilter {
  /// Blocks a number for this user, independent of the packs.
  func block(_ number: Int64) async throws {
    let file = try CallerLists.personalFile()
    var list = try PersonalList(contentsOf: file)
    try list.block(number)
    try list.write(to: file)
    try await reload()
  }
}
