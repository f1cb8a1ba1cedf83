// SPDX-License-Identifier: Apache-2.0

package import CallerPack
import Foundation
import PackFormats

/// How old a copy of the newest publication may be that a client holds.
package struct PublicationCopy: Sendable, Equatable {
  /// The interface that gave the copy: `lookup`, `lookup_by_hash`, `pbx`, `phoneblock_lookup`, `phoneblock_list`,
  /// `carddav`, `packs`, or `lists` with a format.
  package let interface: String
  /// The greatest age in seconds; nil where only the client's user decides when to load a newer one.
  package let seconds: Int?

  /// The `max-age` of a look-up of one number, and of answers that do not say which number is meant.
  package static let (lookupSeconds, hashSeconds) = (60, 3_600)

  /// The interfaces of a server, those with the newest copies first.
  ///
  /// Look-ups: the `max-age` of their answers; PhoneBlock's are not cached. Packs: a reader refuses an expired manifest.
  /// SpamBlocker imports each day and removes what was not renewed for two days; a FRITZ!Box reads its address books
  /// about once a day (Documentation/clients.md).
  /// - Parameter interfaces: those that the server has.
  package static func all(of manifest: Manifest, interfaces: PublicationInterfaces) -> [PublicationCopy] {
    let pack = max(0, Int(manifest.expires.timeIntervalSince(manifest.issued)))
    let lists = ListFormat.allCases.map { format in
      PublicationCopy(
        interface: "lists/\(format.fileExtension)",
        seconds: format == .spamblocker || format == .spamblockerXML ? 3 * 86_400 : nil)
    }
    var copies: [PublicationCopy] = []
    if interfaces.contains(.phoneBlock) { copies.append(PublicationCopy(interface: "phoneblock_lookup", seconds: 0)) }
    copies.append(PublicationCopy(interface: "lookup", seconds: lookupSeconds))
    if interfaces.contains(.telephoneSystems) {
      copies.append(PublicationCopy(interface: "pbx", seconds: lookupSeconds))
    }
    copies.append(PublicationCopy(interface: "lookup_by_hash", seconds: hashSeconds))
    if interfaces.contains(.addressBooks) { copies.append(PublicationCopy(interface: "carddav", seconds: 86_400)) }
    copies.append(PublicationCopy(interface: "packs", seconds: pack))
    if interfaces.contains(.phoneBlock) { copies.append(PublicationCopy(interface: "phoneblock_list", seconds: nil)) }
    return copies + (interfaces.contains(.lists) ? lists : [])
  }
}

/// The interfaces of a server that an operator can switch off and that give copies of publications.
package struct PublicationInterfaces: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Lists in the formats of other programs.
  package static let lists = PublicationInterfaces(rawValue: 1)
  package static let telephoneSystems = PublicationInterfaces(rawValue: 2)
  /// The API of PhoneBlock's clients.
  package static let phoneBlock = PublicationInterfaces(rawValue: 4)
  package static let addressBooks = PublicationInterfaces(rawValue: 8)
  package static let all: PublicationInterfaces = [.lists, .telephoneSystems, .phoneBlock, .addressBooks]
}
