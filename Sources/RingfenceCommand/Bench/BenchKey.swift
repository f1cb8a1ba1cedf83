import Foundation

/// The API key that a benchmark sends: a secret, so no option takes it.
enum BenchKey {
  /// RINGFENCE_API_KEY, a file, or the key of the sample app in the data folder.
  /// - Throws: ``CommandFailure``.
  static func find(file: String?, data: String) throws -> String {
    if file == nil, let key = try SecretSetting.read("RINGFENCE_API_KEY") { return key }
    guard let text = FileManager.default.contents(atPath: file ?? "\(data)/sample-app.key") else {
      throw CommandFailure.unreadable(
        "Give an app's key in RINGFENCE_API_KEY or --key-file; make one with: ringfence app create NAME")
    }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
