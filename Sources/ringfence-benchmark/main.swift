import BenchmarkCommand

await runRingfenceBenchmark()
