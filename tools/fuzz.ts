// `npm run fuzz`: feeds malformed and hostile objects to every reader of peer input: first every value of every sample
// replaced in each way (`fuzz/each.ts`), then objects of seeds. A reader may refuse with its own error. It must not fail
// otherwise, take more than 100 ms of CPU, or change its input. The same seed gives the same objects.
//   --objects N   how many (default 20 000)
//   --from N      seed of the first (default 1)
//   --budget S    no new object after so many seconds of CPU
//   --max-ms N    in place of 100
//   --reader S    only readers whose name contains S
//   --seed N      only the object of this seed, minimised
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { eachVariant } from './fuzz/each.ts';
import { feed, objectOf } from './fuzz/feed.ts';
import { minimal } from './fuzz/minimal.ts';
import { type Reader, readers } from './fuzz/readers.ts';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '20000' },
    from: { type: 'string', default: '1' },
    reader: { type: 'string', default: '' },
    seed: { type: 'string' },
    budget: { type: 'string' },
    'max-ms': { type: 'string' },
    results: { type: 'string' },
  },
});
const chosen = readers.filter(({ name }) => name.includes(values.reader));
if (chosen.length === 0) throw new Error(`no reader is called ${values.reader}`);

if (values.seed === undefined) many(Number(values.from), Number(values.objects), Number(values.budget ?? Infinity));
else one(Number(values.seed));

function one(seed: number): void {
  for (const reader of chosen) {
    const value = objectOf(reader, seed);
    const { fault } = feed(reader, value);
    console.log(
      `${reader.name}: ${fault === undefined ? 'holds' : `${fault}\n`} ${textOf(fault === undefined ? value : minimal(reader, value))}`,
    );
    if (fault !== undefined) process.exitCode = 1;
  }
}

function many(from: number, objects: number, budgetS: number): void {
  const maxMs = values['max-ms'] === undefined ? undefined : Number(values['max-ms']);
  const counts = new Map(chosen.map(({ name }) => [name, { fed: 0, stopped: 0, refused: 0, slowestMs: 0 }]));
  const faults = new Map<string, { readonly reader: string; readonly replay: string; times: number }>();
  const give = (reader: Reader, value: unknown, replay: string): void => {
    const count = counts.get(reader.name);
    if (count === undefined) return;
    const { fault, outcome, ms } = feed(reader, value, maxMs);
    count.fed++;
    if (outcome !== 'read') count[outcome]++;
    count.slowestMs = Math.max(count.slowestMs, ms);
    if (fault === undefined) return;
    const title = `${reader.name}: ${fault.split('\n')[0] ?? ''}`;
    const known = faults.get(title);
    if (known === undefined) faults.set(title, { reader: reader.name, replay, times: 1 });
    else known.times++;
  };
  for (const reader of chosen)
    for (const sample of reader.samples)
      for (const { value, what } of eachVariant(sample)) give(reader, value, `a sample, ${what}`);
  let fed = 0;
  for (; fed < objects && process.cpuUsage().user / 1e6 < budgetS; fed++) {
    const reader = chosen[fed % chosen.length];
    if (reader === undefined) continue;
    const seed = from + fed;
    give(reader, objectOf(reader, seed), `replay: npm run fuzz -- --reader '${reader.name}' --seed ${seed}`);
  }
  for (const [name, { fed: given, stopped, refused, slowestMs }] of counts)
    console.log(
      `${name.padEnd(24)} ${String(given).padStart(7)} objects, ${String(stopped).padStart(6)} stopped in front, ${String(refused).padStart(6)} refused, slowest ${slowestMs.toFixed(1)} ms`,
    );
  for (const [title, { replay, times }] of faults) console.log(`\n${title}\n  ${times} times; ${replay}`);
  console.log(
    `\nevery value of the samples, and ${fed} objects from seed ${from}: ${faults.size === 0 ? 'no reader fails' : `${faults.size} ways to fail`}`,
  );
  if (values.results !== undefined) {
    const failed = new Set([...faults.values()].map(({ reader }) => reader)).size;
    mkdirSync(dirname(values.results), { recursive: true });
    writeFileSync(
      values.results,
      JSON.stringify({
        passed: chosen.length - failed,
        failed,
        skipped: 0,
        notes: [...faults].map(([title, { replay }]) => `${title}; ${replay}`),
      }),
    );
  }
  if (faults.size > 0) process.exitCode = 1;
}

function textOf(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) as
    string | undefined;
  return (text ?? String(value)).slice(0, 4_000);
}
