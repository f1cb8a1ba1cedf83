import ArgumentParser
import Foundation
import Publishing

/// Who is told of publications; shared by every command that makes them.
struct WebhookOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Tell this address of every publication, by a signed POST; may be repeated.",
      discussion: """
        Also from RINGFENCE_WEBHOOK_URL, several with spaces between. A running server sends it; publish and revoke tell \
        whom the server tells.
        """))
  var webhook: [String] = []

  func validate() throws { _ = try webhooks() }

  /// - Throws: `ValidationError` for an address that is not http or https.
  func webhooks(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Webhooks {
    let more = (environment["RINGFENCE_WEBHOOK_URL"] ?? "").split(separator: " ").map(String.init)
    var urls: [URL] = []
    for text in webhook + more {
      guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased() ?? ""),
        !(url.host ?? "").isEmpty, text.utf8.count <= 2_000
      else { throw ValidationError("--webhook is an address that begins with http:// or https://.") }
      if !urls.contains(url) { urls.append(url) }
    }
    return Webhooks(urls: urls)
  }
}

extension DataFolder {
  /// What webhooks are signed with: RINGFENCE_WEBHOOK_SECRET, the file that RINGFENCE_WEBHOOK_SECRET_FILE names, or a
  /// file in the data folder that is made once.
  func webhookSecret(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> WebhookSecret {
    if let text = try SecretSetting.read("RINGFENCE_WEBHOOK_SECRET", environment: environment) {
      return try Self.webhookSecret(text, from: "RINGFENCE_WEBHOOK_SECRET")
    }
    let text = try secret("webhook.secret") {
      (0..<32).map { _ in String(format: "%02x", UInt8.random(in: 0...255)) }.joined()
    }
    return try Self.webhookSecret(text, from: "\(path)/webhook.secret")
  }

  private static func webhookSecret(_ text: String, from place: String) throws -> WebhookSecret {
    guard let secret = WebhookSecret(text) else {
      throw CommandFailure.failed("\(place) must hold at least 16 characters. Make one with: openssl rand -hex 32")
    }
    return secret
  }
}
