import ArgumentParser
import Curation
import PhoneNumbers

/// Which thresholds are changed, and how; the same for `set` and `preview`.
struct ThresholdChange: ParsableArguments {
  @Option(
    help: ArgumentHelp("The category to change, such as fraud; may be given again, or be all.", valueName: "slug"))
  var category: [String] = []

  @Option(
    help: ArgumentHelp(
      "Change what is asked of one country's numbers alone (ISO 3166, such as DE). A country without a threshold of "
        + "its own starts from the general one.", valueName: "code"))
  var country: String?

  @Flag(help: "Take the country's own threshold away; the general one applies again.")
  var remove = false

  @Option(help: ArgumentHelp("Heat from which a moderator should look.", valueName: "heat"))
  var reviewHeat: Double?

  @Option(help: ArgumentHelp("Least heat to be listed: fresh complaints, half-life 14 days.", valueName: "heat"))
  var enterHeat: Double?
  @Option(help: ArgumentHelp("Least evidence to be listed: the same, half-life 125 days.", valueName: "evidence"))
  var enterEvidence: Double?
  @Option(help: ArgumentHelp("Least confidence to be listed, 0 to 1.", valueName: "part"))
  var enterConfidence: Double?
  @Option(help: ArgumentHelp("Least distinct reporters to be listed.", valueName: "count"))
  var enterReporters: Int?
  @Option(help: ArgumentHelp("Least distinct networks to be listed, 0 to 64.", valueName: "count"))
  var enterNetworks: Int?
  @Option(help: ArgumentHelp("Least distinct days with a complaint to be listed, 0 to 64.", valueName: "count"))
  var enterDays: Int?

  @Option(help: ArgumentHelp("Least heat to stay listed.", valueName: "heat"))
  var leaveHeat: Double?
  @Option(help: ArgumentHelp("Least evidence to stay listed.", valueName: "evidence"))
  var leaveEvidence: Double?
  @Option(help: ArgumentHelp("Least confidence to stay listed.", valueName: "part"))
  var leaveConfidence: Double?
  @Option(help: ArgumentHelp("Least distinct reporters to stay listed.", valueName: "count"))
  var leaveReporters: Int?
  @Option(help: ArgumentHelp("Least distinct networks to stay listed.", valueName: "count"))
  var leaveNetworks: Int?
  @Option(help: ArgumentHelp("Least distinct days with a complaint to stay listed.", valueName: "count"))
  var leaveDays: Int?

  func validate() throws {
    guard !category.isEmpty else { throw ValidationError("Name the category to change: --category fraud, or all.") }
    for slug in category where slug != "all" && ReportCategory(slug: slug)?.isToxic != true {
      let known = ReportCategory.allCases.filter(\.isToxic).map(\.slug).joined(separator: ", ")
      throw ValidationError("--category \(slug) is none of: \(known), all.")
    }
    if let country, !PhoneRegion.isSupported(country) {
      throw ValidationError("--country \(country) is no country with telephone numbers. Use two letters, such as DE.")
    }
    guard !remove || country != nil else { throw ValidationError("--remove needs --country.") }
    guard remove != hasStatistics else {
      throw ValidationError(
        remove
          ? "--remove takes the whole threshold away: leave the figures out." : "Say what to change: --enter-heat 3.")
    }
  }

  /// The set with the change.
  /// - Throws: ``ThresholdProblem``.
  func applied(to set: ThresholdSet) throws -> ThresholdSet {
    let categories = ReportCategory.allCases.filter { category in
      category.isToxic && (self.category.contains("all") || self.category.contains(category.slug))
    }
    let country = country.flatMap { PhoneRegion($0)?.code }
    return try categories.reduce(set) { set, category in
      if remove, let country { return try set.removing(category, country: country) }
      guard var threshold = set.threshold(for: category, country: { country }) else { return set }
      threshold.country = country
      change(&threshold)
      return try set.replacing(threshold)
    }
  }

  private var hasStatistics: Bool {
    [reviewHeat, enterHeat, enterEvidence, enterConfidence, leaveHeat, leaveEvidence, leaveConfidence]
      .contains { $0 != nil }
      || [enterReporters, enterNetworks, enterDays, leaveReporters, leaveNetworks, leaveDays].contains { $0 != nil }
  }

  private func change(_ threshold: inout Threshold) {
    threshold.reviewHeat = reviewHeat ?? threshold.reviewHeat
    threshold.enter.heat = enterHeat ?? threshold.enter.heat
    threshold.enter.evidence = enterEvidence ?? threshold.enter.evidence
    threshold.enter.confidence = enterConfidence ?? threshold.enter.confidence
    threshold.enter.reporters = enterReporters ?? threshold.enter.reporters
    threshold.enter.networks = enterNetworks ?? threshold.enter.networks
    threshold.enter.days = enterDays ?? threshold.enter.days
    threshold.leave.heat = leaveHeat ?? threshold.leave.heat
    threshold.leave.evidence = leaveEvidence ?? threshold.leave.evidence
    threshold.leave.confidence = leaveConfidence ?? threshold.leave.confidence
    threshold.leave.reporters = leaveReporters ?? threshold.leave.reporters
    threshold.leave.networks = leaveNetworks ?? threshold.leave.networks
    threshold.leave.days = leaveDays ?? threshold.leave.days
  }
}
