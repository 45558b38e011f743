import { isTerminating } from '@hawser/client';
import { endedResources, type ExportObject } from './export-object.js';
import type { Left } from './left.js';

/** Result of a look at one export. */
export interface Settled {
  /** Contains only resources with copies. */
  readonly left: ReadonlyMap<string, Left>;
  /** Undefined: its events are enough. */
  readonly waitMs: number | undefined;
}

/** Everything that decides about one consumer. */
export interface ObservedConsumer {
  /** The cluster namespace is gone or terminating. */
  readonly namespaceEnds: boolean;
  readonly exports: readonly ExportObject[];
  /** Names of the CRDs that the provider exports. */
  readonly offered: readonly string[];
  readonly settled: ReadonlyMap<ExportObject, Settled>;
  /** Undefined: the resource may not be listed, or does not exist. */
  readonly counts: ReadonlyMap<string, Left | undefined>;
}

/** Steps that add knowledge about a consumer. Closed. */
export type ConsumerStep =
  /** `resources`: those of the export that no other export covers. */
  | { readonly type: 'settleExport'; readonly found: ExportObject; readonly resources: readonly string[] }
  | { readonly type: 'countCopies'; readonly resource: string };

/** Final steps of a look at a consumer. Closed. */
export type ConsumerConclusion =
  /** On the ClusterBinding and in the metric. Writes only differences. */
  | { readonly type: 'tellLeft'; readonly left: ReadonlyMap<string, Left> }
  /** Remove the consumer from the metric. */
  | { readonly type: 'forgetLeft' }
  /** Copies are left, so count them again from time to time. */
  | { readonly type: 'countAgain' }
  | { readonly type: 'wait'; readonly ms: number };

export type ConsumerDecision =
  | { readonly kind: 'step'; readonly step: ConsumerStep }
  | { readonly kind: 'settled'; readonly conclusions: readonly ConsumerConclusion[] };

/** Decides about all exports of one consumer, and about the copies of deleted exports. Pure. */
export function decideConsumer(observed: ObservedConsumer): ConsumerDecision {
  const { exports, settled, namespaceEnds } = observed;
  if (namespaceEnds) {
    const found = exports.find((one) => isTerminating(one) && !settled.has(one));
    return found === undefined
      ? { kind: 'settled', conclusions: [{ type: 'forgetLeft' }] }
      : { kind: 'step', step: { type: 'settleExport', found, resources: [] } };
  }
  const ended = endedResources(exports, observed.offered);
  const next = exports.find((one) => !settled.has(one));
  if (next !== undefined) {
    const resources = [...ended].flatMap(([resource, of]) => (of === next ? [resource] : []));
    return { kind: 'step', step: { type: 'settleExport', found: next, resources } };
  }
  const left = new Map([...settled.values()].flatMap((one) => [...one.left]));
  const uncounted = [...ended.keys()].filter((resource) => !left.has(resource));
  const resource = uncounted.find((one) => !observed.counts.has(one));
  if (resource !== undefined) return { kind: 'step', step: { type: 'countCopies', resource } };
  for (const one of uncounted) {
    const some = observed.counts.get(one);
    if (some !== undefined && some.count > 0) left.set(one, some);
  }
  return { kind: 'settled', conclusions: [{ type: 'tellLeft', left }, ...lookAgain(left, [...settled.values()])] };
}

function lookAgain(left: ReadonlyMap<string, Left>, settled: readonly Settled[]): readonly ConsumerConclusion[] {
  const waits = settled.flatMap(({ waitMs }) => waitMs ?? []);
  return [
    ...(waits.length === 0 ? [] : [{ type: 'wait', ms: Math.min(...waits) } as const]),
    ...(left.size === 0 ? [] : [{ type: 'countAgain' } as const]),
  ];
}
