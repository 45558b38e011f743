import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { asWatchEvent } from './decode.js';
import { knownEvent } from './known-event.js';

const object = (metadata: object, more: object = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { name: 'a', resourceVersion: '7', uid: 'u', ...metadata },
  ...more,
});
const line = (type: string, value: object): string => JSON.stringify({ type, object: value });
const known = new Map([['7', 'u']]);

describe('an event that is known', () => {
  it('comes as a bookmark of its version', () => {
    for (const type of ['ADDED', 'MODIFIED']) {
      expect(knownEvent(line(type, object({}, { spec: { text: 'say "resourceVersion":"8"' } })), known)).toEqual({
        event: { type: 'BOOKMARK', object: { metadata: { resourceVersion: '7' } } },
      });
    }
  });

  it('is read if it is a deletion, another version, or another object', () => {
    expect(knownEvent(line('DELETED', object({})), known)).toBeUndefined();
    expect(knownEvent(line('MODIFIED', object({ resourceVersion: '8' })), known)).toBeUndefined();
    expect(knownEvent(line('MODIFIED', object({ resourceVersion: '70' })), known)).toBeUndefined();
    expect(knownEvent(line('MODIFIED', object({ uid: 'v' })), known)).toBeUndefined();
    expect(knownEvent(line('MODIFIED', object({})), new Map())).toBeUndefined();
  });

  it('is read if anything in it looks like the version of another object', () => {
    expect(
      knownEvent(
        line('MODIFIED', {
          apiVersion: 'v1',
          kind: 'K',
          metadata: { labels: { resourceVersion: '7' }, name: 'a', resourceVersion: '9', uid: 'u' },
        }),
        known,
      ),
    ).toBeUndefined();
    expect(
      knownEvent(
        line('MODIFIED', {
          apiVersion: 'v1',
          kind: 'K',
          metadata: { annotations: { resourceVersion: '7', uid: 'u' }, name: 'a', resourceVersion: '9', uid: 'w' },
        }),
        known,
      ),
    ).toBeUndefined();
    expect(
      knownEvent(line('MODIFIED', { ...object({ resourceVersion: '9' }), spec: { resourceVersion: '7' } }), known),
    ).toBeUndefined();
  });

  it('is never another version than that of its metadata, whatever the object holds', () => {
    const key = fc.constantFrom('resourceVersion', 'uid', 'metadata', 'a"', '\\"resourceVersion');
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('7', '8', 'u', '","resourceVersion":"7'),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
    })).value;
    fc.assert(
      fc.property(
        fc.constantFrom('7', '8', '77'),
        fc.constantFrom('u', 'v'),
        fc.dictionary(key, value, { maxKeys: 3 }),
        value,
        (resourceVersion, uid, more, spec) => {
          const text = line('MODIFIED', {
            apiVersion: 'v1',
            kind: 'K',
            metadata: { name: 'a', more, resourceVersion, uid },
            spec,
          });
          const found = knownEvent(text, known);
          const read = asWatchEvent(text);
          if (found !== undefined)
            expect('event' in read && read.event.object.metadata.resourceVersion).toBe(
              found.event.object.metadata.resourceVersion,
            );
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
