import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type JsonObject, type JsonValue, parse } from '@hawser/json';

/** One request to a real kcp, and its answer. */
export interface Recorded {
  readonly chapter: string;
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body?: JsonValue;
    readonly contentType?: string;
    /** `agent`, or `nobody` for an invalid token; the administrator otherwise. */
    readonly as?: string;
    readonly watchedForMs?: number;
  };
  readonly response: { readonly status: number; readonly body?: JsonValue; readonly events?: readonly JsonObject[] };
}

const FOLDER = fileURLToPath(new URL('../../recorded/', import.meta.url));

/** All chapters, in order. */
export function readRecordings(): readonly Recorded[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => {
      const entries = parse(readFileSync(`${FOLDER}${file}`, 'utf8')) as unknown as readonly Omit<
        Recorded,
        'chapter'
      >[];
      return entries.map((entry) => ({ ...entry, chapter: file.replace('.json', '') }));
    });
}
