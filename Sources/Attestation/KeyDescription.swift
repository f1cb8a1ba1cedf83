// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// The extension in which Android describes a key (schema of KeyMint, versions 1 to 500). Members that identify a phone are
/// passed over.
struct KeyDescription {
  /// The state of the system that the phone has started.
  struct RootOfTrust {
    let isLocked: Bool
    /// 0 is verified; 1 has the owner's own key, 2 is unlocked, 3 has failed.
    let bootState: Int
  }

  /// 0 software, 1 trusted environment, 2 secure element.
  let attestationLevel: Int
  let keyLevel: Int
  /// The proven level: a key of software that hardware attests, or the reverse, counts as one of software.
  var level: Int { min(attestationLevel, keyLevel) }
  let challenge: [UInt8]
  let rootOfTrust: RootOfTrust?
  /// 0 is a key that was made in the hardware.
  let origin: Int?
  /// 2 is signing.
  let purposes: [Int]
  /// The packages of the app, and the SHA-256 of its signing certificates; nil without the member.
  let application: (packages: [[UInt8]], digests: [[UInt8]])?

  static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11_129, 2, 1, 17]

  private enum Tag {
    static let purpose: UInt = 1
    static let origin: UInt = 702
    static let rootOfTrust: UInt = 704
    static let applicationID: UInt = 709
  }

  /// - Throws: ``AttestationRefusal/malformedKeyDescription``.
  init(_ bytes: ArraySlice<UInt8>) throws(AttestationRefusal) {
    do {
      try self.init(root: try DER.parse(bytes))
    } catch {
      throw .malformedKeyDescription
    }
  }

  private init(root: ASN1Node) throws {
    let members = try root.members(.sequence)
    guard members.count == 8 else { throw AttestationRefusal.malformedKeyDescription }
    attestationLevel = try members[1].integer(.enumerated)
    keyLevel = try members[3].integer(.enumerated)
    guard (0...2).contains(attestationLevel), (0...2).contains(keyLevel) else {
      throw AttestationRefusal.malformedKeyDescription
    }
    challenge = try members[4].octets()
    let software = try Self.list(members[6])
    let hardware = try Self.list(members[7])
    purposes = try hardware[Tag.purpose]?.members(.set).map { try $0.integer(.integer) } ?? []
    origin = try hardware[Tag.origin]?.integer(.integer)
    rootOfTrust = try hardware[Tag.rootOfTrust].map { node in
      let members = try node.members(.sequence)
      guard members.count >= 3 else { throw AttestationRefusal.malformedKeyDescription }
      return RootOfTrust(isLocked: try members[1].flag(), bootState: try members[2].integer(.enumerated))
    }
    application = try software[Tag.applicationID].map { node in
      let parts = try DER.parse(try node.octets()).members(.sequence)
      guard parts.count == 2 else { throw AttestationRefusal.malformedKeyDescription }
      let packages = try parts[0].members(.set).map { package in
        let members = try package.members(.sequence)
        guard members.count == 2 else { throw AttestationRefusal.malformedKeyDescription }
        return try members[0].octets()
      }
      return (packages, try parts[1].members(.set).map { try $0.octets() })
    }
  }

  /// The members of a list of authorizations by tag. Tags ascend, and each is there once.
  private static func list(_ node: ASN1Node) throws -> [UInt: ASN1Node] {
    var members: [UInt: ASN1Node] = [:]
    var last: UInt?
    for member in try node.members(.sequence) {
      let tag = member.identifier.tagNumber
      guard member.identifier.tagClass == .contextSpecific, last.map({ $0 < tag }) ?? true,
        case .constructed(let content) = member.content
      else { throw AttestationRefusal.malformedKeyDescription }
      let inner = Array(content)
      guard inner.count == 1 else { throw AttestationRefusal.malformedKeyDescription }
      (members[tag], last) = (inner[0], tag)
    }
    return members
  }
}
