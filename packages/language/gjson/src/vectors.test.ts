import { readFileSync } from 'node:fs';
import { type JsonValue, parse } from '@hawser/json';
import { describe, expect, it } from '@jest/globals';
import { PathError, get, remove, set } from './index.js';

interface Vectors<T> {
  readonly documents: readonly JsonValue[];
  readonly vectors: readonly T[];
}

interface GetVector {
  readonly document: number;
  readonly path: string;
  readonly kind: string;
  readonly text?: string;
  readonly raw?: string;
}

interface SetVector {
  readonly document: number;
  readonly path: string;
  /** Missing: the value is deleted. */
  readonly value?: JsonValue;
  readonly result?: JsonValue;
  readonly error?: string;
}

const read = <T>(name: string): Vectors<T> =>
  parse(readFileSync(new URL(`testing/${name}.json`, import.meta.url), 'utf8')) as unknown as Vectors<T>;

describe('get finds what gjson 1.18 finds', () => {
  const { documents, vectors } = read<GetVector>('get');
  it.each(vectors.map((vector) => [vector.document, vector.path, vector] as const))(
    'document %i, %s',
    (document, path, vector) => {
      const { kind, text, raw, exists } = get(documents[document]!, path);
      expect({ kind, text, raw, exists }).toEqual({
        kind: vector.kind,
        text: vector.text ?? '',
        raw: vector.raw ?? '',
        exists: vector.kind !== 'missing',
      });
    },
  );
});

describe('set and remove do what sjson 1.2.5 does', () => {
  const { documents, vectors } = read<SetVector>('set');
  it.each(
    vectors.map(
      (vector) => [vector.value === undefined ? 'remove' : 'set', vector.document, vector.path, vector] as const,
    ),
  )('%s in document %i, %s', (action, document, path, vector) => {
    const from = documents[document]!;
    const before = structuredClone(from);
    const run = (): JsonValue => (action === 'set' ? set(from, path, vector.value!) : remove(from, path));
    if (vector.error === undefined) expect(run()).toEqual(vector.result);
    else expect(run).toThrow(PathError);
    expect(from).toEqual(before);
  });
});
