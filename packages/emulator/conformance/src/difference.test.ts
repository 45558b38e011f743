import { describe, expect, it } from '@jest/globals';
import { differences } from './difference.js';

const exchange = { request: 'GET /a', status: 200, body: { a: 1, list: [{ b: 2 }] } };

describe('the differences of two transcripts', () => {
  it('are none between equals', () => {
    expect(differences('one', [exchange], 'two', [{ ...exchange, body: { list: [{ b: 2 }], a: 1 } }])).toEqual([]);
  });

  it('say where and what', () => {
    expect(
      differences('one', [exchange], 'two', [{ ...exchange, status: 404, body: { a: 1, list: [{ b: 3, c: null }] } }]),
    ).toEqual([
      '1. GET /a: status: one 200, two 404',
      '1. GET /a: body.list[0].b: one 2, two 3',
      '1. GET /a: body.list[0].c: one has nothing, two null',
    ]);
  });

  it('tell of requests that only one has', () => {
    expect(differences('one', [exchange], 'two', [])).toEqual(['1. GET /a: only one has this request']);
  });
});
