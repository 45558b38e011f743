import type { Case } from './case.js';
import { withDeadline } from './deadline.js';
import type { Transcript } from './exchange.js';
import { installFixtures } from './fixtures.js';
import { runCase } from './run-case.js';
import type { ServerUnderTest } from './server.js';

/** Outcome of a case on one server. */
export type Outcome = { readonly transcript: Transcript } | { readonly error: Error };

/** Starts the servers of one kind on a case's demand. */
export type StartServer = (options: { readonly controllers: boolean }) => Promise<ServerUnderTest>;

const atOnce = 6;
/** For hanging cases, not for slow machines. */
const patienceMs = 120_000;

/** Runs cases, in parallel where possible, and returns their outcomes. Stops the servers afterwards. */
export async function runCases(cases: readonly Case[], start: StartServer): Promise<ReadonlyMap<Case, Outcome>> {
  const outcomes = new Map<Case, Outcome>();
  const onServer = async (chosen: readonly Case[], alone: readonly Case[], controllers: boolean): Promise<void> => {
    if (chosen.length + alone.length === 0) return;
    const server = await start({ controllers });
    try {
      await installFixtures(server);
      await inParallel(chosen, async (one) => {
        outcomes.set(one, await outcomeOf(one, server));
      });
      for (const one of alone) outcomes.set(one, await outcomeOf(one, server));
    } finally {
      await server.stop();
    }
  };
  const of = (kind: Case['server']): readonly Case[] => cases.filter(({ server }) => server === kind);
  await Promise.all([onServer(of('plain'), [], false), onServer(of('controllers'), of('alone'), true)]);
  return outcomes;
}

async function outcomeOf(one: Case, server: ServerUnderTest): Promise<Outcome> {
  try {
    return { transcript: await withDeadline(runCase(one, server), patienceMs, 'the case did not end in time') };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

async function inParallel(cases: readonly Case[], run: (one: Case) => Promise<void>): Promise<void> {
  const waiting = [...cases];
  const worker = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await run(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
