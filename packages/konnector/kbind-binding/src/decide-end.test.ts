import type { Cluster } from '@hawser/controller';
import type { Binding } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import type { ProviderLink } from '@hawser/kbind-connection';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { APIObserved, Observed, SyncReading } from './observed.js';

const link = { connection: 'demo', cluster: {} as Cluster, localUID: 'l', remoteUID: 'r' } as ProviderLink;
const crd: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'widgets.example.org',
    labels: { 'core.kbind.io/managed': 'true' },
    annotations: { 'core.kbind.io/connection': 'demo', 'core.kbind.io/schema-hash': 'sha256:0' },
  },
  spec: {
    group: 'example.org',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} } }],
  },
};

const foreign: CustomResourceDefinition = { ...crd, metadata: { name: crd.metadata.name } };

function sync(changes: Partial<SyncReading['config']> = {}): SyncReading {
  const config = {
    bindingUID: 'the-binding',
    api: 'widgets.example.org',
    group: 'example.org',
    version: 'v1',
    plural: 'widgets',
    statusSubresource: true,
    namespace: undefined,
    draining: false,
    link,
    ...changes,
  };
  return { config, surveyed: true, problems: [], troubles: [] };
}

function steps(
  changes: Partial<APIObserved>,
  {
    annotations,
    ...more
  }: { readonly annotations?: object; readonly namespace?: string; readonly link?: undefined } = {},
): readonly string[] {
  const binding: Binding = {
    apiVersion: 'core.kbind.io/v1alpha1',
    kind: 'ClusterBinding',
    metadata: {
      name: 'demo',
      uid: 'the-binding',
      namespace: more.namespace,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['core.kbind.io/cleanup'],
      annotations: annotations as Record<string, string> | undefined,
    },
    spec: { connectionRef: { name: 'demo' }, apis: [{ name: 'widgets.example.org' }] },
  };
  const api: APIObserved = {
    name: 'widgets.example.org',
    exported: undefined,
    provided: undefined,
    crd,
    rival: undefined,
    needed: false,
    abandoned: false,
    hold: undefined,
    sync: sync(),
    held: 1,
    heldByOthers: 0,
    moving: 0,
    ...changes,
  };
  const observed: Observed = {
    key: 'demo',
    kind: 'ClusterBinding',
    binding,
    malformed: undefined,
    connection: undefined,
    link: 'link' in more ? undefined : link,
    apis: [api],
    left: [],
    related: { refused: [], readings: [], held: undefined },
    now: 0,
  };
  return decide(observed).actions.map(({ type }) => type);
}

const policy = (value: string): { readonly annotations: object } => ({
  annotations: { 'hawser.dev/unbind-policy': value },
});
const selector = (value: string): { readonly annotations: object } => ({
  annotations: { 'hawser.dev/object-selector': value },
});
const ofOther = {
  ...crd,
  metadata: { ...crd.metadata, annotations: { ...crd.metadata.annotations, 'core.kbind.io/connection': 'other' } },
};
const draining = sync({ namespace: 'team', draining: true });

describe('a binding that goes', () => {
  it.each<[string, Parameters<typeof steps>[0], Parameters<typeof steps>[1], readonly string[]]>([
    ['deletes the CRD, and with it objects and copies, while they are kept in step', {}, {}, ['deleteCRD']],
    ['starts that again where it does not run', { sync: undefined }, {}, ['startSync']],
    [
      'waits while they go',
      { crd: { ...crd, metadata: { ...crd.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } },
      {},
      ['writeStatus'],
    ],
    [
      'starts it again where another binding of that name was there before',
      { sync: sync({ bindingUID: 'another' }) },
      {},
      ['startSync'],
    ],
    ['stops when the CRD is gone', { crd: undefined }, {}, ['stopSync']],
    ['then goes', { crd: undefined, sync: undefined }, {}, ['removeFinalizer']],
    ['leaves a CRD of somebody else', { crd: foreign, held: 0 }, {}, ['stopSync']],
    [
      'lets go of objects whose CRD has become that of somebody else',
      { crd: foreign, sync: undefined },
      {},
      ['startSync'],
    ],
    [
      'leaves objects to the APIServiceBinding that their CRD was given to',
      {
        crd: {
          ...foreign,
          metadata: {
            ...foreign.metadata,
            ownerReferences: [
              { apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBinding', name: 'demo', uid: 'b' },
            ],
          },
        },
        sync: undefined,
      },
      { annotations: { 'hawser.dev/release': 'back' } },
      ['removeFinalizer'],
    ],
    ['and does not delete it with them', { crd: foreign, sync: sync({ draining: true }) }, {}, ['writeStatus']],
    [
      'deletes no CRD that it has not installed, but copies',
      { crd: { ...crd, metadata: { ...crd.metadata, annotations: { 'core.kbind.io/connection': 'demo' } } } },
      {},
      ['startSync'],
    ],
    [
      'leaves everything to whoever has all of its objects',
      { rival: { title: 'ClusterBinding other', takesAll: true } },
      {},
      ['stopSync'],
    ],
    ['deletes no CRD that others need', { needed: true }, {}, ['startSync']],
    ['waits for copies of objects that move', { held: 0, heldByOthers: 1, moving: 1 }, {}, ['startSync']],
    ['deletes no CRD with objects of others', { heldByOthers: 1 }, {}, ['startSync']],
    ['deletes no CRD whose objects it selects by labels', {}, selector('tier=gold'), ['startSync']],
    ['deletes nothing by a selector that is none', {}, selector('tier=('), ['writeStatus']],
    ['stops to delete by it', { sync: draining }, selector('tier=('), ['stopSync']],
    ['lets go of CRDs of other Connections', { crd: ofOther, held: 0 }, {}, ['stopSync']],
    ['deletes copies, not the CRD, where that is of another Connection', { crd: ofOther }, {}, ['startSync']],
    ['of one namespace drains it', {}, { namespace: 'team' }, ['startSync']],
    ['of one namespace waits for it', { sync: draining }, { namespace: 'team' }, ['writeStatus']],
    ['of one namespace is done when nothing is held', { sync: draining, held: 0 }, { namespace: 'team' }, ['stopSync']],
    ['waits for a provider that is out of reach', {}, { link: undefined }, ['writeStatus']],
    ['under Orphan lets go of objects, and leaves copies', { sync: undefined }, policy('Orphan'), ['release']],
    ['under Orphan is done then', { sync: undefined, held: 0 }, policy('Orphan'), ['removeFinalizer']],
    ['under Block waits for people', {}, policy('Block'), ['writeStatus']],
    ['under a word that is not known waits as well', {}, policy('Dlete'), ['writeStatus']],
    [
      'lets go where a person says so, whatever the provider does',
      { sync: undefined },
      { annotations: { 'hawser.dev/release': 'the provider is gone' }, link: undefined },
      ['release'],
    ],
  ])('%s', (_, changes, more, expected) => {
    expect(steps(changes, more)).toEqual(expected);
  });
});
