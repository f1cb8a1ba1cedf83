import Foundation

/// A setting that is a secret: from the environment, or from the file that the same name with `_FILE` behind it names.
/// There is no option for it on purpose: a command line is seen by every account of the machine.
package enum SecretSetting {
  /// - Returns: nil when neither is set.
  /// - Throws: ``CommandFailure`` when both are, or the file cannot be read.
  package static func read(
    _ name: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String? {
    let text = environment[name].flatMap { $0.isEmpty ? nil : $0 }
    guard let file = environment["\(name)_FILE"], !file.isEmpty else { return text }
    guard text == nil else { throw CommandFailure.failed("\(name) and \(name)_FILE are both set. Unset one of them.") }
    return try content(of: file, that: " that \(name)_FILE names")
  }

  /// A secret in a file that an option names.
  /// - Throws: ``CommandFailure`` when the file cannot be read, or is empty.
  package static func content(of file: String) throws -> String { try content(of: file, that: "") }

  private static func content(of file: String, that: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandFailure.unreadable(
        "The file \(file)\(that) cannot be read. Check its name, owner and permissions.")
    }
    let secret = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !secret.isEmpty else { throw CommandFailure.unreadable("The file \(file)\(that) is empty.") }
    return secret
  }
}
