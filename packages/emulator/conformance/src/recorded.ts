import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type JsonObject, type JsonValue, parse, stringify } from '@hawser/json';
import type { Case } from './case.js';
import type { Transcript } from './exchange.js';
import { type SharedValues, share, unshare } from './shared-values.js';

const folder = fileURLToPath(new URL('../recorded/', import.meta.url));

const fileOf = (group: string): string => `${folder}${group.replaceAll(' ', '-')}.json`;

/** A real API server's answers, by group and title. */
export class Recording {
  private readonly groups = new Map<string, JsonObject>();

  /** Undefined for an unrecorded case. */
  transcript({ group, title }: Pick<Case, 'group' | 'title'>): Transcript | undefined {
    const found = this.load(group)[title];
    return Array.isArray(found) ? (found as Transcript) : undefined;
  }

  private load(group: string): JsonObject {
    const known = this.groups.get(group);
    if (known !== undefined) return known;
    const loaded = existsSync(fileOf(group))
      ? (unshare(parse(readFileSync(fileOf(group), 'utf8')) as unknown as SharedValues) as JsonObject)
      : {};
    this.groups.set(group, loaded);
    return loaded;
  }
}

/**
 * Writes the recording: a file per group, a line per case, a line per repeated value, see {@link share}. Keeps the
 * recordings of cases that did not run, as long as the cases exist.
 */
export function writeRecording(all: readonly Case[], transcripts: ReadonlyMap<Case, Transcript>): void {
  mkdirSync(folder, { recursive: true });
  const previous = new Recording();
  const groups = new Set(all.map(({ group }) => group));
  const stale = readdirSync(folder).filter((name) => ![...groups].some((group) => fileOf(group).endsWith(`/${name}`)));
  for (const name of stale) rmSync(`${folder}${name}`);
  for (const group of groups) {
    const known = all
      .filter((one) => one.group === group)
      .flatMap((one) => {
        const transcript = transcripts.get(one) ?? previous.transcript(one);
        return transcript === undefined ? [] : [[one.title, transcript as unknown as JsonValue] as const];
      });
    const { values, content } = share(Object.fromEntries(known));
    const lines = Object.entries(content as JsonObject).map(
      ([title, transcript]) => `${stringify(title)}: ${stringify(transcript)}`,
    );
    writeFileSync(
      fileOf(group),
      `{"values": [\n${values.map(stringify).join(',\n')}\n],\n"content": {\n${lines.join(',\n')}\n}}\n`,
    );
  }
}
