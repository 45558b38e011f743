import type { Client, KubeObject, ListOptions, ObjectKey, Resource } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import type { Person } from '../person.js';
import { KlutchHomes } from './klutch-homes.js';

const { signal } = new AbortController();
const issuer = 'https://issuer';
const person = (subject: string): Person => ({ issuer, subject, groups: [], name: undefined });

describe('namespaces of consumers of Klutch', () => {
  const lists: (string | undefined)[] = [];
  const reads: string[] = [];
  const home = (name: string, identity: string, subject: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      annotations: {
        'example-backend.klutch.anynines.com/identity': identity,
        'hawser.dev/owner-issuer': issuer,
        'hawser.dev/owner-subject': subject,
      },
    },
  });
  /** What the API server has, and what the cache knows of it. */
  const homes = (stored: readonly KubeObject[], cached: readonly KubeObject[] = stored): KlutchHomes => {
    lists.length = 0;
    reads.length = 0;
    const indexes = new Map<string, (object: KubeObject) => readonly string[]>();
    const client = {
      name: 'provider',
      get: (_: Resource, { name }: ObjectKey) => {
        reads.push(name);
        return Promise.resolve(
          stored.find(({ metadata }) => metadata.name === name) ?? home(name, 'of nobody', 'nobody'),
        );
      },
      list: (_: Resource, { labelSelector }: ListOptions) => {
        lists.push(labelSelector);
        return Promise.resolve({ items: stored.filter(({ metadata }) => metadata.labels !== undefined), metadata: {} });
      },
    } as unknown as Client;
    return new KlutchHomes(client, {
      addIndex: (name, keys) => indexes.set(name, keys),
      byIndex: (name, value) => cached.filter((object) => indexes.get(name)?.(object).includes(value)),
      observe: () => undefined,
    });
  };

  it('are found without those of others', async () => {
    const all = homes([home('a', 'jane#1', 'jane'), home('b', 'bob#1', 'bob')]);
    expect((await all.of(person('jane'), signal)).map(({ namespace }) => namespace)).toEqual(['a']);
    expect((await all.withIdentity('bob#1', 'c', signal)).map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(await all.one(person('jane'), 'b', signal)).toBeUndefined();
    expect(lists).toEqual([]);
  });

  it('are read one at a time, where one is asked for', async () => {
    const all = homes([home('a', 'jane#1', 'jane'), home('b', 'jane#2', 'jane'), home('c', 'bob#1', 'bob')]);
    expect((await all.one(person('jane'), 'b', signal))?.cluster).toEqual({ identity: 'jane#2', prettyName: '2' });
    expect(reads).toEqual(['b']);
    expect(await all.one(person('jane'), 'c', signal)).toBeUndefined();
  });

  it('are whose the API server says, whatever a cache still says', async () => {
    const all = homes([home('a', 'jane#1', 'bob')], [home('a', 'jane#1', 'jane')]);
    expect(await all.of(person('jane'), signal)).toEqual([]);
  });

  it('count as soon as another replica has made them', async () => {
    const made = home('b', 'jane#2', 'jane');
    const all = homes(
      [home('a', 'jane#1', 'jane'), { ...made, metadata: { ...made.metadata, labels: { any: 'one' } } }],
      [home('a', 'jane#1', 'jane')],
    );
    expect(await all.countOf(person('jane'), signal)).toBe(2);
    expect(lists).toEqual([expect.stringMatching(/^hawser\.dev\/portal-person=[0-9a-f]{32}$/u)]);
  });
});
