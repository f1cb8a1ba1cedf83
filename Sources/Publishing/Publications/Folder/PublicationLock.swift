// SPDX-License-Identifier: Apache-2.0

import Support
import Foundation
import Storage

extension PublicationFolder {
  /// Takes the lock of the folder: one publisher at a time.
  /// - Throws: ``PublishingError/busy`` when another process holds it, `cannotWrite`.
  func lock() throws(PublishingError) -> FolderLock {
    do {
      return try FolderLock(folder: path)
    } catch {
      throw error.isHeld ? .busy : .cannotWrite(error.path, errno: error.code)
    }
  }
}

/// The claim of the current run, stored in the folder. A process that finds one under the folder's lock knows that the
/// run is dead, without waiting for missing heartbeats.
struct PendingClaim: Codable {
  let serial: Int64
  let token: UUID

  private static func path(_ folder: PublicationFolder) -> String { "\(folder.path)/.claim" }

  static func keep(_ claim: PublicationClaim, in folder: PublicationFolder) throws {
    let data = try JSONEncoder().encode(PendingClaim(serial: claim.serial, token: claim.token))
    try DurableFile.replace(path(folder), with: data, isPrivate: true)
  }

  static func read(_ folder: PublicationFolder) -> PublicationClaim? {
    guard let data = FileManager.default.contents(atPath: path(folder)),
      let claim = try? JSONDecoder().decode(PendingClaim.self, from: data)
    else { return nil }
    return PublicationClaim(serial: claim.serial, token: claim.token)
  }

  static func forget(in folder: PublicationFolder) {
    unlink(path(folder))
  }
}
