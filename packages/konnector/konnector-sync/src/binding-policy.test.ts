import { describe, expect, it } from '@jest/globals';

import { readBindingPolicy } from './binding-policy.js';

const ignoring = (pointers: string): ReturnType<typeof readBindingPolicy> =>
  readBindingPolicy({ binding: { annotations: { 'hawser.dev/drift-ignore': pointers } } });

describe('hawser.dev/drift-ignore', () => {
  it.each([
    ['/spec/replicas', ['spec', 'replicas']],
    ['/data/tls.crt', ['data', 'tls.crt']],
    ['/metadata/labels/team', ['metadata', 'labels', 'team']],
    ['/metadata/annotations/example.com~1note', ['metadata', 'annotations', 'example.com/note']],
  ])('takes %s', (pointer, path) => {
    const { policy, problems } = ignoring(pointer);
    expect([policy.ignored, problems]).toEqual([[path], []]);
  });

  it.each([
    '/metadata/finalizers/0',
    '/metadata/name',
    '/metadata/labels',
    '/metadata/annotations',
    '/metadata/annotations/a/b',
    '/metadata/labels/a/b',
    '/metadata/ownerReferences/uid',
    '/apiVersion',
    '/kind',
    '/status',
    '/status/phase',
    'spec/replicas',
    '/',
    '/spec//size',
  ])('does not take %s, which a konnector does not copy or cannot find, and says so', (pointer) => {
    const { policy, problems } = ignoring(pointer);
    expect(policy.ignored).toEqual([]);
    expect(problems).toEqual([
      expect.objectContaining({
        reason: 'UnknownPolicyValue',
        actor: 'operator',
        message: expect.stringContaining(`"${pointer}"`) as unknown,
      }),
    ]);
  });
});

describe('a value that is not known', () => {
  it.each([
    [60, ''],
    [61, '…'],
  ])('of %d characters is shown up to the 60th', (length, rest) => {
    const { problems } = readBindingPolicy({
      binding: { annotations: { 'hawser.dev/drift-policy': 'x'.repeat(length) } },
    });
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(`"${'x'.repeat(60)}${rest}"`)]);
  });
});
