import fc from 'fast-check';
import type { JsonObject, JsonValue } from '@hawser/json';
import { type Arbitrary, contents, metas, statuses } from './values.js';

export type SequenceKind = keyof typeof contents;

/** The version that a write states as known. */
export type Known = 'none' | 'current' | 'old';

export type Manager = 'one' | 'two' | 'three';

interface Named {
  readonly name: 'a' | 'b';
  readonly manager: Manager;
  readonly dryRun: boolean;
}

export type JsonPatchStep = JsonObject;

export type Operation =
  | ({ readonly kind: 'create'; readonly content: JsonObject; readonly meta: JsonObject } & Named)
  | ({
      readonly kind: 'replace';
      readonly content: JsonObject;
      readonly meta: JsonObject;
      readonly known: Known;
    } & Named)
  | ({ readonly kind: 'edit'; readonly content: JsonObject } & Named)
  | ({
      readonly kind: 'merge';
      readonly content: JsonObject;
      readonly meta: JsonObject;
      readonly remove: string | undefined;
      readonly known: Known;
    } & Named)
  | ({ readonly kind: 'strategic'; readonly content: JsonObject; readonly meta: JsonObject } & Named)
  | ({ readonly kind: 'json'; readonly steps: readonly JsonPatchStep[] } & Named)
  | ({
      readonly kind: 'apply';
      readonly content: JsonObject;
      readonly meta: JsonObject;
      readonly force: boolean;
    } & Named)
  | ({ readonly kind: 'status'; readonly way: 'merge' | 'replace' | 'apply'; readonly status: JsonObject } & Named)
  | ({ readonly kind: 'scale'; readonly replicas: JsonValue } & Named)
  | ({ readonly kind: 'delete'; readonly uid: Known; readonly version: Known } & Named)
  | ({ readonly kind: 'get' } & Named)
  | { readonly kind: 'list'; readonly query: Readonly<Record<string, string>> };

/** Operations on objects of one kind, and the kind. */
export interface Sequence {
  readonly kind: SequenceKind;
  readonly operations: readonly Operation[];
}

const named = {
  name: fc.constantFrom('a' as const, 'a' as const, 'a' as const, 'a' as const, 'b' as const),
  manager: fc.constantFrom<Manager>('one', 'two', 'three'),
  dryRun: fc.constantFrom(false, false, false, false, false, false, false, true),
};
const known = fc.constantFrom<Known>('none', 'none', 'current', 'current', 'old');

const step: Arbitrary<JsonPatchStep> = fc
  .record({
    op: fc.constantFrom('add', 'add', 'replace', 'remove', 'test', 'copy', 'move'),
    path: fc.constantFrom(
      '/spec/size',
      '/spec/tags/0',
      '/spec/tags/-',
      '/spec/ports/0/name',
      '/spec/free/x',
      '/metadata/labels',
      '/metadata/labels/l',
      '/data/a',
      '/data',
      '/spec',
      '/metadata/finalizers',
    ),
    from: fc.constantFrom('/spec/size', '/metadata/labels/l', '/data/b'),
    value: fc.constantFrom<JsonValue>(1, 'aa', { l: 'aa' }, ['aa'], null, {}),
  })
  .map(({ op, path, from, value }) =>
    op === 'copy' || op === 'move' ? { op, from, path } : op === 'remove' ? { op, path } : { op, path, value },
  );

const listQuery = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { labelSelector: 'l=aa' },
  { labelSelector: '!l' },
  { fieldSelector: 'metadata.name=a' },
  { limit: '1' },
);

function operation(kind: SequenceKind): Arbitrary<Operation> {
  const content = contents[kind];
  const of = <K extends Operation['kind']>(
    name: K,
    weight: number,
    fields: Record<string, Arbitrary<unknown>>,
  ): { weight: number; arbitrary: Arbitrary<Operation> } => ({
    weight,
    arbitrary: fc.record({ kind: fc.constant(name), ...named, ...fields }) as unknown as Arbitrary<Operation>,
  });
  const custom = kind === 'widgets' || kind === 'gears';
  return fc.oneof(
    of('create', 4, { content, meta: metas }),
    of('replace', 3, { content, meta: metas, known }),
    of('edit', 3, { content }),
    of('merge', 4, {
      content,
      meta: metas,
      remove: fc.constantFrom(undefined, undefined, 'size', 'tags', 'labels', 'a', 'spec', 'data', 'finalizers'),
      known: fc.constantFrom<Known>('none', 'none', 'none', 'current', 'old'),
    }),
    of('json', 2, { steps: fc.array(step, { minLength: 1, maxLength: 3 }) }),
    of('apply', 6, { content, meta: metas, force: fc.boolean() }),
    of('delete', 2, { uid: known, version: fc.constantFrom<Known>('none', 'none', 'none', 'current', 'old') }),
    of('get', 1, {}),
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('list' as const), query: listQuery }) },
    ...(custom ? [of('status', 3, { way: fc.constantFrom('merge', 'replace', 'apply'), status: statuses })] : []),
    ...(kind === 'widgets' ? [of('scale', 1, { replicas: fc.constantFrom<JsonValue>(1, 2, -1, 'x') })] : []),
    ...(kind === 'widgets' || kind === 'gears' || kind === 'loose'
      ? []
      : [of('strategic', 2, { content, meta: metas })]),
  );
}

/** Sequences of 6 to 14 operations; the rich kind comes most often. */
export const sequences: Arbitrary<Sequence> = fc
  .constantFrom<SequenceKind>(
    'widgets',
    'widgets',
    'widgets',
    'widgets',
    'configmaps',
    'configmaps',
    'gears',
    'loose',
    'secrets',
    'leases',
  )
  .chain((kind) =>
    fc
      .tuple(beginning(kind), fc.array(operation(kind), { minLength: 6, maxLength: 13 }))
      .map(([first, others]) => ({ kind, operations: [first, ...others] })),
  );

/** Usually an initial object. */
function beginning(kind: SequenceKind): Arbitrary<Operation> {
  return fc.record({
    kind: fc.constant('create' as const),
    name: fc.constant('a' as const),
    manager: named.manager,
    dryRun: fc.constant(false),
    content: contents[kind],
    meta: fc.constant({}),
  });
}
