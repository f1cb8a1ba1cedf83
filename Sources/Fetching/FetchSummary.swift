// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// The result of a fetch.
public struct FetchSummary: Sendable {
  let manifest: Manifest
  let formerSerial: Int64?
  let isNew: Bool
  let changed: [String]
  let items: [FetchItem]
  let folder: String
  let set: String
  let fetchedBytes: Int

  /// Whether files were added, removed or changed.
  public var hasChanged: Bool { !changed.isEmpty }

  /// The text for the user of the command.
  public var text: String {
    guard isNew else { return "Publication \(manifest.serial): nothing new." }
    let lines = items.map { item -> String in
      let how =
        switch item.way {
        case .carry: "unchanged"
        case .pack(let update, _):
          if case .delta = update.step { "by a delta of \(update.bytes) bytes" } else { "fetched" }
        case .other: "fetched"
        }
      let what = item.format == nil ? "\(item.update.pack.entries) numbers, " : ""
      return "  \(folder)/current/\(item.name): \(what)\(item.bytes) bytes, \(how)"
    }
    return (["Publication \(manifest.serial), \(fetchedBytes) bytes fetched"] + lines).joined(separator: "\n")
  }

  /// One `key=value` in each line, for `$GITHUB_OUTPUT` and a shell's `.`. Characters of a name other than ASCII
  /// letters and digits become `_`, a name that begins with a digit gets one before it, and values contain no spaces.
  public var lines: String {
    var facts: [(String, String)] = [
      ("changed", "\(hasChanged)"), ("serial", "\(manifest.serial)"), ("previous_serial", "\(formerSerial ?? 0)"),
      ("issued", manifest.issued.formatted(.iso8601)), ("expires", manifest.expires.formatted(.iso8601)),
      ("set", set), ("fetched_bytes", "\(fetchedBytes)"),
    ]
    for item in items where item.format == nil {
      let plain = String(item.update.pack.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
      let name = plain.first?.isNumber == true ? "_\(plain)" : plain
      facts += [
        ("\(name)_changed", "\(!item.isHeld)"), ("\(name)_entries", "\(item.update.pack.entries)"),
        ("\(name)_bytes", "\(item.bytes)"), ("\(name)_sha256", item.sha256),
        ("\(name)_file", "current/\(item.name)"),
      ]
    }
    return facts.map { "\($0)=\($1)\n" }.joined()
  }
}
