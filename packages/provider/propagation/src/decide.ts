import type { Decision } from '@hawser/controller';
import type { APIServiceExport, Instant } from '@hawser/kube-bind';
import type { Assessment, WantedSchema } from './assess.js';
import { withHolds } from './held-condition.js';
import { type Hold, holds } from './hold.js';
import type { StatedSchema } from './propagation-caches.js';
import type { StoredVerdict } from './stored-objects.js';

/** One resource of an export. */
export interface ObservedResource {
  /** `<plural>.<group>` */
  readonly resource: string;
  /** The consumer's present schema. */
  readonly boundSchema: StatedSchema;
  readonly assessment: Assessment;
  /** Why a candidate must wait for other exports. Undefined: it is its turn. */
  readonly turn: Hold | undefined;
  /** Milliseconds until its objects are read again: the CRD changed during each read. */
  readonly unreadMs: number;
}

/** Result of checking the stored objects against the schema with this hash. */
export interface Check {
  readonly hash: string;
  readonly verdict: StoredVerdict;
}

/** Everything that decides about one export. */
export interface ObservedExport {
  /** `<namespace>/<export>` */
  readonly key: string;
  /** By resource. A read takes long, so its subject may have changed since. */
  readonly checks: ReadonlyMap<string, Check>;
  /** Resources whose schema could not be written in this run. */
  readonly failed: ReadonlySet<string>;
  /** Undefined: gone or terminating. */
  readonly export: APIServiceExport | undefined;
  /** Resources whose schema this controller may change. */
  readonly resources: readonly ObservedResource[];
  readonly now: Instant;
  /** Delay before unfit objects are read again, in milliseconds. */
  readonly recheckInMs: number;
}

/** One write. Closed; only `Actor` carries it out. */
export type Action =
  | {
      readonly type: 'letFlow';
      readonly boundSchema: StatedSchema;
      readonly wanted: WantedSchema;
      readonly severity: string;
    }
  | {
      readonly type: 'takeBack';
      readonly boundSchema: StatedSchema;
      readonly wanted: WantedSchema;
      readonly rejected: string;
    }
  | { readonly type: 'tellHolds'; readonly export: APIServiceExport; readonly holds: readonly Hold[] };

export interface PropagationDecision extends Decision<Action> {
  /** Undefined: unknown until something else is done. */
  readonly held?: readonly Hold[] | undefined;
}

/** An export with more resources yields to others after each schema that flows. */
const mostInOneRun = 8;

/**
 * Decides about the schemas of one export: handles one after the other, then reports the held ones. Pure; `now` only
 * dates conditions.
 */
export function decide(observed: ObservedExport): PropagationDecision {
  const { export: found, resources, checks, failed, now, recheckInMs } = observed;
  if (found === undefined) return { actions: [], held: [] };
  const held: Hold[] = [];
  const waits: number[] = [];
  for (const one of resources) {
    // The others do not wait for it.
    if (failed.has(one.resource)) continue;
    const next = nextOf(one, checks.get(one.resource));
    switch (next.kind) {
      case 'write':
        return { actions: [next.action], yields: resources.length > mostInOneRun };
      case 'check':
        return { actions: [], requeueAfterMs: 0, requeuePriority: 'normal' };
      case 'hold':
        held.push(next.hold);
        if (next.hold.until === 'again') waits.push(next.againMs ?? recheckInMs);
        break;
      case 'none':
    }
  }
  if (withHolds(found.status, held, now).conditions !== found.status?.conditions)
    return { actions: [{ type: 'tellHolds', export: found, holds: held }], held };
  const requeueAfterMs = waits.length === 0 ? undefined : Math.min(...waits);
  return { actions: [], held, waits: held.length > 0, requeueAfterMs };
}

type Next =
  | { readonly kind: 'write'; readonly action: Action }
  /** Check the stored objects against the present schema. */
  | { readonly kind: 'check' }
  /** `againMs`: time of the next look, if it is not the usual one. */
  | { readonly kind: 'hold'; readonly hold: Hold; readonly againMs?: number }
  | { readonly kind: 'none' };

function nextOf(
  { resource, boundSchema, assessment, turn, unreadMs }: ObservedResource,
  check: Check | undefined,
): Next {
  switch (assessment.kind) {
    case 'inStep':
      return { kind: 'none' };
    case 'held':
      return { kind: 'hold', hold: assessment.hold };
    case 'rollBack': {
      const { wanted, rejected } = assessment;
      return { kind: 'write', action: { type: 'takeBack', boundSchema, wanted, rejected } };
    }
    case 'candidate': {
      const { wanted, comparison } = assessment;
      if (turn !== undefined) return { kind: 'hold', hold: turn };
      if (assessment.check) {
        if (check?.hash !== wanted.hash) {
          if (unreadMs === 0) return { kind: 'check' };
          return { kind: 'hold', hold: holds.unsettled(resource), againMs: unreadMs };
        }
        const hold = misfit(resource, assessment, check.verdict);
        if (hold !== undefined) return { kind: 'hold', hold };
      }
      return { kind: 'write', action: { type: 'letFlow', boundSchema, wanted, severity: comparison.severity } };
    }
  }
}

function misfit(
  resource: string,
  { wanted: { hash }, comparison }: Extract<Assessment, { kind: 'candidate' }>,
  verdict: StoredVerdict,
): Hold | undefined {
  switch (verdict.kind) {
    case 'fits':
      return undefined;
    case 'faults':
      return holds.invalid(resource, hash, verdict.message, comparison);
    case 'unread':
      return holds.unread(resource, hash, verdict.message);
  }
}
