import { describe, expect, it } from '@jest/globals';

import { copyPatch } from './copy-patch.js';
import { consumerObject, copyObject, ownMarks } from './testing/snapshots.js';
import { wantedOf } from './wanted.js';

describe.each([
  ['without', 'x'],
  ['with', null],
])('the patch of a copy %s an explicit null', (_, nothing) => {
  it('takes an annotation and a label away that the consumer has removed, and keeps what is not carried and what the provider added', () => {
    const consumer = consumerObject(
      { size: 'small', nothing },
      { labels: { tier: 'gold' }, annotations: { note: 'hello' } },
    );
    const copy = copyObject(
      { size: 'small', nothing },
      { labels: { tier: 'gold', gone: 'x' }, annotations: { ...ownMarks, note: 'hello', gone: 'x', theirs: 'y' } },
    );
    const patch = copyPatch({
      copy,
      wanted: wantedOf(consumer),
      remove: [
        ['metadata', 'annotations', 'gone'],
        ['metadata', 'labels', 'gone'],
      ],
      annotations: { 'hawser.dev/wanted-hash': 'h' },
    });
    if (patch.type === 'json') {
      expect(patch.operations).toContainEqual({
        op: 'add',
        path: '/metadata/annotations',
        value: { ...ownMarks, note: 'hello', theirs: 'y', 'hawser.dev/wanted-hash': 'h' },
      });
      expect(patch.operations).toContainEqual({ op: 'add', path: '/metadata/labels', value: { tier: 'gold' } });
    } else {
      expect(patch).toMatchObject({
        type: 'merge',
        patch: { metadata: { annotations: { gone: null, 'hawser.dev/wanted-hash': 'h' }, labels: { gone: null } } },
      });
    }
    expect(patch.type).toBe(nothing === null ? 'json' : 'merge');
  });
});
