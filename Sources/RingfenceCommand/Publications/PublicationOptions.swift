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
}

/// The settings of publications.
struct PublicationConfiguration {
  var policy = PublicationPolicy()
  /// The recipe file; nil takes the data folder's, or the one shipped with the program.
  var recipes: String?

  init() {}

  /// - Throws: ``CommandFailure`` for an invalid setting.
  init(_ settings: Settings) throws {
    recipes = try settings.recipes
    policy.deltaBases = try settings.deltaBases
    policy.lifetime = Double(try settings.validDays) * 86_400
    policy.limits.minSize = Double(try settings.minSize) / 100
    policy.limits.maxSize = Double(try settings.maxSize) / 100
    policy.limits.maxChurn = Double(try settings.maxChurn) / 100
    policy.limits.tolerance = try settings.tolerance
    policy.webhooks = Webhooks(urls: try settings.webhook ?? [])
  }
}
