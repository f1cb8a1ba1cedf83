// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Publishing

/// The options of a publication, shared by every command that makes one.
struct PublicationOptions: ParsableArguments {
  @Option(\.recipes) var recipes: String?

  @Option(\.deltaBases) var deltaBases: String?

  @Option(\.validDays) var validDays: String?

  @Option(\.leastSize) var leastSize: String?

  @Option(\.greatestSize) var greatestSize: String?

  @Option(\.greatestChurn) var greatestChurn: String?

  @Option(\.slack) var slack: String?

  @Option(\.webhook) var webhook: [String] = []

  /// The given values by the name of the setting.
  var given: [String: String?] {
    [
      "recipes": recipes, "delta-bases": deltaBases, "valid-days": validDays, "least-size": leastSize,
      "greatest-size": greatestSize, "greatest-churn": greatestChurn, "slack": slack,
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
          leastSize: Double(try self.leastSize) / 100, greatestSize: Double(try self.greatestSize) / 100,
          greatestChurn: Double(try self.greatestChurn) / 100, slack: try self.slack),
        webhooks: Webhooks(urls: try self.webhook ?? []))
    }
  }
}
