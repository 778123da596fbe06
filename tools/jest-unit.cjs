// Runs in every suite of unit tests: they wait for nothing, so one that takes a minute hangs, also on a busy machine.

if (!process.env.FRESNEL_FUZZ_RUNS) jest.setTimeout(60_000);
