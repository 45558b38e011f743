import { createHash } from 'node:crypto';
import { ApiError, type KubeObject, type ObjectKey, type Resource } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { describe, expect, it } from '@jest/globals';
import { Consumers, type ConsumersOptions } from './consumers.js';
import type { Person } from './person.js';

const { signal } = new AbortController();
const issuer = 'https://issuer';
const person = (subject: string): Person => ({ issuer, subject, groups: [], name: undefined });

describe('the consumer of a cluster namespace', () => {
  const reads: string[] = [];
  const home = (name: string, identity: string) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, annotations: { 'backend.kube-bind.io/identity': identity } },
  });
  const request = (identity: string, namespace: string, subject: string, name = nameOf(identity)) => ({
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'BindableResourcesRequest',
    metadata: {
      namespace: 'portal',
      name,
      annotations: { 'hawser.dev/owner-issuer': issuer, 'hawser.dev/owner-subject': subject },
    },
    spec: { clusterIdentity: { identity } },
    status: { namespace },
  });
  const nameOf = (identity: string): string =>
    `portal-${createHash('sha256').update(identity).digest('hex').slice(0, 32)}`;
  const consumers = (...objects: readonly KubeObject[]): Consumers => {
    reads.length = 0;
    const of = (resource: Resource): readonly KubeObject[] =>
      objects.filter(({ kind }) => `${kind.toLowerCase()}s` === resource.resource);
    const client = {
      get: (resource: Resource, { name }: ObjectKey) => {
        reads.push(`get ${resource.resource}`);
        const found = of(resource).find(({ metadata }) => metadata.name === name);
        if (found !== undefined) return Promise.resolve(found);
        const { group, resource: plural } = resource;
        const details = { group, kind: plural, name };
        return Promise.reject(
          new ApiError(
            'NotFound',
            'NotFound',
            { cluster: 'provider', verb: 'get', resource: plural, name },
            { httpStatus: 404, status: { kind: 'Status', reason: 'NotFound', details } },
          ),
        );
      },
      list: (resource: Resource) => {
        reads.push(`list ${resource.resource}`);
        return Promise.resolve({ items: of(resource) });
      },
    };
    const clock = new FakeClock();
    return new Consumers({
      client,
      clock,
      namespace: 'portal',
      quota: {},
      proofs: { needsProof: () => false },
    } as unknown as ConsumersOptions);
  };
  const subjectOf = async (found: ReturnType<Consumers['one']>): Promise<string | undefined> =>
    (await found)?.metadata.annotations?.['hawser.dev/owner-subject'];

  it('is read without those of others, and is nothing to a stranger', async () => {
    const all = consumers(home('kb-a', 'a'), request('a', 'kb-a', 'jane'), request('b', 'kb-b', 'bob'));
    expect(await subjectOf(all.one(person('jane'), 'kb-a', signal))).toBe('jane');
    expect(reads).toEqual(['get namespaces', 'get bindableresourcesrequests']);
    expect(await all.one(person('bob'), 'kb-a', signal)).toBeUndefined();
  });

  it('is what its request says, and not what its namespace says', async () => {
    const all = consumers(home('kb-b', 'a'), request('a', 'kb-a', 'jane'), request('b', 'kb-b', 'bob'));
    expect(await all.one(person('jane'), 'kb-b', signal)).toBeUndefined();
    expect(await subjectOf(all.one(person('bob'), 'kb-b', signal))).toBe('bob');
  });

  it('is found by a request of any name that an operator has opened', async () => {
    const all = consumers(home('kb-a', 'a'), request('a', 'kb-a', 'jane', 'by-hand'));
    expect(await subjectOf(all.one(person('jane'), 'kb-a', signal))).toBe('jane');
  });

  it('is asked for by no name that is none', async () => {
    const all = consumers();
    for (const name of ['..', '.', '', 'a/b', 'kb-a?x'])
      expect(await all.one(person('jane'), name, signal)).toBeUndefined();
    expect(reads).toEqual([]);
  });
});
