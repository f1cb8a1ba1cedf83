// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HTTPServer

/// RFC 9110, section 13: each field alone, and the precedence of two.
struct ConditionalRequestTests {
  private static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
  private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

  private func outcome(
    isDateStrong: Bool = true, length: Int = 10, _ change: (inout ConditionalRequest) -> Void
  ) -> ConditionalRequest.Outcome {
    var request = ConditionalRequest()
    change(&request)
    let validators = ConditionalRequest.Validators(
      tag: EntityTag("a"), lastModified: Date(timeIntervalSince1970: 784_111_777), isDateStrong: isDateStrong)
    return request.outcome(for: validators, length: length)
  }

  @Test(arguments: [
    (#""a""#, true), (#""b", "a""#, true), (#""b" ,, "a" ,"#, true), (#"W/"a""#, true), (#""x,y", W/"a""#, true),
    ("*", true), (" * ", true), (#""b""#, false), (#""A""#, false), ("a", false), ("", false), (#""a"#, false),
    (#""a" "b""#, false), (#"w/"a""#, false), (#""*""#, false), (#"*, "b""#, false),
  ])
  func `a client with a current entity tag gets 304 Not Modified`(_ field: String, isKnown: Bool) {
    #expect(outcome { $0.ifNoneMatch = field } == (isKnown ? .notModified : .whole))
    #expect(
      outcome {
        $0.ifNoneMatch = field
        $0.isGet = false
      } == (isKnown ? .notModified : .whole))
  }

  @Test(arguments: [
    (#""a""#, true), (#""b", "a""#, true), ("*", true), (#"W/"a""#, false), (#""b""#, false), ("nonsense", false),
  ])
  func `an If-Match precondition on other content is refused`(_ field: String, holds: Bool) {
    #expect(outcome { $0.ifMatch = field } == (holds ? .whole : .preconditionFailed))
  }

  @Test func `dates apply only without entity tags`() {
    for (date, isNew) in [(Self.before, true), (Self.same, false), (Self.after, false), ("yesterday", true)] {
      #expect(outcome { $0.ifModifiedSince = date } == (isNew ? .whole : .notModified))
    }
    for (date, holds) in [(Self.before, false), (Self.same, true), (Self.after, true), ("yesterday", true)] {
      #expect(outcome { $0.ifUnmodifiedSince = date } == (holds ? .whole : .preconditionFailed))
    }
    // The entity tag has precedence.
    #expect(
      outcome {
        $0.ifNoneMatch = #""b""#
        $0.ifModifiedSince = Self.same
      } == .whole)
    #expect(
      outcome {
        $0.ifMatch = #""a""#
        $0.ifUnmodifiedSince = Self.before
      } == .whole)
  }

  @Test func `a failed precondition has priority over 304 Not Modified`() {
    #expect(
      outcome {
        $0.ifMatch = #""b""#
        $0.ifNoneMatch = #""a""#
      } == .preconditionFailed)
  }

  @Test func `304 Not Modified has priority over a range`() {
    #expect(
      outcome {
        $0.ifNoneMatch = #""a""#
        $0.range = "bytes=20-"
      } == .notModified)
  }

  @Test func `a range applies to GET only`() {
    #expect(outcome { $0.range = "bytes=1-2" } == .part(1..<3))
    #expect(outcome { $0.range = "bytes=20-" } == .notSatisfiable)
    #expect(
      outcome {
        $0.range = "bytes=20-"
        $0.isGet = false
      } == .whole)
  }

  @Test(arguments: [
    (#""a""#, true), (#"W/"a""#, false), (#""b""#, false), ("*", false), (#""a", "b""#, false), ("a", false),
    (same, true), (before, false), (after, false), ("Sunday, 06-Nov-94 08:49:37 GMT", true),
    ("Sun Nov  6 08:49:37 1994", true),
  ])
  func `If-Range returns a part only of the same content`(_ field: String, isSame: Bool) {
    for (range, expected) in [("bytes=1-2", ConditionalRequest.Outcome.part(1..<3)), ("bytes=20-", .notSatisfiable)] {
      let outcome = outcome {
        $0.ifRange = field
        $0.range = range
      }
      #expect(outcome == (isSame ? expected : .whole))
    }
    #expect(outcome { $0.ifRange = field } == .whole)
  }

  @Test func `a weak date does not satisfy If-Range`() {
    #expect(
      outcome(isDateStrong: false) {
        $0.ifRange = Self.same
        $0.range = "bytes=1-2"
      } == .whole)
  }
}
