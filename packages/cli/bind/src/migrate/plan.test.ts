import type { KubeObject } from '@hawser/client';
import { type Connection } from '@hawser/core-kbind';
import type { APIServiceExport } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';

import { stepText } from '../step-text.js';
import type { MigratedAPI, MigrationObserved, MigrationWish } from './observe.js';
import { noClaims } from './observe-claims.js';
import { PAUSE_REASON } from './pause-reason.js';
import { migrationStepText, planMigration } from './plan.js';
import { zonesBinding, zonesCRD } from './testing/zones.js';

const wish: MigrationWish = { name: 'zones', to: 'v2', kubeconfig: 'the-credential' };
const zone = (metadata: Partial<KubeObject['metadata']>): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Zone',
  metadata: { name: 'north', uid: 'object', finalizers: ['kubebind.io/syncer'], ...metadata },
});
const binding = zonesBinding();
const api: MigratedAPI = {
  name: 'zones.example.com',
  resource: { group: 'example.com', version: 'v1', resource: 'zones' },
  crd: zonesCRD('Cluster'),
  owner: 'v1',
  pairs: [{ object: zone({}), copy: undefined }],
};
const seen: MigrationObserved = {
  binding,
  clusterBinding: undefined,
  export: { spec: { isolation: 'None' } } as APIServiceExport,
  clusterNamespace: 'home',
  clusterNamespaceUid: 'home-uid',
  namespaces: new Map(),
  apis: [api],
  missing: [],
  isSameProvider: true,
  claims: noClaims,
  core: {
    isServed: true,
    hasNamespace: true,
    connections: [],
    secrets: [],
    binding: undefined,
    offered: new Map([['zones.example.com', zonesCRD('Cluster')]]),
    installed: new Map([['zones.example.com', zonesCRD('Cluster')]]),
    server: 'https://provider',
  },
};
const reasons = (observed: MigrationObserved, to: 'v1' | 'v2' = 'v2'): readonly string[] =>
  planMigration({ ...wish, to }, observed).refusals.map(({ reason }) => reason);
const namespaced = (namespaces: readonly (readonly [string, string])[]): MigrationObserved => ({
  ...seen,
  namespaces: new Map(namespaces),
  apis: [{ ...api, crd: zonesCRD('Namespaced'), pairs: [{ object: zone({ namespace: 'team' }), copy: undefined }] }],
  core: { ...seen.core, offered: new Map([['zones.example.com', zonesCRD('Namespaced')]]) },
});

describe('the plan of a migration', () => {
  it('pauses before it marks, and gives the CRD away before there is a ClusterBinding', () => {
    const { steps, refusals } = planMigration(wish, seen);
    expect(refusals).toEqual([]);
    expect(steps.map((step) => migrationStepText(step, stepText))).toEqual([
      expect.stringContaining('Secret'),
      expect.stringContaining('Connection zones'),
      'wait until Connection zones is Ready',
      'pause APIServiceBinding zones, and wait until its konnector has stopped writing',
      'mark 1 objects and 0 copies of zones.example.com in the words of core.kbind.io, one write each',
      'give CRD zones.example.com to Connection zones',
      expect.stringContaining('ClusterBinding'),
      'wait until ClusterBinding zones is Ready',
    ]);
    expect(JSON.stringify(steps.map((step) => migrationStepText(step, stepText)))).not.toContain('the-credential');
  });

  it('keeps what the policies of the binding mean', () => {
    const annotations = { 'hawser.dev/unbind-policy': 'Block', 'hawser.dev/conflict-policy': 'Adopt' };
    const made = (observed: MigrationObserved) =>
      planMigration(wish, observed).steps.flatMap((step) =>
        step.kind === 'make' && step.step.kind === 'coreBinding' ? [step.step.object] : [],
      );
    expect(made(seen)).toMatchObject([{ metadata: { annotations: { 'hawser.dev/unbind-policy': 'Orphan' } } }]);
    expect(made({ ...seen, binding: { ...binding, metadata: { ...binding.metadata, annotations } } })).toMatchObject([
      { metadata: { annotations: { 'hawser.dev/unbind-policy': 'Block' } }, spec: { conflictPolicy: 'Adopt' } },
    ]);
  });

  it('refuses copies that lie elsewhere than their objects', () => {
    expect(reasons({ ...seen, export: { spec: { isolation: 'Prefixed' } } as APIServiceExport })).toEqual([
      'PlaceDiffers',
    ]);
    expect(reasons({ ...seen, export: undefined })).toEqual(['PlaceDiffers']);
    expect(reasons(namespaced([['team', 'home-team']]))).toEqual(['PlaceDiffers']);
    expect(reasons(namespaced([]))).toEqual(['PlaceDiffers']);
    expect(reasons(namespaced([['team', 'team']]))).toEqual([]);
  });

  it('refuses what it cannot move, and what somebody else has to say first', () => {
    const paused = { 'hawser.dev/paused': 'by a person' };
    expect(reasons({ ...seen, binding: undefined })).toEqual(['BindingNotFound']);
    expect(reasons({ ...seen, binding: { ...binding, metadata: { name: 'zones', annotations: paused } } })).toEqual([
      'BindingPaused',
    ]);
    expect(
      reasons({ ...seen, binding: { ...binding, metadata: { name: 'zones', deletionTimestamp: 'now' } } }),
    ).toEqual(['BindingTerminating']);
    expect(reasons({ ...seen, apis: [] })).toEqual(['NothingBound']);
    expect(reasons({ ...seen, missing: ['lakes.example.com'] })).toEqual(['CRDNotFound']);
    expect(reasons({ ...seen, apis: [{ ...api, owner: undefined }] })).toContain('ForeignCRD');
    expect(reasons({ ...seen, isSameProvider: false })).toEqual(['OtherProvider']);
    expect(reasons({ ...seen, core: { ...seen.core, offered: new Map() } })).toEqual(['NotExported']);
  });

  it('lets the generation that has begun a deletion end it', () => {
    const going = (finalizer: string): MigrationObserved => ({
      ...seen,
      apis: [
        {
          ...api,
          pairs: [{ object: zone({ deletionTimestamp: 'now', finalizers: [finalizer] }), copy: undefined }],
        },
      ],
    });
    expect(reasons(going('kubebind.io/syncer'), 'v2')).toEqual(['ObjectsTerminating']);
    expect(reasons(going('kubebind.io/syncer'), 'v1')).toEqual([]);
    expect(reasons(going('core.kbind.io/syncer'), 'v1')).toEqual(['ObjectsTerminating']);
    expect(reasons(going('core.kbind.io/syncer'), 'v2')).toEqual([]);
    expect(reasons(going('of/somebody'), 'v2')).toEqual([]);
  });

  it('goes back only with objects whose copies are where the binding leads', () => {
    const at = (found: Readonly<Record<string, string>>): MigrationObserved => ({
      ...seen,
      clusterBinding: {
        apiVersion: 'core.kbind.io/v1alpha1',
        kind: 'ClusterBinding',
        metadata: { name: 'zones' },
        spec: { connectionRef: { name: 'zones' }, apis: [{ name: 'zones.example.com' }] },
      },
      apis: [
        {
          ...api,
          owner: 'v2',
          pairs: [{ object: zone({ annotations: found, finalizers: ['core.kbind.io/syncer'] }), copy: undefined }],
        },
      ],
    });
    expect(reasons(at({ 'hawser.dev/connection': 'zones' }), 'v1')).toEqual([]);
    expect(reasons(at({ 'hawser.dev/connection': 'europe' }), 'v1')).toEqual(['ObjectsElsewhere']);
    expect(reasons(at({ 'hawser.dev/move-to': 'europe' }), 'v1')).toEqual(['MoveUnderWay']);
  });

  it('does nothing where nothing is to be done', () => {
    expect(planMigration({ ...wish, to: 'v1' }, { ...seen, apis: [{ ...api, pairs: [] }] }).steps).toEqual([]);
    const annotations = { 'hawser.dev/paused': PAUSE_REASON };
    const paused = { ...seen, binding: { ...binding, metadata: { ...binding.metadata, annotations } } };
    expect(planMigration({ ...wish, to: 'v1' }, paused).steps.map(({ kind }) => kind)).toEqual(['resume']);
  });

  it('goes on with a ClusterBinding that a way back has paused', () => {
    const ready = { apiVersion: '', kind: 'Connection', metadata: { name: 'zones' } } as unknown as Connection;
    const connection: Connection = {
      ...ready,
      spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'kubeconfig-zones' } },
    };
    const clusterBinding = {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: 'ClusterBinding',
      metadata: { name: 'zones', uid: 'core', annotations: { 'hawser.dev/paused': PAUSE_REASON } },
      spec: { connectionRef: { name: 'zones' }, apis: [{ name: 'zones.example.com' }] },
    };
    const secret = { metadata: { name: 'kubeconfig-zones' }, isSame: true, server: 'https://provider' };
    const { steps } = planMigration(wish, {
      ...seen,
      clusterBinding,
      apis: [{ ...api, owner: 'v2', pairs: [] }],
      core: { ...seen.core, connections: [connection], secrets: [secret], binding: clusterBinding },
    });
    expect(steps.map(({ kind }) => kind)).toEqual(['awaitConnection', 'resumeCore', 'awaitReady']);
  });
});
