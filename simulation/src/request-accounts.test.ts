import { describe, expect, it } from '@jest/globals';
import { isEvent, nameOfCreated } from './request-accounts.js';

describe('what is counted as one write', () => {
  it.each([
    ['POST', JSON.stringify({ metadata: { name: 'a' } }), '/a'],
    ['POST', JSON.stringify({ metadata: { generateName: 'a-' } }), ''],
    ['POST', JSON.stringify({ spec: {} }), ''],
    ['POST', '', ''],
    ['PUT', JSON.stringify({ metadata: { name: 'a' } }), ''],
    ['PATCH', JSON.stringify([{ op: 'test', path: '/metadata/uid', value: 'a' }]), ''],
  ])('a %s of %s is told by the path and %j', (method, body, expected) => {
    expect(nameOfCreated({ method, path: '/api/v1/namespaces/n/secrets', headers: {}, body })).toBe(expected);
  });

  it.each([
    ['/api/v1/namespaces/n/events', true],
    ['/apis/events.k8s.io/v1/namespaces/n/events/x?force=true', true],
    ['/api/v1/namespaces/events-of/secrets', false],
  ])('an Event is none: %s', (path, expected) => {
    expect(isEvent({ method: 'POST', path, headers: {} })).toBe(expected);
  });
});
