import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { UnstructuredObject } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import type { PublishedResourceSpec } from '@hawser/syncagent-api';
import { agentFunctions } from './naming/index.js';
import { type PublishedKinds, type PublishedSide, adoptionOf, compileRules } from './index.js';

const functions = agentFunctions({ clock: new FakeClock(), random: (length) => randomBytes(length) });
const side = (group: string, scope: PublishedSide['scope']): PublishedSide => ({
  resource: { group, version: 'v1', resource: 'databases' },
  kind: 'Database',
  scope,
  subresources: ['status'],
});
const kindsOf = (scope: PublishedSide['scope'] = 'Namespaced'): PublishedKinds => ({
  service: side('example.com', scope),
  kcp: side('kcp.example.com', scope),
});
const compile = (
  spec: Partial<PublishedResourceSpec>,
  scope?: PublishedSide['scope'],
): ReturnType<typeof compileRules> =>
  compileRules(
    { resource: { apiGroup: 'example.com', kind: 'Database' }, ...spec },
    { functions, kinds: kindsOf(scope) },
  );
const object: UnstructuredObject = {
  apiVersion: 'kcp.example.com/v1',
  kind: 'Database',
  metadata: { name: 'orders', namespace: 'default' },
  spec: { size: 'small' },
};

describe('the rules of a PublishedResource', () => {
  it('have defaults where nothing is said', () => {
    const compiled = compile({});
    if (compiled.kind === 'refused') throw new Error(JSON.stringify(compiled.findings));
    expect(compiled.value).toMatchObject({
      mutations: undefined,
      related: [],
      filter: { resource: undefined, namespace: undefined },
      workspacePaths: false,
    });
    expect(compiled.value.naming(object, 'abc', undefined)).toMatchObject({ namespace: 'abc' });
  });

  it('are what the compilers make of each part', () => {
    const compiled = compile({
      naming: { name: '{{ .Object.metadata.name }}', namespace: 'ws-{{ .ClusterName }}' },
      filter: { resource: { matchLabels: { include: 'me' } }, namespace: { matchLabels: {} } },
      mutation: { spec: [{ delete: { path: 'spec.size' } }] },
      enableWorkspacePaths: true,
      related: [
        {
          identifier: 'credentials',
          origin: 'service',
          kind: 'Secret',
          object: { template: { template: '{{ .Object.metadata.name }}' } },
        },
      ],
    });
    if (compiled.kind === 'refused') throw new Error(JSON.stringify(compiled.findings));
    const { naming, filter, mutations, related, workspacePaths } = compiled.value;
    expect(naming(object, 'abc', undefined)).toEqual({ name: 'orders', namespace: 'ws-abc' });
    expect([filter.resource?.({ include: 'me' }), filter.resource?.({}), filter.namespace?.({})]).toEqual([
      true,
      false,
      true,
    ]);
    expect(mutations?.spec(object, object)).toMatchObject({ spec: {} });
    expect(related.map(({ identifier }) => identifier)).toEqual(['credentials']);
    expect(workspacePaths).toBe(true);
  });

  it('are refused as a whole, with everything that is wrong and where', () => {
    const refused = compile({
      naming: { name: '{{ .Object.metadata.name' },
      mutation: { spec: [{ regex: { path: 'spec.size', pattern: '(', replacement: '' } }, {}] },
      related: [
        { identifier: 'a', origin: 'service', kind: 'Secret', object: { template: { template: '{{ nope }}' } } },
        { identifier: 'a', origin: 'service', kind: 'Secret', object: { template: { template: 'x' } } },
      ],
    });
    expect(refused.kind).toBe('refused');
    if (refused.kind === 'compiled') return;
    const errors = refused.findings.filter(({ severity }) => severity === 'error').map(({ path }) => path);
    expect(errors).toEqual(
      expect.arrayContaining([
        'spec.naming.name',
        'spec.mutation.spec[0].regex.pattern',
        'spec.mutation.spec[1]',
        'spec.related[0].object.template.template',
        'spec.related[1].identifier',
      ]),
    );
    expect(new Set(errors).size).toBe(errors.length);
  });

  it('say what becomes of what stands in the way, or leave it to the process', () => {
    const published = (adoption: string): Parameters<typeof adoptionOf>[0] => ({
      metadata: { name: 'a', annotations: { 'hawser.dev/adoption': adoption } },
    });
    expect(['overwrite', 'refuse', 'nonsense'].map((adoption) => adoptionOf(published(adoption), 'adopt'))).toEqual([
      'overwrite',
      'refuse',
      'adopt',
    ]);
  });

  it('say what has no effect', () => {
    const compiled = compile({ filter: { namespace: { matchLabels: { a: 'b' } } } }, 'Cluster');
    expect(compiled).toMatchObject({
      kind: 'compiled',
      warnings: [expect.objectContaining({ path: 'spec.filter.namespace' })],
    });
  });
});
