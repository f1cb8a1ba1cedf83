/// All metrics of Ringfence, by name.
enum MetricDescriptions {
  static let all: [String: MetricDescription] = [
    // Requests. Every route can be asked with each of ten methods, and answered with five classes of status.
    "ringfence_http_requests_total": .counter(
      "Answers, by pattern of route, method and class of status.", mostSeries: 10_000),
    "ringfence_http_request_duration_seconds": .histogram(
      "From a request's head to the head of its answer.", MetricDescription.seconds, mostSeries: 10_000),
    "ringfence_http_requests_in_progress": .gauge("Requests that are not answered yet."),
    "ringfence_http_connections": .gauge("Connections that are open."),
    "ringfence_http_connections_refused_total": .counter("Connections closed at once: their network had too many."),
    "ringfence_limits_refused_total": .counter("Requests and reports that a limit refused."),
    "ringfence_stopping": .gauge("1 when the server is about to stop."),

    // The intake.
    "ringfence_intake_batch_items": .histogram("What was committed at once.", MetricDescription.items),
    "ringfence_intake_commit_duration_seconds": .histogram(
      "How long a batch took until it was on disk.", MetricDescription.seconds),
    "ringfence_intake_commit_failures_total": .counter("Batches that were not committed after all tries."),
    "ringfence_intake_reports_total": .counter("Reports that were answered, by what became of them."),
    "ringfence_intake_rejects_total": .counter("Reports that broke a rule, by the first rule they broke."),
    "ringfence_intake_queue_items": .gauge("What waits for its commit to begin."),
    "ringfence_intake_queue_capacity_items": .gauge("The most that may wait; more is refused."),

    // The database.
    "ringfence_database_pool_connections": .gauge("Connections to PostgreSQL."),
    "ringfence_database_pool_waiting": .gauge("Tasks that wait for a connection."),
    "ringfence_database_up": .gauge("1 when PostgreSQL answered just now."),
    "ringfence_reports_partitions": .gauge("Months of reports that are kept."),

    // Publications.
    "ringfence_publication_next_time_seconds": .gauge("When this server's schedule publishes next, since 1970."),
    "ringfence_publication_expires_time_seconds": .gauge("When readers refuse the newest manifest, since 1970."),
    "ringfence_publication_serial": .gauge("Serial of the newest publication."),
    "ringfence_publication_time_seconds": .gauge("When the newest publication became visible, since 1970."),
    "ringfence_publication_entries": .gauge("Entries of all packs of the newest publication."),
    "ringfence_publication_bytes": .gauge("Size of all packs of the newest publication."),
    "ringfence_publication_pack_entries": .gauge("Entries, by pack."),
    "ringfence_publication_pack_bytes": .gauge("Size of the file, by pack."),
    "ringfence_publication_runs_total": .counter("Attempts to publish, by cause and by how they ended."),
    "ringfence_publication_gates_failed": .gauge("Gates that the last attempt did not pass."),

    // What waits.
    "ringfence_webhook_backlog": .gauge("Messages that receivers have not taken yet."),
    "ringfence_webhook_backlog_oldest_time_seconds": .gauge(oldest),
    "ringfence_revocations_open": .gauge("Single numbers that wait to be published."),
    "ringfence_revocations_open_oldest_time_seconds": .gauge(oldest),
    "ringfence_review_queue_cases": .gauge("Cases that wait for a moderator."),
    "ringfence_review_queue_cases_oldest_time_seconds": .gauge(oldest),

    // The process, under the names that Prometheus' own libraries use.
    "process_resident_memory_bytes": .gauge("Memory that is in use."),
    "process_virtual_memory_bytes": .gauge("Memory that is addressed."),
    "process_threads": .gauge("Threads."),
    "process_open_fds": .gauge("Open file descriptors."),
    "process_max_fds": .gauge("The most file descriptors there may be."),
    "process_cpu_seconds_total": .counter("Time on processors."),
    "process_start_time_seconds": .gauge("When the process began, since 1970."),
  ]

  private static let oldest = "Since when the oldest of them waits, since 1970."
}
