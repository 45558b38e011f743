import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { sharing } from './sharing.js';
import { useScenario } from './testing/scenario.js';

const scenario = useScenario();

const thing = (fields: Record<string, unknown>): KubeObject & Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a' },
  ...fields,
});

describe('parts in common', () => {
  it('are those of the other object where they are equal, whatever the order of their keys; all else stays', () => {
    const like = thing({ spec: { a: [1, { b: 2 }], c: 3 }, status: { phase: 'Ready' } });
    const object = thing({
      metadata: { name: 'a' },
      spec: { c: 3n, a: [1, { b: 2 }] },
      status: { phase: 'Failed' },
      data: {},
    });
    const shared = sharing(object, like);
    expect(shared).toEqual({ ...object, spec: like['spec'] });
    expect(shared['spec']).toBe(like['spec']);
    expect(shared['status']).toBe(object['status']);
    expect(shared.metadata).toBe(object.metadata);
    expect(Object.keys(shared)).toEqual(Object.keys(object));
    expect(Object.isFrozen(shared)).toBe(true);
  });

  it('are none: then it is the very object', () => {
    for (const fields of [{}, { spec: { a: 2 } }, { immutable: true }, { other: { a: 1 } }]) {
      const object = thing(fields);
      expect(sharing(object, thing({ spec: { a: 1 }, immutable: true }))).toBe(object);
    }
    const object = thing({ spec: {} });
    expect(sharing(object, object)).toBe(object);
    expect(sharing(thing({ constructor: {} }), thing({}))['constructor']).toEqual({});
  });

  it('may have any name', () => {
    const odd = (): KubeObject & Record<string, unknown> => ({
      ...(JSON.parse('{"__proto__":{"a":1},"spec":{"a":1}}') as Record<string, unknown>),
      ...thing({}),
    });
    const [object, like] = [odd(), odd()];
    const shared = sharing(object, like);
    expect(Object.getOwnPropertyDescriptor(shared, '__proto__')?.value).toBe(
      Object.getOwnPropertyDescriptor(like, '__proto__')?.value,
    );
    expect(Object.getPrototypeOf(shared)).toBe(Object.prototype);
  });
});

describe('a cache', () => {
  it('keeps what a new version has in common with the one before', async () => {
    const { server, clock, informer, recorder, equal } = await scenario.start(['a']);
    const before = informer.get('default/a')!;
    server.update('a', before.spec.value);
    await clock.advance(0);
    const after = informer.get('default/a')!;
    expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    expect(after.spec).toBe(before.spec);
    server.update('a', 5);
    await clock.advance(0);
    expect(informer.get('default/a')?.spec.value).toBe(5);
    expect(recorder.take()).toEqual(['update a=0→0', 'update a=0→5']);
    equal();
  });

  it('takes parts from an object of another one, tells nobody, and keeps them', async () => {
    const { server, clock, informer, recorder, equal } = await scenario.start(['a']);
    const like = thing({ spec: { ...informer.get('default/a')!.spec } });
    informer.share('default/a', like);
    informer.share('default/b', like);
    expect(informer.get('default/a')?.spec).toBe(like['spec']);
    expect(recorder.take()).toEqual([]);
    expect(informer.size).toBe(1);
    server.update('a', 0);
    await clock.advance(0);
    expect(informer.get('default/a')?.spec).toBe(like['spec']);
    equal();
  });
});
