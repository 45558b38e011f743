// Runs in the empty project: imports each package named on the command line, and does one small real thing with it.
import assert from 'node:assert/strict';

/** @type {Record<string, (module: any) => unknown>} */
const uses = {
  '@hawser/clock': async ({ FakeClock, sleep, backoffDelay }) => {
    const clock = new FakeClock(0);
    const slept = sleep(clock, 1_000).then(() => clock.now());
    await clock.advance(1_000);
    assert.equal(await slept, 1_000);
    assert.equal(backoffDelay({ initialMs: 100, capMs: 150 }, 5, () => 0), 150);
  },
};

let wrong = 0;
for (const name of process.argv.slice(2)) {
  try {
    const module = await import(name);
    assert.notDeepEqual(Object.keys(module), [], 'exports nothing');
    await uses[name]?.(module);
  } catch (error) {
    wrong++;
    console.error(`${name}: ${error instanceof Error ? error.stack : error}`);
  }
}
process.exitCode = wrong > 0 ? 1 : 0;
