import Foundation
import RingfenceCommand

/// Finds the API key that a benchmark sends. The key is a secret, so no option takes it.
enum BenchmarkKey {
  /// Reads `file`; without one RINGFENCE_API_KEY, or the key of the demo app in the data folder.
  /// - Throws: ``CommandFailure``.
  static func find(file: String?, data: String) throws -> String {
    if let file { return try SecretSetting.content(of: file) }
    if let key = try SecretSetting.read("RINGFENCE_API_KEY") { return key }
    let sample = "\(data)/sample-app.key"
    guard FileManager.default.fileExists(atPath: sample) else {
      throw CommandFailure.unreadable(
        "There is no API key. Set RINGFENCE_API_KEY or pass --key-file; make one with: ringfence app create NAME")
    }
    return try SecretSetting.content(of: sample)
  }
}
