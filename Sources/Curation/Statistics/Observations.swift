// SPDX-License-Identifier: Apache-2.0

/// The rule of figures that are estimates, such as shares and medians: from a few observations they say nothing, so pages
/// leave them out. Counts are always shown.
public enum Observations {
  /// The fewest observations of an estimate.
  public static let min = 30

  public static func suffice(_ count: Int) -> Bool { count >= min }
}
