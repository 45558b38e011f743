import { expect, it } from '@jest/globals';

import { createCopyCounts } from './copy-counts.js';

it('counts each copy once, for the binding that it came by last, and tells that there is room again', () => {
  let freed = 0;
  const counts = createCopyCounts(() => {
    freed++;
  });
  counts.set('team/a', 'one');
  counts.set('team/a', 'one');
  counts.set('team/b', 'one');
  expect([counts.count('one'), counts.count('two'), freed]).toEqual([2, 0, 0]);
  counts.set('team/a', 'two');
  expect([counts.count('one'), counts.count('two'), counts.bindingOf('team/a'), freed]).toEqual([1, 1, 'two', 1]);
  counts.delete('team/a');
  counts.delete('team/a');
  expect([counts.count('two'), counts.bindingOf('team/a'), freed]).toEqual([0, undefined, 2]);
});
