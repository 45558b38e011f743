import type { KubeObject } from '@hawser/client';
import { kubeBindDialect } from '@hawser/kube-bind';
import type { CopyNamespace } from '../belonging.js';
import type { Copy } from '../copies.js';
import type { ExportObject } from '../export-object.js';
import type { EndReading, ExportSettings, ObservedExport, OwnerReading, Reading, Turn } from '../observed.js';

export const consumer = 'kube-bind-x';
export const databases = 'databases.example.com';
export const ended = '2026-01-01T00:00:00Z';
export const settings: ExportSettings = {
  dialect: kubeBindDialect,
  policy: 'Keep',
  graceMs: 60_000,
  recheckMs: 600_000,
  goneCheckMs: 5_000,
};
export const copyNamespaces = {
  ofTeam: { namespace: `${consumer}-team`, consumerNamespace: 'team', isShared: false },
  ofShop: { namespace: `${consumer}-shop`, consumerNamespace: 'shop', isShared: false },
  shared: { namespace: 'billing', consumerNamespace: 'billing', isShared: true },
  cluster: { namespace: consumer, consumerNamespace: '', isShared: false },
} satisfies Record<string, CopyNamespace>;

export function anExport(
  annotations: Readonly<Record<string, string>> = {},
  metadata: Partial<KubeObject['metadata']> = {},
): ExportObject {
  return {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceExport',
    metadata: { name: 'db', namespace: consumer, uid: 'export-uid', annotations, ...metadata },
    spec: {
      resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
      informerScope: 'Cluster',
      isolation: 'Prefixed',
    },
  };
}

/** Another, existing export of the consumer. */
export function anExportOf(resource: string): ExportObject {
  const { metadata, spec, ...more } = anExport({}, { name: resource, uid: resource });
  return { ...more, metadata, spec: { ...spec, resources: [{ group: 'example.com', resource, versions: ['v1'] }] } };
}

/** Deleted with policy `Delete`, and held by the finalizer. */
export function endedExport(
  annotations: Readonly<Record<string, string>> = {},
  metadata: Partial<KubeObject['metadata']> = {},
): ExportObject {
  return anExport(
    { 'hawser.dev/withdrawn-objects': 'Delete', ...annotations },
    { deletionTimestamp: ended, finalizers: ['hawser.dev/withdrawn-objects'], ...metadata },
  );
}

export function aCopy(name: string, copyNamespace: CopyNamespace | undefined, more: Partial<Copy> = {}): Copy {
  const key = copyNamespace === undefined ? { name } : { namespace: copyNamespace.namespace, name };
  const id = `${databases} ${copyNamespace === undefined ? '' : `${copyNamespace.namespace}/`}${name}`;
  return {
    resource: { group: 'example.com', version: 'v1', resource: 'databases' },
    key,
    id,
    uid: `uid-${name}`,
    resourceVersion: '7',
    isGoing: false,
    identity: 'cluster-1',
    obstacle: undefined,
    copyNamespace,
    ...more,
  };
}

export function read(...copies: readonly Copy[]): Reading {
  return { kind: 'read', turn: 1, copies: new Map([[databases, copies]]) };
}

export function namespace(
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations, ...metadata } };
}

export function endRead(
  turn: Turn,
  copyNamespace: CopyNamespace | undefined,
  more: Partial<EndReading> = {},
): EndReading {
  return { turn, batch: batchId(copyNamespace), namespace: namespace(consumer), exports: [endedExport()], ...more };
}

/** The owner of the namespace, as it truly is. */
export function ownerRead(turn: Turn, { namespace: name, consumerNamespace, isShared }: CopyNamespace): OwnerReading {
  if (!isShared)
    return {
      turn,
      owner: namespace(name, { 'kube-bind.io/api-service-namespace': `${consumer}/${consumerNamespace}` }),
    };
  return {
    turn,
    owner: {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceNamespace',
      metadata: { namespace: consumer, name: consumerNamespace },
      status: { namespace: name },
    },
  };
}

export function batchId(copyNamespace: CopyNamespace | undefined): string {
  return `${databases} ${copyNamespace?.namespace ?? ''}`;
}

/** Seen as ended for long enough; nothing was read. */
export function observed(more: Partial<ObservedExport> = {}): ObservedExport {
  return {
    found: endedExport(),
    namespaceEnds: false,
    resources: [databases],
    endedSince: 0,
    now: 60_000,
    reading: undefined,
    answers: undefined,
    budget: { held: undefined, perMinute: 10 },
    end: undefined,
    owners: new Map(),
    attempts: new Map(),
    deleted: 0,
    ...more,
  };
}

export function answers(turn: Turn, ...copies: readonly Copy[]): ObservedExport['answers'] {
  return { turn, of: new Map(copies.map(({ id }) => [id, 'allowed' as const])) };
}
