// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Importing
import Localization
import Storage

/// A file of numbers and patterns to protect.
struct ProtectionFile {
  let path: String
  /// The reason for lines without one.
  let reason: String

  /// The maximum file size in bytes: enough for 2,000,000 numbers with short reasons.
  static let mostBytes = 256 << 20

  /// - Throws: ``CommandFailure`` with the first wrong line.
  func targets() throws -> [(target: ProtectionTarget, reason: String)] {
    guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int else {
      throw CommandFailure.unreadable("Cannot read \(path). Check its name, owner and permissions.")
    }
    guard size <= Self.mostBytes, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw CommandFailure.unreadable(
        "\(path) is not UTF-8 text of at most \(Self.mostBytes >> 20) MB. Convert or divide the file.")
    }
    var targets: [(target: ProtectionTarget, reason: String)] = []
    // On Windows a line ends with "\r\n", which is one Character and not "\n".
    let lines = text.drop { $0 == "\u{FEFF}" }.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let columns = line.split(separator: "\t", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard let first = columns.first, !first.isEmpty, !first.hasPrefix("#") else { continue }
      let own = columns.count > 1 && !columns[1].isEmpty ? columns[1] : reason
      do {
        targets.append((try ProtectionTarget(first), try RuleViolation.line(own, "reason", atMost: 200)))
      } catch let error as ProtectedPatternError {
        throw refused(index, try Localizer.commandLine().message(error))
      } catch let violation as RuleViolation {
        throw refused(index, try Localizer.commandLine().message(violation))
      }
    }
    return targets
  }

  private func refused(_ index: Int, _ why: String) -> CommandFailure {
    CommandFailure.failed("\(path), line \(index + 1): \(why) Nothing was changed.")
  }
}
