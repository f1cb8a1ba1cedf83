// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Metrics
import PhoneNumbers
import Publishing
import Storage

/// The name and the verdict of a caller for telephone systems.
struct TelephoneSystemsController: Sendable {
  /// The text of an answer in one line.
  private enum Form: String {
    case name, verdict
  }

  /// The most time to read an answer, with the check of the key: a call waits for it.
  static let deadline = Duration.seconds(2)

  let lookups: HashLookupStore
  let counter: RemediationCounter
  let metrics: TelephoneSystemMetrics

  /// `GET /v1/pbx/{number}` and `GET /v1/pbx?number=`: the name or the verdict, in one line.
  @Sendable func line(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let asked = request.uri.queryParameters["as"].map(String.init) ?? Form.name.rawValue
    guard let form = Form(rawValue: asked) else {
      throw Problem.parameter("as", asked, "It must be name or verdict. JSON is at /v1/pbx/NUMBER/json.")
    }
    // A name is also asked for by programs that only show it, and by dial plans after a verdict.
    let caller = try await caller(request, context, isCounted: form == .verdict)
    // Without an end of line.
    return Self.cached(
      Response(
        status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
        body: .init(byteBuffer: ByteBuffer(string: form == .name ? caller.name : caller.verdict.rawValue))))
  }

  /// `GET /v1/pbx/{number}/json`: both.
  @Sendable func json(_ request: Request, context: ServerRequestContext) async throws -> Response {
    Self.cached(JSON.response(try await caller(request, context, isCounted: true)))
  }

  private func caller(
    _ request: Request, _ context: ServerRequestContext, isCounted: Bool
  ) async throws -> CallerVerdict {
    let parameters = request.uri.queryParameters
    let region = parameters["region"].map(String.init)
    if let region, !PhoneRegion.isSupported(region) { throw Problem.notARegion(region) }
    // FreePBX can have the number in the query alone.
    // There a plus may be a space.
    let text =
      context.parameters.get("number").map { $0.removingPercentEncoding ?? $0 }
      ?? parameters["number"].map { $0.hasPrefix(" ") ? "+\($0.dropFirst())" : String($0) }
    guard let number = text.flatMap({ DialedNumber.read($0, region: region) }) else {
      throw Problem.notANumber
    }
    let said = parameters["verstat"].map(String.init) ?? ""
    // A dial plan passes an empty value for a call without one.
    guard said.isEmpty || CallVerification(said) != nil else {
      throw Problem.parameter(
        "verstat", said, "It must be passed, failed or none, or a value of the SIP parameter verstat.")
    }
    let listed = try await lookups.listed(number: number.digits)
    var answer = CallerVerdict(number: number.e164, listed)
    if CallVerification(said) == .failed, let rule = context.app?.failedCalls { answer.apply(rule) }
    // A call that is refused for its failed verification alone matched no list.
    if let listed, isCounted, request.method == .get {
      await counter.note(
        .telephoneSystems, isBlocked: answer.verdict == .block,
        classes: [.numberType: number.kind.rawValue, .treatment: listed.mayBlock ? "block" : "identify"],
        of: context.app, at: Date())
    }
    metrics.note(answer.verdict)
    return answer
  }

  private static func cached(_ answer: Response) -> Response {
    var answer = answer
    answer.headers[.cacheControl] = "private, max-age=\(PublicationCopy.lookupSeconds)"
    return answer
  }
}

/// The answer of a telephone system's lookup.
struct CallerVerdict: Encodable, Equatable {
  enum Verdict: String, Encodable, CaseIterable {
    case block
    case identify
    /// The number is not listed, is protected, or a moderator has allowed it.
    case allow
  }

  /// In E.164 with a plus.
  let number: String
  private(set) var verdict: Verdict
  /// Empty for a number that is not listed.
  private(set) var name: String
  /// The slug; nil for a number that is not listed.
  let category: String?

  /// - Parameter listed: nil for a number that is not listed.
  init(number: String, _ listed: ListedHash?) {
    self.number = number
    verdict = listed.map { $0.mayBlock ? .block : .identify } ?? .allow
    let name = listed.map { CallerName.text(of: $0.label) } ?? ""
    // A label of nothing but special characters.
    self.name = name.isEmpty ? listed.map { CallerName.text(of: $0.category.label) } ?? "" : name
    category = listed?.category.slug
  }

  /// The name of a caller whose number no network answers for.
  private static let falseCaller = "Caller may show a false number"

  /// Adds what the app's operator wants for calls that failed verification.
  mutating func apply(_ rule: FailedCalls) {
    guard rule != .nothing else { return }
    if name.isEmpty { name = Self.falseCaller }
    if rule == .reject { verdict = .block } else if verdict == .allow { verdict = .identify }
  }
}

/// A label in a form that dial plans and SIP headers can contain.
enum CallerName {
  /// Telephones show fewer characters than this many bytes.
  static let maxBytes = 60

  /// Characters with a meaning in dial plans, in SIP headers, or for `CURLOPT(hashcompat)` of Asterisk. Parentheses,
  /// colons and bars separate the arguments of its applications.
  private static let removed = Set(#""'`\&={}$<>;():|?[],"#.unicodeScalars)

  /// A line of at most 60 bytes without these characters; empty if nothing is left.
  static func text(of label: String) -> String {
    var words: [String] = [""]
    for scalar in label.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator:
        if words.last != "" { words.append("") }
      default:
        if !removed.contains(scalar) { words[words.count - 1].unicodeScalars.append(scalar) }
      }
    }
    var text = words.filter { !$0.isEmpty }.joined(separator: " ")
    while text.utf8.count > maxBytes { text.removeLast() }
    return text.last == " " ? String(text.dropLast()) : text
  }
}

/// Reads the caller's number as telephone systems have it.
enum DialedNumber {
  /// Digits without a prefix are first read as an international number, because telephone systems remove the plus. A number
  /// that is not in the plan is nevertheless looked up.
  /// - Parameters:
  ///   - text: from the path; possibly a word such as `anonymous`, or an extension.
  ///   - region: ISO 3166-1 alpha-2.
  /// - Returns: nil for anything else.
  static func read(_ text: String, region: String?) -> PhoneNumber? {
    if let number = try? PhoneNumber(parsing: text, region: region, isInternational: true) { return number }
    // Carriers write parameters behind the number of a caller (RFC 4904).
    if let parameter = text.firstMatch(of: /;[A-Za-z-]+=/), parameter.range.lowerBound > text.startIndex {
      return read(String(text[..<parameter.range.lowerBound]), region: region)
    }
    var digits = Substring(text)
    if digits.first == "+" { digits.removeFirst() } else if digits.hasPrefix("00") { digits.removeFirst(2) }
    guard digits.first != "0", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(digits).flatMap(PhoneNumber.init(digits:))
  }
}

struct TelephoneSystemMetrics: Sendable {
  private let lookups: [CallerVerdict.Verdict: Counter]

  init(_ factory: any MetricsFactory) {
    lookups = Dictionary(
      uniqueKeysWithValues: CallerVerdict.Verdict.allCases.map { verdict in
        let labels = [("verdict", verdict.rawValue)]
        return (verdict, Counter(label: "ringfence_telephone_lookups_total", dimensions: labels, factory: factory))
      })
  }

  func note(_ verdict: CallerVerdict.Verdict) { lookups[verdict]?.increment() }
}
