/// How much a reporter's word counts.
public enum ReporterWeight {
  /// What the word of a reporter counts of whom nothing is known yet: half of an established one's.
  public static let newcomer = 0.5
}
