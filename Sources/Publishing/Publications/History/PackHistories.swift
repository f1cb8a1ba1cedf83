// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
package import CallerPack
import PhoneNumbers
import Synchronization

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
