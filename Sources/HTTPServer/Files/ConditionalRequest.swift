// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes

/// The conditions and the range of a request, evaluated in the order of RFC 9110, section 13.2.2.
struct ConditionalRequest {
  var ifMatch: String?
  var ifUnmodifiedSince: String?
  var ifNoneMatch: String?
  var ifModifiedSince: String?
  var ifRange: String?
  var range: String?
  /// Whether a range applies; it does not for HEAD.
  var isGet = true

  /// The validators of a file.
  struct Validators {
    let tag: EntityTag
    /// In whole seconds.
    let lastModified: Date
    /// Whether no other content can have the same date.
    let isDateStrong: Bool
  }

  enum Outcome: Equatable {
    case whole
    case part(Range<Int>)
    /// 304
    case notModified
    /// 412
    case preconditionFailed
    /// 416
    case notSatisfiable
  }

  /// - Parameter length: of the file in bytes.
  func outcome(for validators: Validators, length: Int) -> Outcome {
    if let ifMatch {
      guard EntityTagList(ifMatch).contains(where: validators.tag.matchesStrongly) else { return .preconditionFailed }
    } else if let time = ifUnmodifiedSince.flatMap({ HTTPDate.parse($0) }), validators.lastModified > time {
      return .preconditionFailed
    }
    if let ifNoneMatch {
      if EntityTagList(ifNoneMatch).contains(where: validators.tag.matchesWeakly) { return .notModified }
    } else if let time = ifModifiedSince.flatMap({ HTTPDate.parse($0) }), validators.lastModified <= time {
      return .notModified
    }
    guard isGet, let range, isSameAsBefore(validators) else { return .whole }
    switch HTTPRange(range, length: length) {
    case .whole: return .whole
    case .part(let part): return .part(part)
    case .notSatisfiable: return .notSatisfiable
    }
  }

  /// Whether the client's part belongs to the current content, by `If-Range`. A weak validator never matches.
  private func isSameAsBefore(_ validators: Validators) -> Bool {
    guard let ifRange else { return true }
    if let time = HTTPDate.parse(ifRange) { return validators.isDateStrong && time == validators.lastModified }
    guard case .tags(let tags) = EntityTagList(ifRange), tags.count == 1 else { return false }
    return tags[0].matchesStrongly(validators.tag)
  }
}

extension ConditionalRequest {
  init(_ request: HTTPRequest) {
    let fields = request.headerFields
    ifMatch = fields[.ifMatch]
    ifUnmodifiedSince = fields[.ifUnmodifiedSince]
    ifNoneMatch = fields[.ifNoneMatch]
    ifModifiedSince = fields[.ifModifiedSince]
    ifRange = fields[.ifRange]
    range = fields[.range]
    isGet = request.method == .get
  }
}
