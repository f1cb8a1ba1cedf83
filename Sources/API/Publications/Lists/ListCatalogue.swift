// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import HTTPServer
import PackFormats
import Publishing
import Timestamps

/// The lists of the newest publication, and the texts that SpamBlocker imports.
struct ListCatalogue: Encodable {
  let serial: Int64
  let updatedAt: String
  let lists: [List]
  /// SpamBlocker's query for each call.
  let spamblockerQuery: String
  /// SpamBlocker's query by hashes of the number, and its report; nil without PhoneBlock's API.
  let spamblockerHashQuery: String?
  let spamblockerReport: String?

  struct List: Encodable {
    let pack: String
    /// Nil for all regions.
    let region: String?
    let serial: Int64
    let entries: Int
    let categories: [Category]
    let formats: [Format]
    /// SpamBlocker's workflow that imports the list each day.
    let spamblockerWorkflow: String

    private enum CodingKeys: String, CodingKey {
      case pack, region, serial, entries, categories, formats
      case spamblockerWorkflow = "spamblocker_workflow"
    }
  }

  struct Category: Encodable {
    let label: String
    let entries: Int
  }

  struct Format: Encodable {
    let format: String
    let path: String
    let mediaType: String
    /// Whether the parameter `since` gives the changes alone.
    let hasChanges: Bool

    private enum CodingKeys: String, CodingKey {
      case format, path
      case mediaType = "media_type"
      case hasChanges = "has_changes"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case serial, lists
    case updatedAt = "updated_at"
    case spamblockerQuery = "spamblocker_query"
    case spamblockerHashQuery = "spamblocker_hash_query"
    case spamblockerReport = "spamblocker_report"
  }

  /// - Parameters:
  /// - hasPhoneBlock: whether the server has PhoneBlock's API.
  /// - host: the name and the port of the server, as the client has them.
  init(
    _ manifest: Manifest, offers: [ListOffer], presets: SpamBlockerPresets, hasPhoneBlock: Bool, host: String
  ) {
    serial = manifest.serial
    updatedAt = Timestamp.format(manifest.issued)
    lists = offers.map { offer in
      let path = { (format: ListFormat) in "/v1/lists/\(offer.pack.name).\(format.fileExtension)" }
      return List(
        pack: offer.pack.name, region: offer.pack.region, serial: offer.pack.serial, entries: offer.entries,
        categories: offer.categories.map { Category(label: $0.label, entries: $0.entries) },
        formats: offer.formats.map { format in
          Format(
            format: format.rawValue, path: path(format), mediaType: FileAnswer.mediaType(of: path(format)),
            hasChanges: format.hasChanges)
        },
        spamblockerWorkflow: presets.workflow(path: path(.spamblocker), host: host))
    }
    spamblockerQuery = presets.query(host: host)
    spamblockerHashQuery = hasPhoneBlock ? presets.hashQuery(host: host) : nil
    spamblockerReport = hasPhoneBlock ? presets.report(host: host) : nil
  }
}
