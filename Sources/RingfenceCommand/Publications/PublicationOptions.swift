// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Publishing

/// The options of a publication, shared by every command that makes one.
struct PublicationOptions: ParsableArguments {
  @Option(\.recipes) var recipes: String?

  @Option(\.deltaBases) var deltaBases: String?

  @Option(\.validDays) var validDays: String?

  @Option(\.minSize) var minSize: String?

  @Option(\.maxSize) var maxSize: String?

  @Option(\.maxChurn) var maxChurn: String?

  @Option(\.tolerance) var tolerance: String?

  @Option(\.webhook) var webhook: [String] = []

  /// The given values by the name of the setting.
  var given: [String: String?] {
    [
      "recipes": recipes, "delta-bases": deltaBases, "valid-days": validDays, "min-size": minSize,
      "max-size": maxSize, "max-churn": maxChurn, "tolerance": tolerance,
      "webhook": webhook.isEmpty ? nil : webhook.joined(separator: " "),
    ]
  }
}

extension Settings {
  /// The policy from the settings.
  var policy: PublicationPolicy {
    get throws {
      PublicationPolicy(
        deltaBases: try self.deltaBases, lifetime: Double(try self.validDays) * 86_400,
        limits: GateLimits(
          minSize: Double(try self.minSize) / 100, maxSize: Double(try self.maxSize) / 100,
          maxChurn: Double(try self.maxChurn) / 100, tolerance: try self.tolerance),
        webhooks: Webhooks(urls: try self.webhook ?? []))
    }
  }
}
