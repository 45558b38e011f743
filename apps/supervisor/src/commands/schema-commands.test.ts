import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ConfigError } from '@hawser/config';
import { readDiff } from './diff.js';
import { readSchema } from './schema.js';
import type { Task } from '@hawser/commands';

describe('hawser diff crd', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-diff-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const crd = (size: object, more: object = {}): string =>
    JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Database', plural: 'databases' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { size } } },
          },
        ],
        ...more,
      },
    });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const run = async (
    old: string,
    current: string,
    ...more: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string }> => {
    const out: string[] = [];
    const task = readDiff(['crd', file('old.yaml', old), file('new.yaml', current), ...more]) as Task;
    const code = await task({
      out: (text) => {
        out.push(text);
      },
      err: () => undefined,
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    });
    return { code, out: out.join('\n') };
  };
  const old = crd({ type: 'integer', maximum: 9 });

  it.each<[number, string, string]>([
    [0, 'nothing', old],
    [0, 'a wider bound', crd({ type: 'integer', maximum: 10 })],
    [3, 'a default', crd({ type: 'integer', maximum: 9, default: 1 })],
    [4, 'a tighter bound', crd({ type: 'integer', maximum: 5 })],
    [5, 'another scope', crd({ type: 'integer', maximum: 9 }, { scope: 'Cluster' })],
  ])('ends with %i for %s', async (code, _title, current) => {
    expect((await run(old, current)).code).toBe(code);
  });

  it('says what, why and what to do: for people, and for programs', async () => {
    const tighter = crd({ type: 'integer', maximum: 5 });
    expect((await run(old, tighter)).out).toMatch(
      /SEVERITY .*\nbreaking +v1 +size +may be no more than 5, was 9 +Correct the objects/u,
    );
    expect(JSON.parse((await run(old, tighter, '-o', 'json')).out)).toEqual({
      severity: 'breaking',
      changes: [
        {
          kind: 'bounds-narrowed',
          severity: 'breaking',
          version: 'v1',
          path: '$.size',
          message: 'may be no more than 5, was 9',
          reason: expect.any(String) as unknown,
          remedy: expect.any(String) as unknown,
        },
      ],
    });
    expect((await run(old, tighter, '--output=yaml')).out).toMatch(/^severity: breaking\n/u);
  });

  it('finds the definition in a file with other things in it, and reads what is not a CRD but like one', async () => {
    const schema = `kind: List\n---\nkind: BoundSchema\nspec: ${JSON.stringify((JSON.parse(old) as { spec: object }).spec)}\n`;
    expect((await run(schema, old)).code).toBe(0);
  });

  it.each<[string, string, string]>([
    ['is not YAML', 'a: [', 'old.yaml: '],
    ['has no definition', 'kind: Pod', 'has no CustomResourceDefinition'],
    ['has two', `${old}\n---\n${old}`, 'has 2 definitions'],
    ['has a definition without a spec', 'kind: CustomResourceDefinition', 'spec must have group'],
    ['is empty', '', 'has no CustomResourceDefinition'],
  ])('refuses a file that %s', async (_title, text, message) => {
    await expect((async () => run(text, old))()).rejects.toThrow(message);
  });

  it('refuses a file that is not there', () => {
    const task = readDiff(['crd', join(folder, 'missing'), join(folder, 'missing')]) as Task;
    expect(() =>
      task({
        out: () => undefined,
        err: () => undefined,
        ask: () => Promise.resolve(undefined),
        env: {},
        signal: new AbortController().signal,
      }),
    ).toThrow(ConfigError);
  });
});

describe('the commands about schemas', () => {
  it.each([
    ['diff', readDiff],
    ['schema', readSchema],
  ] as const)('%s has help with its exit codes', (name, read) => {
    const help = read(['--help']);
    expect(help).toContain(`hawser ${name} `);
    expect(help).toMatch(/Exit codes: 0 .+ 2 wrong usage.+ 4 breaking, 5 incompatible/su);
  });

  it.each<[() => unknown, string]>([
    [() => readDiff([]), 'diff needs crd OLD NEW; see hawser diff --help'],
    [() => readDiff(['crd', 'one']), 'diff needs crd OLD NEW; see hawser diff --help'],
    [() => readDiff(['crd', 'one', 'two', 'three']), 'unexpected argument: three'],
    [() => readDiff(['crd', 'one', 'two', '-o=xml']), '--output: must be one of table, json, yaml, not "xml"'],
    [() => readSchema([]), 'schema needs one of status, diff, approve, reject, prove; see hawser schema --help'],
    [() => readSchema(['apply']), 'schema needs one of status, diff, approve, reject, prove; see hawser schema --help'],
    [() => readSchema(['approve']), 'schema approve needs either EXPORT or --selector'],
    [() => readSchema(['approve', 'db', '--selector=a=b']), 'schema approve needs either EXPORT or --selector'],
    [() => readSchema(['status', 'db', 'more']), 'unexpected argument: more'],
    [
      () => readSchema(['approve', 'db', '--side=consumer', '--hash=1a']),
      '--hash: means nothing with --side=consumer, where all that a binding holds is approved at once',
    ],
    [
      () => readSchema(['reject', 'db', '--side=consumer']),
      '--side=consumer: only approve NAME; hawser doctor shows what is held',
    ],
    [
      () => readSchema(['status', '--schema-policy=Sometimes']),
      '--schema-policy: must be one of Safe, Always, Never, not "Sometimes"',
    ],
  ])('%s is wrong usage', (read, message) => {
    expect(read).toThrow(new ConfigError(message));
  });
});
