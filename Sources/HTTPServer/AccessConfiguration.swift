// SPDX-License-Identifier: Apache-2.0

package import Hummingbird
package import Publishing

/// How clients reach the server, for its API and its pages.
package struct AccessConfiguration: Sendable {
  /// Address of the server for browsers and apps, without a slash at its end; nil if the operator has not set it.
  package var publicAddress: String?
  /// Whether publications need a key with the scope `fetch`; otherwise they are public.
  package var publicationsNeedKey = false
  /// The interfaces that have copies of publications.
  package var interfaces: PublicationInterfaces = .all
  package var limits = RequestLimits.standard

  package init() {}

  /// Whether clients reach the server only by https, so that cookies are marked secure.
  package var isSecure: Bool { publicAddress?.hasPrefix("https:") ?? false }

  /// Address of the server for the sender of a request: the one that the operator has set, otherwise the request's host.
  package func address(for request: Request) -> String {
    publicAddress ?? "http://\(request.head.authority ?? "HOST")"
  }

  /// `Cache-Control` of an answer that contains this address. The sender of a request chooses its host, so shared caches
  /// do not keep it.
  package var addressCaching: String { publicAddress == nil ? "private, no-cache" : "public, no-cache" }
}
