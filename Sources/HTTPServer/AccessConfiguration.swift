// SPDX-License-Identifier: Apache-2.0

package import Publishing

/// How clients reach the server, for its API and its pages.
package struct AccessConfiguration: Sendable {
  /// Whether clients reach the server only by https, so that cookies are marked secure.
  package var isSecure = false
  /// Whether publications need a key with the scope `fetch`; otherwise they are public.
  package var publicationsNeedKey = false
  /// The interfaces that have copies of publications.
  package var interfaces: PublicationInterfaces = .all
  /// Rate limits of apps, networks and reporters.
  package var limits = RequestLimits.standard

  /// Creates a configuration with the defaults of the settings.
  package init() {}
}
