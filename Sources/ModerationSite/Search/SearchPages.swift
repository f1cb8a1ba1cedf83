// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Foundation
import Hummingbird
import PhoneNumbers
import Storage

/// `/moderation/search`: finds a number in any spelling, by its beginning, its ending or other digits, by a moderator's
/// label, or by a name in a directory.
struct SearchPages: Sendable {
  let search: SearchStore
  let pages: PageRenderer

  static let address = "/moderation/search"
  static let rows = 50

  @Sendable func search(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let text = request.query("q")
    let after = Int64(request.query("after")) ?? 0
    let wish = SearchRequest(
      text, country: request.headers[.acceptLanguage].flatMap(CallerRegion.country(acceptLanguage:)))
    var page = SearchPage(text: text)
    let texts = pages.texts(context)
    do {
      switch wish {
      case .nothing: break
      case .tooShort: page.hint = texts.count("search.short", SearchStore.minEnding)
      case .middleTooShort:
        page.hint = texts("search.short-middle", ["count": texts.number(SearchStore.minMiddle)])
      case .ending(let digits):
        page.add(try await search.numbers(endingWith: digits, after: after, limit: Self.rows + 1), text, texts)
      case .middle(let digits):
        page.add(try await search.numbers(containing: digits, after: after, limit: Self.rows + 1), text, texts)
      case .label(let label):
        let (hits, unsearched) = try await search.numbers(labelled: label, after: after, limit: Self.rows + 1)
        page.add(hits, text, texts)
        if !unsearched.isEmpty {
          page.hint = texts("search.not-yet", ["sources": unsearched.joined(separator: ", ")])
        }
      case .beginning(let digits, let exact, let ending):
        if after == 0, let exact { page.exact = try await search.lines(of: [exact]).map { $0.record(texts) } }
        page.add(
          try await search.numbers(beginningWith: digits, after: after, limit: Self.rows + 1)
            .filter { $0.number != exact }, text, texts)
        // If no number begins with the digits, they may be the ending of a number in national format.
        if page.rows.isEmpty, page.exact.isEmpty || exact == nil, let ending {
          page.add(try await search.numbers(endingWith: ending, after: after, limit: Self.rows + 1), text, texts)
        }
      }
    } catch is SearchTimeout {
      page.hint = texts("search.slow")
    }
    if wish != .nothing, page.rows.isEmpty, page.exact.isEmpty, page.hint.isEmpty { page.hint = texts("search.none") }
    return try pages.page("search", page.record, context)
  }
}

enum SearchRequest: Equatable {
  case nothing
  /// Too few digits for a search by ending.
  case tooShort
  case middleTooShort
  /// The first digits of a number; `exact` is the number if they are complete; `ending` has them without the
  /// national prefix.
  case beginning(Int64, exact: Int64?, ending: String?)
  /// The last digits of a number, such as `*123456`.
  case ending(String)
  /// Digits from the middle of a number, such as `*1234*`.
  case middle(String)
  /// The beginning of a label, or of the words of a name in a directory.
  case label(String)

  /// - Parameter country: where a number in national format is dialed; nil if unknown.
  init(_ text: String, country: String?) {
    guard !text.isEmpty else {
      self = .nothing
      return
    }
    let digits = text.unicodeScalars.filter { ("0"..."9").contains($0) }.map(String.init).joined()
    let isNumber = text.unicodeScalars.allSatisfy {
      ("0"..."9").contains($0) || " +-–()./*…\u{A0}".unicodeScalars.contains($0)
    }
    let region = country.flatMap { PhoneRegion($0)?.code }
    guard isNumber, !digits.isEmpty, digits.utf8.count <= 15 else {
      let number = PhoneNumber.isURI(text) ? try? PhoneNumber(parsing: text, region: region) : nil
      self =
        number.map { .beginning($0.digits, exact: $0.digits, ending: nil) }
        ?? (isNumber && digits.isEmpty ? .tooShort : .label(text))
      return
    }
    let isMiddle = "*…".contains(text[text.startIndex]) && "*…".contains(text[text.index(before: text.endIndex)])
    if isMiddle {
      self = digits.utf8.count < SearchStore.minMiddle ? .middleTooShort : .middle(digits)
      return
    }
    if text.hasPrefix("*") || text.hasPrefix("…") {
      self = digits.utf8.count < SearchStore.minEnding ? .tooShort : .ending(digits)
      return
    }
    let whole = try? PhoneNumber(parsing: text, region: region)
    let national = String(digits.drop { $0 == "0" })
    let ending = national.utf8.count >= SearchStore.minEnding ? national : nil
    // +49…, 0049… and 49… are the same beginning.
    guard let beginning = Int64(digits.hasPrefix("00") || !digits.hasPrefix("0") ? national : ""), beginning > 0 else {
      self =
        whole.map { .beginning($0.digits, exact: $0.digits, ending: ending) } ?? ending.map(Self.ending) ?? .tooShort
      return
    }
    self = .beginning(beginning, exact: whole?.digits, ending: ending)
  }
}

private struct SearchPage {
  let text: String
  var hint = ""
  var exact: [TemplateRecord] = []
  var rows: [TemplateRecord] = []
  /// The address of the next page; empty for none.
  var next = ""

  mutating func add(_ lines: [SearchHit], _ text: String, _ texts: Localizer) {
    rows = lines.prefix(SearchPages.rows).map { $0.record(texts) }
    next =
      lines.count > SearchPages.rows
      ? Query.address(SearchPages.address, ["q": text, "after": "\(lines[SearchPages.rows - 1].number)"]) : ""
  }

  /// Values of the template `search`.
  var record: TemplateRecord {
    ["text": text, "isEmpty": text.isEmpty, "hint": hint, "exact": exact, "rows": rows, "next": next]
  }
}
