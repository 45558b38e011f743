import type { UnstructuredObject } from '@hawser/client';
import { defaultPolicy } from '@hawser/konnector-sync';
import { afterEach, describe, expect, it } from '@jest/globals';

import type { Observed } from './observed.js';
import { type EmbeddedClaims, openEmbeddedClaims } from './testing/embedded-claims.js';
import { observe, ofConsumer, outcomeOf, secret, writtenBy } from './testing/secret-pairs.js';

/** The namespace that consumers share under isolation None. */
const shared = { placement: { kind: 'assigned', namespace: 'team' } } as const satisfies Partial<Observed>;
const gone = {
  originalGone: true,
  memory: { seen: { consumer: 'uc' }, deleted: { consumer: 'uc' } },
} as const satisfies Partial<Observed>;

describe('in a namespace that consumers share', () => {
  const original = secret('consumer', { label: 'consumer', data: { k: 'new' } });
  const copy = (annotations: Readonly<Record<string, string>>): UnstructuredObject =>
    secret('provider', { label: 'consumer', annotations: { ...ofConsumer, ...annotations } });
  it("a copy with the identity of another cluster is another consumer's, and no command is offered that would take it over", () => {
    const theirs = copy({ 'hawser.dev/consumer-identity': 'old' });
    expect(outcomeOf(observe(original, theirs, shared))).toBe('ClaimedByAnotherConsumer');
    expect(
      outcomeOf(observe(original, theirs, shared), new Map([['b', { ...defaultPolicy, formerClusters: ['old'] }]])),
    ).toBe('ClaimedByAnotherConsumer');
    expect(outcomeOf(observe(undefined, theirs, { ...shared, ...gone }))).toBe('ClaimedCopyLeftOver');
  });
  it('a copy without an identity is kept in step where it names the uid of the original that is there, or was seen last', () => {
    expect(outcomeOf(observe(original, copy({}), shared))).toBe('patchCopy provider');
    expect(
      outcomeOf(
        observe(original, copy({ 'kube-bind.io/consumer-uid': 'before' }), {
          ...shared,
          memory: { seen: { consumer: 'before' } },
        }),
      ),
    ).toBe('patchCopy provider');
    expect(
      outcomeOf(
        observe(original, copy({ 'kube-bind.io/consumer-uid': 'another' }), {
          ...shared,
          memory: { seen: { consumer: 'before' } },
        }),
      ),
    ).toBe('ClaimedByAnotherConsumer');
  });
});

describe('a copy that names neither cluster nor namespace, where each copy has to', () => {
  const copy = secret('provider', {
    label: 'consumer',
    annotations: { 'kube-bind.io/consumer-uid': 'uc' },
    managedFields: writtenBy('konnector'),
    data: {},
  });
  it('is not written over, although its original was seen', () => {
    expect(outcomeOf(observe(secret('consumer', { label: 'consumer' }), copy, { memory: gone.memory }))).toBe(
      'ClaimedByAnotherConsumer',
    );
  });
  it('is not deleted, although its original was seen to go and a konnector has written its marks', () => {
    expect(outcomeOf(observe(undefined, copy, gone))).toBe('notSelected');
  });
});

describe('a copy that does not name its original, and whose marks a konnector has written', () => {
  const copy = (time: string | undefined, creationTimestamp: string | undefined): UnstructuredObject => {
    const written = secret('provider', {
      label: 'consumer',
      annotations: ofConsumer,
      managedFields: (writtenBy('kube-bind.io') as readonly object[]).map((entry) => ({
        ...entry,
        ...(time === undefined ? {} : { time }),
      })),
    });
    return {
      ...written,
      metadata: { ...written.metadata, ...(creationTimestamp === undefined ? {} : { creationTimestamp }) },
    };
  };
  it.each<[string, string | undefined, string | undefined, string]>([
    [
      'goes with its original where they were written after it was made',
      '2026-01-01T00:01:00Z',
      '2026-01-01T00:00:00Z',
      'deleteCopy provider',
    ],
    [
      'goes where they were written 2 s before the server said that it was made',
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:02Z',
      'deleteCopy provider',
    ],
    [
      'stays where they are 3 s older than itself: they came from the object that it is a clone of',
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:03Z',
      'ClaimedCopyLeftOver',
    ],
    [
      'goes where the server does not say when they were written',
      undefined,
      '2026-01-01T00:00:00Z',
      'deleteCopy provider',
    ],
    ['goes where the server does not say when it was made', '2026-01-01T00:00:00Z', undefined, 'deleteCopy provider'],
  ])('%s', (_, time, creationTimestamp, expected) => {
    expect(outcomeOf(observe(undefined, copy(time, creationTimestamp), gone))).toBe(expected);
  });
});

describe('copies that have come by the claims of a binding', () => {
  let claims: EmbeddedClaims;
  afterEach(() => claims.close());
  it('count against what may come, and clones of them under another name do not', async () => {
    claims = await openEmbeddedClaims();
    await claims.secret('provider', 'one');
    await claims.pass(5_000);
    const copy = await claims.on('consumer', 'one');
    expect(copy?.metadata.annotations).toMatchObject({ 'hawser.dev/provider-name': 'one' });
    expect(claims.sync.copies('b')).toBe(1);
    const { annotations = {}, labels = {} } = copy?.metadata ?? {};
    await claims.secret('consumer', 'backup', { annotations, labels });
    // One of another konnector does not name its original: its own place shows it.
    const nameless = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('hawser.dev/')));
    await claims.secret('consumer', 'two', { annotations: nameless, labels });
    await claims.pass(5_000);
    expect(claims.sync.copies('b')).toBe(2);
  }, 30_000);
});
