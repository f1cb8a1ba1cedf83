// SPDX-License-Identifier: Apache-2.0

/// The version of this build.
public enum RingfenceVersion {
  /// The version by semantic versioning: the newest one in CHANGELOG.md.
  public static let current = "0.1.0"
}
