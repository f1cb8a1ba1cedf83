// SPDX-License-Identifier: Apache-2.0

import FileSupport
import Foundation

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
