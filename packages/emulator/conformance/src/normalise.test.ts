import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@hawser/json';
import type { Exchange } from './exchange.js';
import { normalise } from './normalise.js';

const uid = '0f0e0d0c-1111-4222-8333-444455556666';
const other = '9f0e0d0c-1111-4222-8333-444455556666';

function bodies(...all: readonly JsonValue[]): readonly (JsonValue | undefined)[] {
  const exchanges: Exchange[] = all.map((body) => ({ request: 'GET /', status: 200, body }));
  return normalise(exchanges, { managedFields: false, generated: new Set() }).map(({ body }) => body);
}

const configMap = (resourceVersion: string, more: JsonValue = {}): JsonValue => ({
  kind: 'ConfigMap',
  metadata: { resourceVersion, ...(more as object) },
});

describe('a normalised transcript', () => {
  it('has ranks in place of resourceVersions', () => {
    expect(bodies(configMap('90'), configMap('100'), configMap('90'))).toEqual([
      configMap('<rv 1>'),
      configMap('<rv 2>'),
      configMap('<rv 1>'),
    ]);
  });

  it('does not compare the resourceVersion of a list', () => {
    expect(bodies({ kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items: [] })).toEqual([
      { kind: 'ConfigMapList', metadata: { resourceVersion: '<rv of the list>' }, items: [] },
    ]);
  });

  it('numbers uids as they come, whatever the order of keys', () => {
    expect(bodies({ b: other, a: uid }, `gone: ${other}`)).toEqual([{ b: '<uid 2>', a: '<uid 1>' }, 'gone: <uid 2>']);
  });

  it('replaces times of now and keeps those that a case has chosen', () => {
    expect(bodies([new Date().toISOString(), '2020-01-01T00:00:00Z'])).toEqual([['<time>', '2020-01-01T00:00:00Z']]);
  });

  it('leaves managedFields out, unless a case is about them', () => {
    const body = configMap('1', {
      managedFields: [
        { manager: 'b', operation: 'Update' },
        { manager: 'a', operation: 'Update' },
      ],
    });
    expect(bodies(body)).toEqual([configMap('<rv 1>')]);
    const [kept] = normalise([{ request: 'GET /', status: 200, body }], { managedFields: true, generated: new Set() });
    expect(kept?.body).toEqual(
      configMap('<rv 1>', {
        managedFields: [
          { manager: 'a', operation: 'Update' },
          { manager: 'b', operation: 'Update' },
        ],
      }),
    );
  });

  it('does not depend on the order of faults', () => {
    const status = (order: readonly string[]): JsonValue => ({
      kind: 'Status',
      message: `x is invalid: [${order.map((field) => `${field}: bad`).join(', ')}]`,
      details: { causes: order.map((field) => ({ field, message: 'bad' })) },
    });
    expect(bodies(status(['b', 'a']))).toEqual(bodies(status(['a', 'b'])));
  });

  it('keeps __proto__ as a key', () => {
    const [body] = bodies(JSON.parse('{"__proto__":{"a":1}}') as JsonValue);
    expect(JSON.stringify(body)).toBe('{"__proto__":{"a":1}}');
  });
});
