import type { UnstructuredObject } from '@hawser/client';

import { decide } from '../decide.js';
import type { Side } from '../marks.js';
import type { Observed, PairSettings } from '../observed.js';
import type { Policies } from '../policies.js';

export const OWNER = 'kube-bind.io/owner';
export const settings: PairSettings = {
  consumerCluster: 'cc',
  clusterNamespace: 'kube-bind-x',
  clusterNamespaceUid: 'cn',
  namespaceGraceMs: 30_000,
};
export const NOW = 1_000_000;

export interface Fields {
  readonly label?: Side;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly uid?: string;
  readonly going?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly immutable?: boolean;
  readonly managedFields?: unknown;
}
/** A Secret of a pair, in its form on that side. */
export const secret = (
  side: Side,
  {
    label,
    annotations,
    uid = side === 'consumer' ? 'uc' : 'up',
    going = false,
    data = { k: 'v' },
    type = 'Opaque',
    immutable,
    managedFields,
  }: Fields = {},
): UnstructuredObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  data,
  type,
  ...(immutable === undefined ? {} : { immutable }),
  metadata: {
    name: 's',
    namespace: side === 'consumer' ? 'team' : 'kube-bind-x-team',
    uid,
    resourceVersion: '1',
    labels: { app: 'db', ...(label === undefined ? {} : { [OWNER]: label }) },
    ...(annotations === undefined ? {} : { annotations }),
    ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    ...(managedFields === undefined ? {} : { managedFields: managedFields as never }),
  },
});
/** Marks on a copy: the place of its original, as every konnector writes it. */
export const ofConsumer = { 'kube-bind.io/consumer-namespace': 'team', 'kube-bind.io/consumer-uid': 'uc' };
export const ofProvider = { 'kube-bind.io/provider-namespace': 'kube-bind-x-team', 'kube-bind.io/provider-uid': 'up' };
/** Further marks on a copy of ours. */
export const ours = {
  consumer: { 'hawser.dev/consumer-identity': 'cc', 'hawser.dev/consumer-name': 's' },
  provider: { 'hawser.dev/provider-identity': 'cn', 'hawser.dev/provider-name': 's' },
};
/** Managed fields after a konnector has written the marks of a copy on `side`. */
export const writtenBy = (manager: string, side: Side = 'provider'): unknown => [
  {
    manager,
    operation: 'Update',
    fieldsV1: {
      'f:metadata': {
        'f:annotations': { '.': {}, [`f:kube-bind.io/${side === 'provider' ? 'consumer' : 'provider'}-uid`]: {} },
      },
    },
  },
];

/** By default, everything is claimed, read and ready. */
export function observe(
  consumer: UnstructuredObject | undefined,
  provider: UnstructuredObject | undefined,
  more: Partial<Observed> = {},
): Observed {
  const objects = { ...(consumer === undefined ? {} : { consumer }), ...(provider === undefined ? {} : { provider }) };
  return {
    name: 's',
    consumerNamespace: 'team',
    cached: objects,
    contents: objects,
    placement: { kind: 'assigned', namespace: 'kube-bind-x-team' },
    cacheReady: { consumer: true, provider: true },
    claimedBy: { consumer: consumer === undefined ? [] : ['b'], provider: provider === undefined ? [] : ['b'] },
    protection: {},
    memory: {},
    now: NOW,
    ...more,
  };
}
/** Action, wait or report, in short. */
export function outcomeOf(observed: Observed, policies?: Policies, of: PairSettings = settings): string {
  const {
    actions: [action],
    verdict,
  } = decide(observed, of, policies);
  if (action !== undefined) return 'side' in action ? `${action.type} ${action.side}` : action.type;
  return verdict.kind === 'held'
    ? verdict.reason
    : verdict.kind === 'progressing'
      ? (verdict.overdue?.reason ?? `waits for ${verdict.waitingFor}`)
      : verdict.kind;
}
