// SPDX-License-Identifier: Apache-2.0

internal import CallerPack
internal import PackFormats

/// Copies a pack's entries into a writer of another format.
enum PackExport {
  static func copy(_ reader: PackReader, into writer: any EntryWriter) throws -> ExportSummary {
    let console = PackConsole.current
    let total = UInt64(reader.header.entryCount)
    let cursor = try reader.makeCursor()
    var done: UInt64 = 0
    while try cursor.next() {
      try writer.append(
        ListEntry(number: cursor.number, label: cursor.label, blocks: cursor.roles.contains(.blocks)))
      done += 1
      if done % 10_000 == 0 { console.progress(done, total) }
    }
    let summary = try writer.finish()
    console.progress(done, total)
    remark(summary)
    return summary
  }

  /// Prints notes about entries that the format could not represent.
  private static func remark(_ summary: ExportSummary) {
    let remarks = PackConsole.current.remarks
    if summary.altered > 0 { remarks("note: \(summary.altered) labels were changed to fit the format\n") }
    if summary.overLimit > 0 { remarks("note: \(summary.overLimit) entries are beyond the format's limit\n") }
    if summary.unsuitable > 0 { remarks("note: \(summary.unsuitable) numbers are too short for the format\n") }
    if summary.notBlocking > 0 { remarks("note: \(summary.notBlocking) entries do not block and were left out\n") }
  }
}
