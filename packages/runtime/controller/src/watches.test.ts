import type { KubeObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import type { Queue } from './queue.js';
import { generationChanged, handlerOf, type ToKeys, toOwnKey, type WatchOptions } from './watches.js';

const object = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** What a watch with these options adds to the queue for an object that is there, comes, changes and goes. */
function added(options: WatchOptions<KubeObject>, toKeys: ToKeys<KubeObject> = toOwnKey): readonly string[] {
  const adds: string[] = [];
  const add: Queue['add'] = (key, { priority, resetBackoff } = {}) => {
    adds.push([key, priority, ...(resetBackoff === true ? ['cured'] : [])].join(' '));
  };
  const handler = handlerOf({ add } as Queue, toKeys, options);
  handler.onAdd?.(object('there'), true, { name: 'there' } as never, false);
  handler.onAdd?.(object('comes'), false, { name: 'comes' } as never, false);
  handler.onUpdate?.(object('before'), object('after'), { name: 'after' } as never, false);
  handler.onDelete?.(object('goes'), true, { name: 'goes' } as never, false);
  return adds;
}

describe('handlerOf', () => {
  it.each<[string, WatchOptions<KubeObject>, readonly string[]]>([
    ['everything', {}, ['there normal', 'comes normal', 'after normal', 'goes normal']],
    ['what comes after the start', { initial: false }, ['comes normal', 'after normal', 'goes normal']],
    ['updates that count', { changed: () => false }, ['there normal', 'comes normal', 'goes normal']],
    [
      'some keys before others',
      { priority: (key) => (key === 'comes' ? 'background' : 'urgent') },
      ['there urgent', 'comes background', 'after urgent', 'goes urgent'],
    ],
    [
      'keys as the object says',
      { priority: (_, { metadata: { name } }) => (name === 'goes' ? 'background' : 'normal') },
      ['there normal', 'comes normal', 'after normal', 'goes background'],
    ],
    ['updates that cure', { cures: () => true }, ['there normal', 'comes normal', 'after normal cured', 'goes normal']],
    [
      'whatever happens as a cure',
      { cures: true },
      ['there normal cured', 'comes normal cured', 'after normal cured', 'goes normal cured'],
    ],
  ])('adds %s', (_, options, expected) => {
    expect(added(options)).toEqual(expected);
  });

  it('asks for the keys of an object before its update, too, which only an option for all cures', () => {
    const toKeys: ToKeys<KubeObject> = ({ metadata: { name } }, change) =>
      change === 'update' ? [`owner-of-${name}`] : undefined;
    expect(added({ cures: () => true }, toKeys)).toEqual(['owner-of-before normal', 'owner-of-after normal cured']);
    expect(added({ cures: true }, toKeys)).toEqual(['owner-of-before normal cured', 'owner-of-after normal cured']);
  });
});

describe('generationChanged', () => {
  const state = (generation: number, spec: object, status: object = {}) => ({
    ...object('a'),
    metadata: { name: 'a', generation },
    spec,
    status,
  });
  it.each([
    ['another generation', state(1, { size: 1 }), state(2, { size: 1 }), true],
    [
      'another spec under one generation, as after a restored backup',
      state(2, { size: 1 }),
      state(2, { size: 2 }),
      true,
    ],
    ['another status', state(2, { size: 1 }), state(2, { size: 1 }, { ready: true }), false],
    ['nothing', object('a'), object('a'), false],
  ])('%s', (_, before, after, expected) => {
    expect(generationChanged(before, after)).toBe(expected);
  });
});
