// SPDX-License-Identifier: Apache-2.0

import Foundation
import Importing

extension ProgressMeter {
  /// Shows an import: bytes read of the file, and the number of rows. For a meter in ``Unit/bytes``.
  func update(_ progress: ImportProgress) {
    update(bytesRead: progress.bytesRead, rows: progress.rows)
  }

  /// Shows the bytes and rows that were read. For a meter in ``Unit/bytes``.
  func update(bytesRead: UInt64, rows: Int) {
    update(done: bytesRead, detail: "\(TextFormat.grouped(rows)) rows")
  }

  /// Creates a meter for the import of a file, with its size as total; the total of a pipe or `-` is unknown.
  convenience init(importing path: String, title: String = "Importing", output: any ProgressOutput) {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let attributes = path == "-" ? nil : try? FileManager.default.attributesOfItem(atPath: target)
    let isFile = attributes?[.type] as? FileAttributeType == .typeRegular
    let size = isFile ? (attributes?[.size] as? NSNumber)?.uint64Value : nil
    self.init(title: title, total: size, unit: .bytes, output: output)
  }
}
