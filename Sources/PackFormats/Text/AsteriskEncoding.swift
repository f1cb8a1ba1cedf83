// SPDX-License-Identifier: Apache-2.0

/// Lines for Asterisk's console: `database put blacklist <number> "<note>"`.
///
/// Asterisk compares the number exactly as the trunk delivers it: see ``ExportOptions/numberPrefix``.
struct AsteriskEncoding: RecordEncoding {
  let prefix: String
  let includesIdentified: Bool

  init(options: ExportOptions) {
    prefix = options.numberPrefix.text
    includesIdentified = options.includesIdentified
  }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    guard entry.blocks || includesIdentified else { return .notBlocking }
    let note = Self.note(entry.label ?? "1")
    bytes.append("database put blacklist ")
    bytes.append(prefix)
    bytes.append(String(entry.number))
    bytes.append(" \"")
    bytes.append(note.text)
    bytes.append("\"\n")
    return note.altered ? .altered : .written
  }

  /// The label with a space for each character that has a meaning in the console or in a shell; quotation marks become
  /// typographic ones.
  private static func note(_ label: String) -> (text: String, altered: Bool) {
    var text = String.UnicodeScalarView()
    for scalar in label.unicodeScalars {
      switch scalar {
      case "'": text.append("\u{2019}")
      case "\"": text.append("\u{201D}")
      case " ", ".", ",", ":", "(", ")", "/", "&", "+", "-", "_", "#", "@": text.append(scalar)
      default:
        let isText = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        let isMark = scalar.properties.generalCategory == .nonspacingMark
        let isPunctuation = scalar.value > 0x9F && !scalar.properties.isWhitespace
        text.append(isText || isMark || isPunctuation ? scalar : " ")
      }
    }
    let note = String(text)
    return (note, note != label)
  }
}
