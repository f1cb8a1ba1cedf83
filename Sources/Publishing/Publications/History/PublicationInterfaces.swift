// SPDX-License-Identifier: Apache-2.0

/// The interfaces of a server that an operator can switch off and that give copies of publications.
package struct PublicationInterfaces: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Lists in the formats of other programs.
  package static let lists = PublicationInterfaces(rawValue: 1)
  /// Lookups of telephone systems.
  package static let telephoneSystems = PublicationInterfaces(rawValue: 2)
  /// The API of PhoneBlock's clients.
  package static let phoneBlock = PublicationInterfaces(rawValue: 4)
  /// Address books.
  package static let addressBooks = PublicationInterfaces(rawValue: 8)
}
