import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schedule } from './schedule.js';
import type { Settings } from './settings.js';

/**
 * A run that once failed, with all that its seed decided about the scenario: it stays the same run, however the code
 * that draws schedules changes. Only delays and the random numbers of processes still come from the seed.
 */
export interface Regression {
  /** Description of the failure. */
  readonly found: string;
  readonly seed: number;
  readonly hours: number;
  readonly objects: number;
  readonly settings: Settings;
  readonly schedule: Schedule;
}

const FOLDER = join('simulation', 'regressions');

/** The recorded runs by name, relative to the root of the repository. */
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

/** Records a run. Returns its path. */
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
