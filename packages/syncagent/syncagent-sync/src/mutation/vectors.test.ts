import { readFileSync } from 'node:fs';
import type { UnstructuredObject } from '@hawser/client';
import { type JsonValue, parse } from '@hawser/json';
import type { ResourceMutation } from '@hawser/syncagent-api';
import { describe, expect, it } from '@jest/globals';
import { compileMutations } from './index.js';
import { MutationError } from './mutation-error.js';
import { functions } from './testing/functions.js';

interface Vector {
  readonly self: string;
  readonly other?: string;
  readonly steps: readonly ResourceMutation[];
  readonly result?: JsonValue;
  /** Where the Go agent fails: while it compiles the steps, or with the object. */
  readonly error?: 'compile' | 'run';
}

const { documents, vectors } = parse(
  readFileSync(new URL('testing/vectors.json', import.meta.url), 'utf8'),
) as unknown as {
  readonly documents: Readonly<Record<string, UnstructuredObject>>;
  readonly vectors: readonly Vector[];
};

type Outcome = { readonly result: unknown } | { readonly error: 'compile' | 'run' };

function outcomeOf({ self, other, steps }: Vector): Outcome {
  const compiled = compileMutations({ spec: [...steps] }, { functions });
  if (compiled.kind === 'refused') return { error: 'compile' };
  try {
    return { result: compiled.value.spec(documents[self]!, other === undefined ? undefined : documents[other]!) };
  } catch (error) {
    expect(error).toBeInstanceOf(MutationError);
    return { error: 'run' };
  }
}

describe('steps do what those of the Go agent 0.7 do', () => {
  it.each(vectors.map((vector) => [JSON.stringify(vector.steps), vector] as const))('%s', (_name, vector) => {
    const before = structuredClone(documents);
    const outcome = outcomeOf(vector);
    if (vector.error === undefined) expect(outcome).toEqual({ result: vector.result });
    else expect(outcome).toHaveProperty('error');
    expect(documents).toEqual(before);
  });
});
