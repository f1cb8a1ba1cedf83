// SPDX-License-Identifier: Apache-2.0

import Curation
import Localization

/// Where the newest publication has a number: the database says whether it is listed, and the packs in this server's
/// folder say where.
///
/// The folder may be behind the database, or empty: another server has published, or a backup was restored. So packs of
/// another publication than the newest one never contradict the listing; they are left out, and a text says so.
struct PackListing {
  /// The packs of the newest publication that contain the number.
  let places: [PackPlaces.Place]
  private let key: String
  private let values: [String: String]

  /// - Parameters:
  /// - found: nil if the folder has no publication that can be read.
  /// - newest: the serial of the newest publication in the database; nil before the first.
  init(_ found: PackPlaces.Found?, newest: Int64?, listing: Explanation.Listing?) {
    let isCurrent = found.map { $0.serial == newest } ?? false
    places = isCurrent ? found?.places ?? [] : []
    guard newest != nil || found != nil else {
      (key, values) = (listing == nil ? "case.unpublished" : "case.listed-elsewhere", Self.values(listing, nil))
      return
    }
    values = Self.values(listing, found?.serial)
    switch (isCurrent, listing) {
    case (true, _) where !places.isEmpty: key = ""
    // A listed number may have no entry of its own, for example where a recipe leaves its country out.
    case (true, .some): key = "case.listed-in-no-pack"
    case (true, nil): key = "case.in-no-pack"
    case (false, .some): key = found == nil ? "case.listed-elsewhere" : "case.listed-since"
    case (false, nil): key = found == nil ? "case.not-listed" : "case.not-listed-since"
    }
  }

  /// Empty where the packs say everything.
  func text(_ texts: Localizer) -> String { key.isEmpty ? "" : texts(key, values) }

  private static func values(_ listing: Explanation.Listing?, _ serial: Int64?) -> [String: String] {
    ["serial": listing.map { "\($0.serial)" } ?? "", "packs": serial.map { "\($0)" } ?? ""]
  }
}
