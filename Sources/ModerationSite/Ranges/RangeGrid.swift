// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Storage

/// The ten or hundred numbers of a proposed range, each with what is known about it.
struct RangeGrid: Sendable {
  /// A fact about a number; the first that applies gives the cell its color.
  enum Mark: String, CaseIterable {
    case protected, allowed, blocked, directory, listed, reported

    /// The sign in the cell and in the key.
    var sign: String {
      switch self {
      case .protected: "▲"
      case .allowed: "✓"
      case .blocked: "✕"
      case .directory: "◆"
      case .listed: "■"
      case .reported: "●"
      }
    }

    func applies(to item: BulkItem) -> Bool {
      switch self {
      case .protected: item.protection != nil
      case .allowed: item.standing?.treatment == .allow
      case .blocked: item.standing.map { $0.treatment != .allow } ?? false
      case .directory: item.blockRule.isNamed
      case .listed: item.isPublished
      case .reported: item.isReported
      }
    }
  }

  /// The most numbers that are drawn.
  static let most: Int64 = 100
  /// Numbers in a row.
  private static let columns = 10

  /// Ascending.
  let items: [BulkItem]

  func record(_ texts: Localizer) -> TemplateRecord {
    let rows = stride(from: 0, to: items.count, by: Self.columns).map { start in
      items[start..<min(start + Self.columns, items.count)].map { item in
        let marks = Mark.allCases.filter { $0.applies(to: item) }
        let names = marks.map { texts("case.grid.\($0.rawValue)") }
        return [
          "digits": item.number, "last": String("\(item.number)".suffix(items.count > Self.columns ? 2 : 1)),
          "signs": marks.map(\.sign).joined(), "kind": marks.first?.rawValue ?? "",
          "name": ([NumberText.text(item.number)] + names).joined(separator: ", "),
        ] as TemplateRecord
      }
    }
    return [
      "rows": rows.map { ["cells": $0] as TemplateRecord },
      "key": Mark.allCases.map { mark in
        [
          "sign": mark.sign, "kind": mark.rawValue, "name": texts("case.grid.\(mark.rawValue)"),
          "count": texts.number(items.count(where: mark.applies)),
        ] as TemplateRecord
      },
    ]
  }
}

extension BulkItem {
  /// Whether apps or lists have complained about it.
  var isReported: Bool { reporters > 0 || heat > 0 }

  /// Lists have no reporters; their heat is of several entries.
  var reasonFacts: ReasonFacts {
    ReasonFacts(reporters: reporters > 0 || heat == 0 ? reporters : ReasonFacts.manyReporters, hasReports: isReported)
  }
}
