import type { PublishedResourceSpec, RelatedResource } from '@hawser/syncagent-api';
import { describe, expect, it } from '@jest/globals';

import { type AgentRole, agentRoles, kcpRoles, publicationRole } from './rights.js';

const related = (entry: Partial<RelatedResource>): RelatedResource => ({
  identifier: 'x',
  origin: 'service',
  object: { template: { template: 'x' } },
  ...entry,
});
const role = (spec: Partial<PublishedResourceSpec>): AgentRole =>
  publicationRole(
    {
      apiVersion: 'syncagent.kcp.io/v1alpha1',
      kind: 'PublishedResource',
      metadata: { name: 'shop' },
      spec: { resource: { apiGroup: 'example.com', kind: 'Database' }, ...spec },
    },
    'databases',
  );
const ruleLines = ({ rules }: AgentRole): readonly string[] =>
  rules.map(({ apiGroups = [], resources = [], verbs, resourceNames = [], nonResourceURLs = [] }) =>
    `${verbs.join(',')} ${[...resources, ...nonResourceURLs].join(',')}.${apiGroups.join(',')} ${resourceNames.join(',')}`.trim(),
  );
const COPIES = 'get,list,watch,create,patch,delete';

describe('the rights of a PublishedResource on the service cluster', () => {
  it('are those for its copies, whatever it is called in kcp', () => {
    expect(ruleLines(role({ projection: { group: 'kcp.example.com', plural: 'stores' } }))).toEqual([
      `${COPIES} databases.example.com`,
    ]);
  });

  it('are to read related originals, and to write related copies', () => {
    expect(
      ruleLines(role({ related: [related({ kind: 'Secret' }), related({ origin: 'kcp', kind: 'ConfigMap' })] })),
    ).toEqual([`${COPIES} databases.example.com`, 'get,list,watch secrets.', `${COPIES} configmaps.`]);
  });

  it('are of the resource that a related one has on this side', () => {
    const entry = related({
      origin: 'kcp',
      group: 'kcp.example.com',
      version: 'v1',
      resource: 'keys',
      projection: { group: 'example.com', resource: 'localkeys' },
      syncStatus: true,
    });
    expect(ruleLines(role({ related: [entry] }))).toEqual([
      `${COPIES} databases.example.com`,
      `${COPIES} localkeys.example.com`,
      'update localkeys/status.example.com',
    ]);
  });

  it('name each resource once', () => {
    expect(
      ruleLines(role({ related: [related({ kind: 'Secret' }), related({ kind: 'Secret', origin: 'kcp' })] })),
    ).toEqual([`${COPIES} databases.example.com`, `${COPIES} secrets.`]);
  });
});

describe('the rights of an agent', () => {
  const agent = { name: 'shop', exportName: 'example.com', namespace: 'agents' };
  const workspace = { client: {} as never, cluster: 'abc', path: 'root:provider' };

  it('are without a wildcard unless it is to remove namespaces', () => {
    expect(agentRoles(agent, { removeNamespaces: false }).flatMap(ruleLines).join(' ')).not.toContain('*');
    expect(agentRoles(agent, { removeNamespaces: true }).flatMap(ruleLines)).toEqual(
      expect.arrayContaining(['get,create,delete namespaces.', 'list *.*']),
    );
  });

  it('to its Lease are to that one, and to Secrets in its namespace alone', () => {
    const own = agentRoles(agent, { removeNamespaces: false }).filter(({ namespace }) => namespace === 'agents');
    expect(own.flatMap(ruleLines)).toEqual([
      'get,list,watch,create,update,delete secrets.',
      'create leases.coordination.k8s.io',
      'get,update leases.coordination.k8s.io syncagent.shop',
    ]);
    expect(
      agentRoles(agent, { removeNamespaces: false })
        .filter(({ namespace }) => namespace === undefined)
        .flatMap(ruleLines)
        .join(' '),
    ).not.toContain('secrets');
  });

  it('in kcp are for one export, and in the workspace of the slice only where that is another one', () => {
    expect(
      kcpRoles(agent, { exportName: 'example.com', provider: workspace, endpoints: workspace }, 'slice').map(
        ({ side }) => side,
      ),
    ).toEqual(['provider']);
    const apart = kcpRoles(
      agent,
      { exportName: 'example.com', provider: workspace, endpoints: { ...workspace, cluster: 'def' } },
      'slice',
    );
    expect(apart.map(ruleLines)).toEqual([
      [
        'access /.',
        'get logicalclusters.core.kcp.io cluster',
        'get,list,watch,patch apiexports.apis.kcp.io example.com',
        'get,list,watch,create,patch apiresourceschemas.apis.kcp.io',
        'create,patch events.',
        '* apiexports/content.apis.kcp.io example.com',
      ],
      [
        'access /.',
        'get logicalclusters.core.kcp.io cluster',
        'get,list,watch apiexportendpointslices.apis.kcp.io slice',
      ],
    ]);
  });
});
