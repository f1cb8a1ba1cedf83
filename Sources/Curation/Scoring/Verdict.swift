/// What is to become of a number, in one word. The first that applies, from the top, is the verdict.
public enum Verdict: String, Sendable, CaseIterable {
  /// It may never be published, whatever is said of it.
  case protected
  /// A moderator's decision stands, and decides alone.
  case decided
  /// A rule against brigades keeps it back for a moderator; a decision releases it.
  case held
  /// The last publication lists it because of reports, and it is not under its leaving threshold: the next lists it too.
  case listed
  /// The last publication does not list it, and it is over its entering threshold: the next lists it.
  case candidate
  /// It is not going to be listed, but hot enough for a moderator to look: at least its threshold's review heat. A number
  /// that has just fallen under its leaving threshold is watched or quiet.
  case watched
  /// None of these.
  case quiet
}
