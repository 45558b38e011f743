import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schedule } from './schedule.js';
import type { Settings } from './settings.js';

/**
 * A run that once failed, with all that its seed decided then about the scenario: it stays this run, whatever becomes of the code that draws schedules. Only delays and the random numbers of
 * processes still come from the seed.
 */
export interface Regression {
  /** What was wrong. */
  readonly found: string;
  readonly seed: number;
  readonly hours: number;
  readonly objects: number;
  readonly settings: Settings;
  readonly schedule: Schedule;
}

const FOLDER = join('simulation', 'regressions');

/** The recorded runs by name, seen from the root of the repository. */
export function regressions(): ReadonlyMap<string, Regression> {
  return new Map(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => [
        file.slice(0, -'.json'.length),
        JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Regression,
      ]),
  );
}

/** Writes one down. Returns where. */
export function record(name: string, { schedule: { actions, faults, kbindActions }, ...rest }: Regression): string {
  const file = join(FOLDER, `${name}.json`);
  const lines = (items: readonly object[]): string => items.map((item) => `    ${JSON.stringify(item)}`).join(',\n');
  const head = JSON.stringify(rest, undefined, 1).slice(0, -2);
  const ofKbind = kbindActions === undefined ? '' : `,\n  "kbindActions": [\n${lines(kbindActions)}\n  ]`;
  writeFileSync(
    file,
    `${head},\n "schedule": {\n  "faults": [\n${lines(faults)}\n  ],\n  "actions": [\n${lines(actions)}\n  ]${ofKbind}\n }\n}\n`,
  );
  return file;
}
