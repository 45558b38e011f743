import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '@hawser/json';
import { FileLog } from './file-log.js';
import { CompactedError, FutureRevisionError, Store } from './store.js';

const object = (name: string, value = 0): JsonObject => ({ kind: 'Thing', metadata: { name }, value });
const keys = (entries: Iterable<{ readonly key: string }>): string[] => [...entries].map((entry) => entry.key);

describe('Store', () => {
  it('counts one revision for each write, and says it in the object', () => {
    const store = new Store();
    const first = store.put('things', 'a', object('a'));
    const second = store.put('things', 'a', object('a', 1));
    expect([first.revision, second.revision, second.createRevision, store.revision]).toEqual([2, 3, 2, 3]);
    expect(second.object['metadata']).toEqual({ name: 'a', resourceVersion: '3' });
    expect(store.delete('things', 'a')?.object['metadata']).toEqual({ name: 'a', resourceVersion: '4' });
    expect(store.delete('things', 'a')).toBeUndefined();
    expect(store.revision).toBe(4);
  });

  it('lists in the order of bytes, so that a namespace comes after those that go on with a dash', () => {
    const store = new Store();
    for (const key of ['ns/b', 'ns-1/a', 'ns/a', 'ns1/a']) store.put('things', key, object(key));
    expect(keys(store.range('things'))).toEqual(['ns-1/a', 'ns/a', 'ns/b', 'ns1/a']);
    expect(keys(store.range('things', 'ns/'))).toEqual(['ns/a', 'ns/b']);
    expect(keys(store.range('things', 'ns/', 'ns/a\u0000'))).toEqual(['ns/b']);
  });

  it('tells subscribers within the write, with what was there before', () => {
    const store = new Store();
    const seen: string[] = [];
    store.subscribe((change) => {
      seen.push(`${change.type} ${change.entry.key} ${change.revision} ${change.previous?.revision ?? '-'}`);
    });
    store.put('things', 'a', object('a'));
    store.put('things', 'a', object('a', 1));
    store.delete('things', 'a');
    expect(seen).toEqual(['ADDED a 2 -', 'MODIFIED a 3 2', 'DELETED a 4 3']);
    expect(store.changesSince('things', 2).map((change) => change.revision)).toEqual([3, 4]);
  });

  it('refuses what has been compacted and what has not come yet', () => {
    const store = new Store();
    for (let index = 0; index < 5; index++) store.put('things', 'a', object('a', index));
    store.compact(4);
    expect(() => store.changesSince('things', 3)).toThrow(CompactedError);
    expect(store.changesSince('things', 4)).toHaveLength(2);
    expect(() => store.rangeAt('things', 3)).toThrow(CompactedError);
    expect(() => store.rangeAt('things', 7)).toThrow(FutureRevisionError);
  });

  it('keeps so much history, and compacts by itself', () => {
    const store = new Store({ history: 10 });
    for (let index = 0; index < 100; index++) store.put('things', 'a', object('a', index));
    expect(store.changesSince('things', store.revision - 10)).toHaveLength(10);
    expect(store.compactedRevision).toBeGreaterThan(80);
  });

  it('goes back to a snapshot, revision included', () => {
    const store = new Store();
    store.put('things', 'a', object('a'));
    const snapshot = store.snapshot();
    store.put('things', 'a', object('a', 1));
    store.put('things', 'b', object('b'));
    let restored = 0;
    store.onRestore(() => {
      restored++;
    });
    store.restore(snapshot);
    expect([store.revision, keys(store.range('things')), restored]).toEqual([2, ['a'], 1]);
    expect(store.get('things', 'a')?.object['value']).toBe(0);
  });

  it('reads every revision as it was', () => {
    const operation = fc.record({
      key: fc.constantFrom('a', 'b', 'x/c', 'x/d'),
      value: fc.option(fc.nat(5), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const store = new Store();
        const states = new Map<number, string>();
        const read = (entries: Iterable<{ readonly key: string; readonly object: JsonObject }>): string =>
          [...entries].map((entry) => `${entry.key}=${Number(entry.object['value'])}`).join();
        for (const { key, value } of operations) {
          if (value === undefined) store.delete('things', key);
          else store.put('things', key, object(key, value));
          store.put('others', 'z', object('z'));
          states.set(store.revision, `${read(store.range('things'))} ${read(store.range('things', 'x/'))}`);
        }
        for (const [revision, state] of states)
          expect(`${read(store.rangeAt('things', revision))} ${read(store.rangeAt('things', revision, 'x/'))}`).toBe(
            state,
          );
      }),
    );
  });
});

describe('FileLog', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-store-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const reopened = (): Store => {
    const store = new Store();
    new FileLog(folder, store).close();
    return store;
  };

  it('has everything after the process has ended without a word', () => {
    const store = new Store();
    new FileLog(folder, store);
    store.put('things', 'a', object('a'));
    store.put('things', 'b', { ...object('b'), large: 2n ** 63n });
    store.put('things', 'a', object('a', 1));
    store.delete('things', 'b');
    const again = reopened();
    expect(again.revision).toBe(store.revision);
    expect(again.snapshot().entries).toEqual(store.snapshot().entries);
    expect(reopened().snapshot()).toEqual(store.snapshot());
  });

  it('ignores a line that a crash has cut off', () => {
    const store = new Store();
    const log = new FileLog(folder, store);
    store.put('things', 'a', object('a'));
    store.put('things', 'b', object('b'));
    log.close();
    const file = join(folder, 'log.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5));
    expect(keys(reopened().range('things'))).toEqual(['a']);
  });

  it('does not count twice what the log and the snapshot both have', () => {
    const store = new Store();
    const log = new FileLog(folder, store);
    store.put('things', 'a', object('a'));
    store.put('things', 'b', object('b'));
    store.delete('things', 'a');
    log.close();
    const old = readFileSync(join(folder, 'log.jsonl'), 'utf8');
    reopened();
    // A crash between the new snapshot and the new log.
    writeFileSync(join(folder, 'log.jsonl'), old);
    const again = reopened();
    expect([again.revision, keys(again.range('things'))]).toEqual([store.revision, ['b']]);
  });
});
