import RingfenceCommand

await runRingfence()
