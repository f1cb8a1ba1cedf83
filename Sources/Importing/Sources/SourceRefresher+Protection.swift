// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Curation
import Foundation
import Storage

/// Sources whose entries protect numbers.
extension SourceRefresher {
  /// Protects the numbers and patterns of a file in place of the entries of the former one.
  /// - Parameter force: whether the file may change more entries, and free more listed numbers, than allowed.
  /// - Throws: ``SourceFailure``, with which nothing is changed.
  func protect(_ path: String, of source: Source, at time: Date, force: Bool) async throws -> Summary {
    let list = try await ProtectionList.read(path, source.settings)
    let (former, new) = (
      try await stores.protection.texts(of: source.id), Set(list.targets.map(\.target.text))
    )
    var summary = Summary()
    (summary.entries, summary.rejected) = (new.count, list.rejected)
    (summary.added, summary.removed) = (new.subtracting(former).count, former.subtracting(new).count)
    guard summary.added + summary.removed > 0 else { return summary }
    if !force {
      let most = source.settings.maxChange
      guard ChangeLimit.allows(max(summary.added, summary.removed), of: former.count, percent: most) else {
        throw SourceFailure.tooManyChanges(
          added: summary.added, removed: summary.removed, former: former.count, mostPercent: most)
      }
      let freed = try await stores.protection.listed(among: list.targets.map(\.target))
      // More listed numbers are not freed without a person.
      let maximum = ChangeLimit.maxFreed(listed: try await stores.protection.listedCount())
      guard freed <= maximum else { throw SourceFailure.freesTooMany(listed: freed, maximum: maximum) }
    }
    try await stores.protection.replace(of: source.id, named: source.name, with: list.targets, at: time)
    return summary
  }
}

extension ProtectionList {
  /// Reads a downloaded list on a thread of its own.
  /// - Throws: ``SourceFailure``, ``RejectedFile``.
  static func read(_ path: String, _ settings: Source.Settings) async throws -> ProtectionList {
    let list = try await runOnThread {
      guard let data = FileManager.default.contents(atPath: path) else { throw SourceFailure.unreadable("it is gone") }
      return try ProtectionList(
        data, as: settings.format, region: settings.options.region, named: settings.name)
    }
    try list.rejected.check()
    return list
  }
}
