import { expect, it } from '@jest/globals';

import { decide } from './decide.js';
import { consumerObject, copyObject, observed, ownMarks, settings } from './testing/snapshots.js';

it.each<[string, Record<string, unknown>, string, string]>([
  ['bears no marks', { annotations: {} }, 'ForeignCopy', 'and belongs to another owner; it is left alone'],
  [
    'bears the marks of another consumer',
    { annotations: { ...ownMarks, 'kube-bind.io/cluster-namespace': 'kube-bind-y' } },
    'ForeignCopy',
    'and belongs to the consumer "kube-bind-y"; it is left alone',
  ],
  [
    'bears the marks of another object',
    { annotations: { ...ownMarks, 'hawser.dev/consumer-object': 'Database.example.com/team-a/two' } },
    'ForeignCopy',
    'the marks of another object, Database.example.com/team-a/two',
  ],
  [
    'is the copy of another cluster',
    { annotations: { ...ownMarks, 'hawser.dev/consumer-identity': 'cluster-2' } },
    'CopyOfAnotherCluster',
    'in the consumer cluster with uid cluster-2, and this cluster has uid cluster-1',
  ],
])(
  'an object in the place of the copy is not written, and is told by what it is: it %s',
  (_, metadata, reason, message) => {
    const decision = decide(
      observed(consumerObject({ size: 'large' }), copyObject({ size: 'small' }, metadata)),
      settings,
    );
    expect(decision).toMatchObject({
      actions: [],
      verdict: { kind: 'held', reason, message: expect.stringContaining(message) },
    });
  },
);
