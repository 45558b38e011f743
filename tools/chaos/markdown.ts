/** Outcome of the simulation's runs. */
export interface Summary {
  /** Numbers of seeds run, and of seeds that failed. */
  readonly seeds: number;
  readonly regressions: number;
  readonly failing: number;
  readonly virtualHours: number;
  readonly requests: number;
  readonly chaos: {
    readonly faults: Readonly<Record<string, number>>;
    readonly actions: Readonly<Record<string, number>>;
  };
  readonly mutants: number;
  readonly found: number;
}

/** One run, as stored. */
export interface ChaosRun extends Summary {
  readonly commit: string;
  /** `2026-11-29`. */
  readonly at: string;
  /** The first seed. */
  readonly from: number;
}

/** Text for each kind of fault; a kind without text fails lint. */
const words: Readonly<Record<string, string>> = {
  admission: 'a webhook removes or sets fields, refuses, or does not answer',
  compaction: 'an API server compacts its history: watches and lists must begin again',
  'drop-namespace': "a consumer's APIServiceNamespace is deleted on the provider",
  kill: 'a process is killed, often in the middle of a request',
  latency: 'messages take longer',
  'late-events': 'caches are stale, each by another delay',
  partition: 'a partition drops all messages without an error',
  'rebuild-consumer': 'the consumer cluster is lost and rebuilt',
  refuse: 'requests are answered with 401, 403, 429, 500 or 503',
  'replace-token': 'a credential is replaced',
  reset: 'connections break before, in, or after an answer',
  restart: 'an API server is down',
  restore: 'an API server comes back with an older state',
  revoke: 'a credential is revoked, and issued again',
  'silent-watches': 'watches stay open and send nothing',
  skew: 'a clock is wrong',
  stall: 'a process stalls',
  'steal-lease': 'another client holds the Lease',
};

/** @throws Error for a kind of fault without text */
export function chaosMarkdown(runs: readonly ChaosRun[]): string {
  const number = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', ' ');
  const [last] = runs;
  const faults = Object.entries(last?.chaos.faults ?? {}).sort(([, one], [, other]) => other - one);
  const faultRows = faults.map(([kind, count]) => {
    const what = words[kind];
    if (what === undefined) throw new Error(`tools/chaos/markdown.ts has no words for the fault ${kind}`);
    return `| ${what} | ${number(count)} |`;
  });
  const rows = runs.map(
    ({ commit, at, from, seeds, regressions, failing, virtualHours, requests, chaos, mutants, found }) =>
      `| \`${commit.slice(0, 8)}\` | ${at} | ${seeds} from ${from} | ${regressions} | ${failing} | ${number(virtualHours)} | ${number(requests)} | ${number(sum(chaos.faults))} | ${number(sum(chaos.actions))} | ${mutants === 0 ? 'not run' : `${found} of ${mutants}`} |`,
  );
  return `# Chaos

Results of the [simulation](../why/testing.md#simulation), by commit. Each run has several API servers, konnectors and providers on one virtual clock. Users, controllers and attackers act while faults happen. Afterwards everything must be in step again,
and nothing may be lost, doubled, or deleted without proof. A failing seed is a defect: \`npm run simulate -- --seed N\` replays it.

The seeds follow from the commit, so no person chooses them. A mutant is a mistake planted in the product; the simulation must find each mutant.

| commit | day | seeds | runs that failed once | failing | virtual hours | requests | faults | acts of people | mutants found |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

## Faults of the latest run

| fault | count |
| --- | --- |
${faultRows.join('\n')}

\`npm run chaos\` adds a row; \`docs/reference/chaos.json\` has all figures. For each change, \`npm test\` runs known seeds, every run that failed once, all mutants, and fresh seeds.
`;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
