import { expect, it } from '@jest/globals';

import type { Action } from './decision.js';
import { stepText } from './step-text.js';
import { consumerObject, copyObject } from './testing/snapshots.js';

const create = (wantedHash: string): Action => ({ type: 'createCopy', object: copyObject(), wantedHash });
const status = (phase: string): Action => ({
  type: 'writeStatus',
  consumer: consumerObject(),
  copy: { ...copyObject(), status: { phase } },
});

it.each<[string, Action, Action]>([
  ['content', create('x'), create('y')],
  ['status', status('Ready'), status('Failed')],
  ['step', create('x'), { type: 'proveDeletion' }],
])('another %s is another step', (_, first, second) => {
  expect(stepText(first)).toBe(stepText({ ...first }));
  expect(stepText(first)).not.toBe(stepText(second));
});
