import ArgumentParser
import Publishing

/// What a publication may be, shared by every command that makes one.
struct PublicationOptions: ParsableArguments {
  @Option(
    help: "A file of recipes: what packs there are. Otherwise recipes.yaml of the data folder, or the shipped one.")
  var recipes: String?

  @Option(help: "Make deltas from so many earlier publications, 0 to 100.")
  var deltaBases = 14

  @Option(help: "Days until a publication expires; readers refuse it then.")
  var validDays = 2

  @Option(help: "The least size of a pack in percent of the one before, 0 to 100.")
  var leastSize = 50

  @Option(help: "The greatest size of a pack in percent of the one before, 100 or more.")
  var greatestSize = 200

  @Option(help: "The most numbers that may come and go at once, in percent of those before.")
  var greatestChurn = 50

  @Option(help: "Differences of so few entries are never too many.")
  var slack = 1_000

  @OptionGroup var receivers: WebhookOptions

  func validate() throws {
    guard (0...100).contains(deltaBases) else { throw ValidationError("--delta-bases is 0 to 100.") }
    guard (1...3_650).contains(validDays) else { throw ValidationError("--valid-days is 1 to 3650.") }
    guard (0...100).contains(leastSize) else { throw ValidationError("--least-size is 0 to 100 percent.") }
    guard (100...100_000).contains(greatestSize) else {
      throw ValidationError("--greatest-size is 100 to 100000 percent.")
    }
    guard (0...100_000).contains(greatestChurn) else {
      throw ValidationError("--greatest-churn is 0 to 100000 percent.")
    }
    guard (0...10_000_000).contains(slack) else { throw ValidationError("--slack is 0 to 10000000 entries.") }
  }

  var policy: PublicationPolicy {
    PublicationPolicy(
      deltaBases: deltaBases, lifetime: Double(validDays) * 86_400,
      limits: GateLimits(
        leastSize: Double(leastSize) / 100, greatestSize: Double(greatestSize) / 100,
        greatestChurn: Double(greatestChurn) / 100, slack: slack),
      webhooks: (try? receivers.webhooks()) ?? Webhooks())
  }
}
