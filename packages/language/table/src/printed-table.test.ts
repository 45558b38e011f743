import { describe, expect, it } from '@jest/globals';
import { customTable } from './printed-table.js';

const now = Date.parse('2026-01-02T00:00:00Z');
const object = {
  metadata: { name: 'orders', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { size: 3, ready: true, list: ['a'], text: 'x' },
};

describe('customTable', () => {
  it('has the age where a CRD has no columns', () => {
    const { columns, cells } = customTable([]);
    expect(columns.map(({ name }) => name)).toEqual(['Name', 'Age']);
    expect(cells(object, now)).toEqual(['orders', '24h']);
  });

  it.each([
    ['string', '.spec.size', '3'],
    ['string', '.spec.list', '["a"]'],
    ['integer', '.spec.size', 3],
    ['integer', '.spec.text', null],
    ['boolean', '.spec.ready', true],
    ['number', '.spec.text', null],
    ['date', '.metadata.creationTimestamp', '24h'],
    ['date', '.spec.text', '<invalid>'],
    ['string', '.spec.missing', null],
  ])('prints as %s what stands at %s', (type, jsonPath, cell) => {
    expect(customTable([{ name: 'A', type, jsonPath }]).cells(object, now)[1]).toBe(cell);
  });

  it('leaves out columns from the first path on that cannot be read', () => {
    const columns = ['.spec.size', '{.spec}', '.spec.text'].map((jsonPath) => ({
      name: jsonPath,
      type: 'string',
      jsonPath,
    }));
    expect(customTable(columns).columns.map(({ name }) => name)).toEqual(['Name', '.spec.size']);
  });
});
