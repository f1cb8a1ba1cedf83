// SPDX-License-Identifier: Apache-2.0

import Curation
import TestSupport

/// Days of an installation that begins empty: its users, the numbers that call them, and an attack.
struct Scenario: Sendable {
  /// A list that the installation subscribes to on its first day. It has some of the nuisances, some one-off numbers, and
  /// others that nobody reports.
  struct List: Sendable {
    var ceiling = SourceCeiling.review
    var numbers = 300
    /// Nuisances that are on it.
    var nuisances = 20
    /// Numbers on it that two users report.
    var pairs = 10
  }

  var name: String
  var days = 28
  var users = 300
  /// Days over which users install the app.
  var installDays = 7
  var nuisances = 40
  /// Users who report one nuisance, over ``reportDays`` days.
  var reporters = 3...9
  var reportDays = 14
  /// Days over which nuisances begin to call.
  var firstCallDays = 1
  /// Categories of nuisances; two of ten reports have a different one where there is more than one.
  var categories: [ReportCategory] = [.fraud]
  /// Whether all reports come through one network: an app's own server.
  var hasOneNetwork = false
  /// Whether the app's server says that it has known all its users for a year.
  var vouches = false
  /// Whether the phones of users have attested.
  var hasAttestedUsers = false
  /// The share of reports about nuisances, which borrow other people's numbers then, that say that verification failed.
  var failedShare = 0.0
  /// Phones that say `failed` of every nuisance, to hide them, and whether they are trusted.
  var liars = 0
  var areLiarsTrusted = true
  /// The weight of new reporters without attestation; nil for the default.
  var unattestedWeight: Double?
  var list: List?
  var brigade: Brigade?
}

/// Accounts that report innocent numbers by arrangement.
struct Brigade: Sendable {
  /// Reports of the accounts before the attack, so that they count as established.
  enum Aging: Sendable {
    case none
    /// Three numbers that nobody else reports.
    case own
    /// Three numbers that four accounts report.
    case shared
    /// Three nuisances that people report, too.
    case genuine
  }

  var accounts: Int
  var targets: Int
  /// Accounts that report one target.
  var reporters: Int
  /// The day of the first report about a target, from 0.
  var start = 7
  /// Days over which the reports about a target arrive.
  var days = 1
  /// Days that the reports claim, where they all arrive on one day.
  var claimedDays = 1
  var networks = 200
  /// Whether accounts share all their targets; otherwise any two share as few as possible.
  var sharesTargets = true
  var aging = Aging.none
  /// Whether its targets are numbers of the list.
  var copiesList = false
  /// Whether each account is a phone of its own that has attested.
  var hasDevices = false
}

/// A report that arrives in a simulated installation, without the installation's ids.
struct SimulatedReport: Sendable {
  /// The day and the hour of its arrival, from 0.
  var day: Int
  var hour: Int
  /// Days before the arrival that the report claims as its day.
  var claimedAge = 0
  var number: Int64
  var reporter: Int
  var network: Int
  var category = ReportCategory.fraud
  var comment: String?
  var verification: ReportedVerification?
}

/// The numbers of a scenario and the reports about them, repeatable by a seed.
struct SimulatedReports: Sendable {
  private(set) var nuisances: [Int64] = []
  /// Numbers that one or two users report, and businesses that as many call legitimate as complain.
  private(set) var others: [Int64] = []
  private(set) var targets: [Int64] = []
  private(set) var list: [Int64] = []
  private(set) var reports: [SimulatedReport] = []

  private let scenario: Scenario
  private var installed: [Int] = []
  private var pairs: [Int64] = []

  init(_ scenario: Scenario, seed: UInt64) {
    self.scenario = scenario
    // One generator each: people do the same with a brigade and without.
    var people = SeededGenerator(seed: seed)
    var accounts = SeededGenerator(seed: seed &+ 0x5EED)
    addPeople(&people)
    if let list = scenario.list { add(list) }
    if let brigade = scenario.brigade { add(brigade, &accounts) }
    for index in reports.indices where scenario.hasOneNetwork { reports[index].network = 0 }
    var networks = SeededGenerator(seed: seed &+ 0xFA11)
    verify(&networks)
  }

  /// The reporters and networks of accounts follow the reporters and networks of users.
  private static let firstAccount = 100_000

  /// The reporters whose phones have attested.
  var attested: Set<Int> {
    Set(reports.map(\.reporter)).filter {
      $0 < Self.firstAccount ? scenario.hasAttestedUsers : scenario.brigade?.hasDevices ?? false
    }
  }

  private mutating func addPeople(_ generator: inout SeededGenerator) {
    installed = (0..<scenario.users).map { _ in Int.random(in: 0..<scenario.installDays, using: &generator) }
    // Three of ten share the address of one of four carriers.
    let networks = (0..<scenario.users).map { user in
      Int.random(in: 0..<10, using: &generator) < 3 ? Int.random(in: 1...4, using: &generator) : 1_000 + user
    }
    func add(_ number: Int64, by user: Int, in days: Range<Int>, as category: ReportCategory) {
      let first = max(installed[user], days.lowerBound)
      let hasComment = Int.random(in: 0..<10, using: &generator) < 3
      let text = Int.random(in: 0..<10, using: &generator) < 2 ? "Spam call" : "They wanted my card, says user \(user)."
      reports.append(
        SimulatedReport(
          day: Int.random(in: first..<max(first + 1, days.upperBound), using: &generator),
          hour: Int.random(in: 0..<24, using: &generator), number: number, reporter: user, network: networks[user],
          category: category, comment: hasComment ? text : nil))
    }
    func someone(_ count: Int) -> ArraySlice<Int> { (0..<scenario.users).shuffled(using: &generator).prefix(count) }

    nuisances = (0..<scenario.nuisances).map { 33_170_000_000 + Int64($0) * 997 }
    for (index, number) in nuisances.enumerated() {
      let begin = Int.random(in: 0..<scenario.firstCallDays, using: &generator)
      let days = begin..<min(begin + scenario.reportDays, scenario.days)
      for user in someone(Int.random(in: scenario.reporters, using: &generator)) {
        let isUsual = Int.random(in: 0..<10, using: &generator) < 8
        let category = isUsual ? scenario.categories[index % scenario.categories.count] : scenario.categories[0]
        add(number, by: user, in: days, as: category)
      }
      if index % 10 == 0 { for user in someone(1) { add(number, by: user, in: days, as: .legitimate) } }
    }
    let all = 0..<scenario.days
    for index in 0..<2 * scenario.users {
      others.append(33_180_000_000 + Int64(index) * 991)
      for user in someone(1) { add(others[index], by: user, in: all, as: .fraud) }
    }
    pairs = (0..<scenario.users / 10).map { 33_182_000_000 + Int64($0) * 991 }
    for number in pairs { for user in someone(2) { add(number, by: user, in: all, as: .fraud) } }
    let businesses = (0..<10).map { 33_184_000_000 + Int64($0) * 991 }
    for number in businesses {
      for (place, user) in someone(7).enumerated() {
        add(number, by: user, in: all, as: place < 3 ? .telemarketing : .legitimate)
      }
    }
    others += pairs + businesses
  }

  private mutating func verify(_ generator: inout SeededGenerator) {
    let borrowed = Set(nuisances)
    for index in reports.indices where borrowed.contains(reports[index].number) {
      guard Double.random(in: 0..<1, using: &generator) < scenario.failedShare else { continue }
      reports[index].verification = ReportedVerification(.failed, isTrusted: scenario.hasAttestedUsers)
    }
    for number in nuisances {
      for liar in 0..<scenario.liars {
        let reporter = 2 * Self.firstAccount + liar
        reports.append(
          SimulatedReport(
            day: 1 + liar % 3, hour: 3, number: number, reporter: reporter, network: reporter, category: .legitimate,
            verification: ReportedVerification(.failed, isTrusted: scenario.areLiarsTrusted)))
      }
    }
  }

  private mutating func add(_ settings: Scenario.List) {
    list = Array(nuisances.prefix(settings.nuisances) + pairs.prefix(settings.pairs))
    list += (0..<max(0, settings.numbers - list.count)).map { 33_186_000_000 + Int64($0) * 983 }
  }

  private mutating func add(_ brigade: Brigade, _ generator: inout SeededGenerator) {
    targets =
      brigade.copiesList
      ? Array(list.dropFirst((scenario.list?.nuisances ?? 0) + (scenario.list?.pairs ?? 0)).prefix(brigade.targets))
      : (0..<brigade.targets).map { 33_190_000_000 + Int64($0) * 1_009 }
    func add(_ number: Int64, by account: Int, on day: Int, claimedAge: Int = 0) {
      reports.append(
        SimulatedReport(
          day: day, hour: Int.random(in: 0..<24, using: &generator), claimedAge: claimedAge, number: number,
          reporter: Self.firstAccount + account, network: Self.firstAccount + account % brigade.networks))
    }
    for (account, number) in fillers(of: brigade, &generator).enumerated() {
      for (place, number) in number.enumerated() {
        add(number, by: account, on: max(0, brigade.start - 15) + place * 5)
      }
    }
    for (number, accounts) in zip(targets, brigade.assignment(&generator)) {
      for (place, account) in accounts.enumerated() {
        let isAtOnce = brigade.days == 1
        add(
          number, by: account, on: brigade.start + place % brigade.days,
          claimedAge: isAtOnce ? place % brigade.claimedDays : 0)
      }
    }
  }

  /// The numbers that each account reports before the attack. Those that no people report count as brigaded, too.
  private mutating func fillers(of brigade: Brigade, _ generator: inout SeededGenerator) -> [[Int64]] {
    func own(_ index: Int) -> Int64 { 33_195_000_000 + Int64(index) * 977 }
    switch brigade.aging {
    case .none: return []
    case .genuine:
      return (0..<brigade.accounts).map { _ in Array(nuisances.shuffled(using: &generator).prefix(3)) }
    case .own, .shared:
      let width = brigade.aging == .own ? 1 : 4
      var fillers = Array(repeating: [Int64](), count: brigade.accounts)
      for round in 0..<3 {
        for (place, account) in (0..<brigade.accounts).shuffled(using: &generator).enumerated() {
          fillers[account].append(own(round * brigade.accounts + place / width))
        }
      }
      targets += Set(fillers.flatMap { $0 }).sorted()
      return fillers
    }
  }
}

extension Brigade {
  /// The accounts that report each target.
  fileprivate func assignment(_ generator: inout SeededGenerator) -> [[Int]] {
    if sharesTargets {
      let groups = max(1, accounts / reporters)
      return (0..<targets).map { target in (0..<reporters).map { (target % groups) * reporters + $0 } }
    }
    // The account with the fewest reports next, which shares the fewest targets and no network with the others.
    var uses = Array(repeating: 0, count: accounts)
    var shared = Array(repeating: Array(repeating: 0, count: accounts), count: accounts)
    return (0..<targets).map { _ in
      var chosen: [Int] = []
      let order = (0..<accounts).shuffled(using: &generator)
      while chosen.count < reporters {
        let isFree = { (account: Int) in !chosen.contains(account) }
        let next = order.filter(isFree).min { left, right in
          func cost(_ account: Int) -> Int {
            chosen.reduce(uses[account]) { sum, other in
              sum + 100 * shared[account][other] + (account % networks == other % networks ? 1_000 : 0)
            }
          }
          return cost(left) < cost(right)
        }
        guard let next else { break }
        chosen.append(next)
      }
      for account in chosen {
        uses[account] += 1
        for other in chosen where other != account { shared[account][other] += 1 }
      }
      return chosen
    }
  }
}
