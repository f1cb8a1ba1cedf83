// SPDX-License-Identifier: Apache-2.0

/// All metrics of Ringfence, by name.
enum MetricDescriptions {
  static let all: [String: MetricDescription] = [
    // Requests. Every route accepts up to ten methods and has five classes of status.
    "ringfence_http_requests_total": .counter(
      "Responses by route, method and status class.", maxSeries: 10_000),
    "ringfence_http_request_duration_seconds": .histogram(
      "Time from the head of a request to the head of its response.", MetricDescription.seconds, maxSeries: 10_000),
    "ringfence_http_requests_in_progress": .gauge("Requests in progress."),
    "ringfence_http_connections": .gauge("Open connections."),
    "ringfence_http_connections_refused_total": .counter("Connections closed because their network had too many."),
    "ringfence_http_connections_shed_total": .counter("Idle connections closed because others waited."),
    "ringfence_lists_requests_total": .counter("Requests of lists for other programs, by format."),
    "ringfence_telephone_lookups_total": .counter("Lookups of telephone systems, by verdict."),
    "ringfence_phoneblock_lookups_total": .counter("Lookups of PhoneBlock's clients, by outcome."),
    "ringfence_phoneblock_lists_total": .counter("Block lists for PhoneBlock's clients, by form."),
    "ringfence_address_book_requests_total": .counter("Requests of address books, by kind."),
    "ringfence_attestations_total": .counter("Attestations and renewals of phones, by platform and outcome."),
    "ringfence_apple_reports_total": .counter("Requests of Apple's reporting extension, by outcome."),
    "ringfence_apple_messages_total": .counter("Requests of message filters."),
    "ringfence_limits_refused_total": .counter("Requests and reports refused by a rate limit."),
    "ringfence_stopping": .gauge("1 while the server is stopping."),

    // Intake.
    "ringfence_intake_batch_items": .histogram("Items per commit.", MetricDescription.items),
    "ringfence_intake_commit_duration_seconds": .histogram(
      "Time until a batch was committed to disk.", MetricDescription.seconds),
    "ringfence_intake_commit_failures_total": .counter(
      "Batches that were not committed after all retries, and each ten seconds of a commit that does not end."),
    "ringfence_intake_reports_total": .counter("Answered reports by outcome."),
    "ringfence_intake_rejects_total": .counter("Refused reports by app and reason: a rule, a limit, or a problem."),
    "ringfence_app_reports_total": .counter("Stored reports by app."),
    "ringfence_intake_queue_items": .gauge(
      "Items that wait for a commit; of reports, about the half of the numbers with more of them."),
    "ringfence_intake_queue_capacity_items": .gauge("Maximum items that may wait; more are refused."),

    // The database.
    "ringfence_database_node_up": .gauge("1 if the node of a cluster answered the last check."),
    "ringfence_database_pool_connections": .gauge("Connections to PostgreSQL."),
    "ringfence_database_pool_waiting": .gauge("Tasks that wait for a connection."),
    "ringfence_database_up": .gauge("1 if PostgreSQL answered the last check."),
    "ringfence_reports_partitions": .gauge("Stored months of reports."),

    // Publications.
    "ringfence_publication_next_time_seconds": .gauge(
      "Time of the next scheduled publication of this server, in seconds since 1970."),
    "ringfence_publication_expires_time_seconds": .gauge(
      "Time when the newest manifest expires, in seconds since 1970."),
    "ringfence_numbering_plans_time_seconds": .gauge(
      "Date of the numbering plans in use, in seconds since 1970."),
    "ringfence_publication_serial": .gauge("Serial of the newest publication."),
    "ringfence_publication_time_seconds": .gauge(
      "Time when the newest publication became visible, in seconds since 1970."),
    "ringfence_publication_entries": .gauge("Entries of all packs of the newest publication."),
    "ringfence_publication_bytes": .gauge("Size of all packs of the newest publication."),
    "ringfence_publication_pack_entries": .gauge("Entries by pack."),
    "ringfence_publication_pack_bytes": .gauge("File size by pack."),
    "ringfence_publication_runs_total": .counter("Attempts to publish by cause and outcome."),
    "ringfence_publication_gates_failed": .gauge("Gates that failed in the last attempt."),
    "ringfence_publication_run_failed": .gauge("Whether the last attempt with a serial failed, except at a gate."),
    "ringfence_publication_failing": .gauge("Whether the last attempt of this server failed, except at a gate."),
    "ringfence_publication_due_time_seconds": .gauge(
      "Time for which the schedule last asked for a publication, in seconds since 1970."),

    // Disks and copies.
    "ringfence_folder_free_bytes": .gauge("Free bytes of the file system of a folder."),
    "ringfence_folder_size_bytes": .gauge("Size of the file system of a folder."),
    "ringfence_folder_free_files": .gauge("Files that can be created in the file system of a folder."),
    "ringfence_archive_time_seconds": .gauge("Time of the last archived segment, in seconds since 1970."),
    "ringfence_archive_failure_time_seconds": .gauge(
      "Time of the last failed attempt to archive a segment, in seconds since 1970."),
    "ringfence_backup_time_seconds": .gauge("Time of the last `ringfence backup`, in seconds since 1970."),

    // Backlogs.
    "ringfence_outbox_backlog": .gauge("Messages to webhooks and mail addresses that are not delivered yet."),
    "ringfence_outbox_backlog_oldest_time_seconds": .gauge(oldest),
    "ringfence_revocations_open": .gauge("Revocations that wait for a publication."),
    "ringfence_revocations_open_oldest_time_seconds": .gauge(oldest),
    "ringfence_review_queue_cases": .gauge("Cases in the review queue."),
    "ringfence_review_queue_cases_oldest_time_seconds": .gauge(oldest),
    "ringfence_review_queue_target_seconds": .gauge("Longest time that a case should wait, by the settings."),

    "ringfence_record_writable": .gauge("Whether the erasure journal and the file of the audit log can be written."),

    // Sources.
    "ringfence_client_fetches": .gauge(
      "Requests for the manifest in the last day, by product and age of the publication that the client held."),
    "ringfence_sources": .gauge("Sources that are downloaded, by the outcome of the last download."),
    "ringfence_sources_oldest_refresh_time_seconds": .gauge(
      "Time when the source was read that was read the longest time ago, in seconds since 1970."),
    "ringfence_source_refresh_time_seconds": .gauge("Time when the source was read last, in seconds since 1970."),
    "ringfence_source_entries": .gauge("Entries of the source."),
    "ringfence_source_failures": .gauge("Failed attempts to read the source since the last success."),
    "ringfence_source_decided_numbers": .gauge("Numbers of the source with a decision, by its result."),
    "ringfence_source_suspended": .gauge("1 while the source is suspended because of its precision."),

    // The process, under the names that Prometheus' own libraries use.
    "process_resident_memory_bytes": .gauge("Resident memory."),
    "process_virtual_memory_bytes": .gauge("Virtual memory."),
    "process_threads": .gauge("Threads."),
    "process_open_fds": .gauge("Open file descriptors."),
    "process_max_fds": .gauge("Maximum number of file descriptors."),
    "process_cpu_seconds_total": .counter("Processor time."),
    "process_start_time_seconds": .gauge("Start time of the process, in seconds since 1970."),
  ]

  private static let oldest = "Time since when the oldest one waits, in seconds since 1970."
}

/// A metric's kind, its help text and its limits.
struct MetricDescription: Sendable {
  let kind: MetricKind
  let help: String
  /// Upper bounds of a histogram's buckets, ascending; the last bucket has none.
  var buckets: [Double] = []
  var maxSeries = 1_000

  static let libraryHelp = "Measured by a library."

  /// Bounds for response times, in seconds: 0.5 ms to 10 s.
  static let seconds: [Double] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// Bounds for the items of a batch: 1 to 2,000.
  static let items: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]

  /// Bounds for values of an unknown unit: 0.001 to 1,000,000,000.
  static let decades: [Double] = [0.001, 0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  static func counter(_ help: String, maxSeries: Int = 1_000) -> Self {
    Self(kind: .counter, help: help, maxSeries: maxSeries)
  }

  static func gauge(_ help: String) -> Self { Self(kind: .gauge, help: help) }

  static func histogram(_ help: String, _ buckets: [Double], maxSeries: Int = 1_000) -> Self {
    Self(kind: .histogram, help: help, buckets: buckets, maxSeries: maxSeries)
  }
}
