import type { UnstructuredObject } from '@hawser/client';
import { carriedPart, identityAnnotations, identityLabels } from '@hawser/syncagent-api';

import type { Observed, PairSettings } from '../observed.js';

/** Pairs for tests of decisions: `team-a/one` of workspace `ws1`, in step by default. */
export const identity = { cluster: 'ws1', namespace: 'team-a', name: 'one' } as const;

export const settings: PairSettings = {
  origin: 'kcp',
  destination: { apiVersion: 'example.com/v1', kind: 'Database' },
  marks: { labels: identityLabels(identity), annotations: identityAnnotations(identity), agentName: 'agent-1' },
  holder: 'hawser-syncagent-hold/own',
  subresources: ['status'],
  status: 'back',
  finalizer: true,
  forcedDeletion: false,
  mutations: undefined,
  adoption: 'adopt',
};

export const marks = {
  labels: { ...identityLabels(identity), 'syncagent.kcp.io/agent-name': 'agent-1' },
  annotations: identityAnnotations(identity),
} as const;

/** Key of the copy, whatever the object. */
export const copyKey = { namespace: 'ws1', name: 'copy-of-one' } as const;

export interface Edit {
  readonly metadata?: Record<string, unknown>;
  readonly spec?: unknown;
  readonly status?: unknown;
}

export function sourceObject({ metadata, spec = { size: 'small' }, ...more }: Edit = {}): UnstructuredObject {
  return {
    apiVersion: 'kcp.example.com/v1',
    kind: 'ManagedDatabase',
    spec,
    ...more,
    metadata: {
      name: 'one',
      namespace: 'team-a',
      uid: 'source-uid',
      resourceVersion: '10',
      finalizers: ['syncagent.kcp.io/cleanup'],
      annotations: { 'kcp.io/cluster': 'ws1' },
      ...metadata,
    },
  };
}

export function copyObject({ metadata, spec = { size: 'small' }, ...more }: Edit = {}): UnstructuredObject {
  const { labels, annotations, ...rest } = (metadata ?? {}) as { labels?: object; annotations?: object };
  return {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    spec,
    ...more,
    metadata: {
      ...copyKey,
      uid: 'copy-uid',
      resourceVersion: '20',
      labels: { ...marks.labels, ...labels },
      annotations: { ...marks.annotations, 'hawser.dev/place': `${copyKey.namespace}/${copyKey.name}`, ...annotations },
      ...rest,
    },
  };
}

/** `last`: the source at its last push; `null`: unknown. */
export function observed(
  source: UnstructuredObject | undefined,
  destination: UnstructuredObject | undefined,
  last: UnstructuredObject | null = source ?? null,
  more: Partial<Observed> = {},
): Observed {
  return {
    source,
    destination,
    last: last === null ? { kind: 'none' } : { kind: 'known', snapshot: carriedPart(last, ['status']) },
    remembered: last !== null,
    placement: () => ({ kind: 'placed', key: copyKey }),
    selected: true,
    memory: {},
    now: 1_000_000,
    ...more,
  };
}
