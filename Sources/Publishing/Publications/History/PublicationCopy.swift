// SPDX-License-Identifier: Apache-2.0

package import CallerPack
import Foundation
import PackFormats

/// How old a copy of the newest publication may be that a client holds.
package struct PublicationCopy: Sendable, Equatable {
  /// The interface that gave the copy: `lookup`, `lookup_by_hash`, `packs`, or `lists` with a format.
  package let interface: String
  /// The greatest age in seconds; nil where only the client's user decides when to load a newer one.
  package let seconds: Int?

  /// The interfaces of a server, those with the newest copies first.
  ///
  /// Look-ups: the `max-age` of their answers. Packs: a reader refuses an expired manifest. SpamBlocker imports each day
  /// and removes what was not renewed for two days (Documentation/clients.md).
  /// - Parameter hasLists: whether the server has lists for other programs.
  package static func all(of manifest: Manifest, hasLists: Bool) -> [PublicationCopy] {
    let pack = max(0, Int(manifest.expires.timeIntervalSince(manifest.issued)))
    let lists = ListFormat.allCases.map { format in
      PublicationCopy(
        interface: "lists/\(format.fileExtension)",
        seconds: format == .spamblocker || format == .spamblockerXML ? 3 * 86_400 : nil)
    }
    return [
      PublicationCopy(interface: "lookup", seconds: 60), PublicationCopy(interface: "lookup_by_hash", seconds: 3_600),
      PublicationCopy(interface: "packs", seconds: pack),
    ] + (hasLists ? lists : [])
  }
}
