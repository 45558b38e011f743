import { describe, expect, it } from '@jest/globals';
import { announcementPatch, announcementsOf, type ResolvedPair } from './index.js';

const pair = (name: string, namespace?: string): ResolvedPair => ({
  origin: { namespace: 'svc', name: `orig-${name}`, object: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: `orig-${name}`, namespace: 'svc' } } },
  destination: { namespace, name },
});

const prefix = 'related-resources.syncagent.kcp.io/';

describe('announcements', () => {
  it('have the bytes of the Go agent', () => {
    expect(announcementsOf('credentials', [pair('a', 'default'), pair('b')])).toEqual({
      [`${prefix}credentials.0`]: '{"namespace":"default","name":"a","apiVersion":"example.com/v1","kind":"Widget"}',
      [`${prefix}credentials.1`]: '{"name":"b","apiVersion":"example.com/v1","kind":"Widget"}',
    });
  });

  it('cost nothing when they are there', () => {
    expect(announcementPatch('credentials', [pair('a', 'default')], { ...announcementsOf('credentials', [pair('a', 'default')]), other: 'x' })).toBeUndefined();
    expect(announcementPatch('credentials', [])).toBeUndefined();
  });

  it('are corrected in one patch, and removed when their place is not taken any more (RE-20)', () => {
    const annotations = {
      ...announcementsOf('credentials', [pair('a', 'default'), pair('b', 'default'), pair('c', 'default')]),
      [`${prefix}credentials.x`]: 'not ours',
      [`${prefix}credentials-2.0`]: 'of another entry',
      [`${prefix}credentials.2.0`]: 'of an entry called credentials.2',
    };
    expect(announcementPatch('credentials', [pair('a', 'default'), pair('z', 'default')], annotations)).toEqual({
      [`${prefix}credentials.1`]: '{"namespace":"default","name":"z","apiVersion":"example.com/v1","kind":"Widget"}',
      [`${prefix}credentials.2`]: null,
    });
  });
});
