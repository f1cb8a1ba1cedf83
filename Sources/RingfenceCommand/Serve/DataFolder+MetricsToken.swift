import Foundation

extension DataFolder {
  /// The bearer token of readers of `/metrics`: RINGFENCE_METRICS_TOKEN, the file that RINGFENCE_METRICS_TOKEN_FILE names,
  /// or a file in this folder that is made once, for Prometheus to read (`credentials_file`).
  func metricsToken(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
    let name = "RINGFENCE_METRICS_TOKEN"
    let given = try SecretSetting.read(name, environment: environment)
    let token =
      try given
      ?? secret("metrics.token") {
        (0..<32).map { _ in String(format: "%02x", UInt8.random(in: 0...255)) }.joined()
      }
    guard (16...200).contains(token.utf8.count) else {
      let place = given == nil ? "\(path)/metrics.token" : name
      throw CommandFailure.failed("\(place) must hold 16 to 200 characters. Make one with: openssl rand -hex 32")
    }
    return token
  }
}
