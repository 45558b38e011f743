import { describe, expect, it } from '@jest/globals';
import { continuesList, inPages } from './pages.js';

const path = (request: { readonly path: string }): string => request.path;
const get = (path: string) => ({ method: 'GET', path, headers: {} });

describe('lists in pages', () => {
  it('have no more objects on a page than the run allows, and no more than was asked for', () => {
    expect(path(inPages(get('/api/v1/secrets?limit=500&continue=abc'), 3))).toBe(
      '/api/v1/secrets?limit=3&continue=abc',
    );
    expect(path(inPages(get('/api/v1/secrets?fieldSelector=x&limit=1'), 3))).toBe(
      '/api/v1/secrets?fieldSelector=x&limit=1',
    );
    const whole = get('/api/v1/secrets?labelSelector=xlimit%3D500');
    expect(inPages(whole, 3)).toBe(whole);
  });

  it('are known by their tokens', () => {
    expect([get('/a?limit=3&continue=abc'), get('/a?limit=3'), get('/a?continue=')].map(continuesList)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
