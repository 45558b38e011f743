import type { Resource } from '@hawser/client';
import type { Problem } from '@hawser/controller';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { State } from './report.js';
import { publishedTwice } from './twins.js';

/** Known facts of a PublishedResource before its kinds are searched. */
export interface Seen {
  readonly object: PublishedResource | undefined;
  /** It is releasing its objects. */
  readonly isEnding: boolean;
  /** An older PublishedResource that publishes the same resource. */
  readonly older: PublishedResource | undefined;
  /** While false, it is unknown which workspaces have bound. */
  readonly endpointsKnown: boolean;
  /** Endpoints exist. */
  readonly isBound: boolean;
  readonly isRunning: boolean;
  /** Problem with the endpoints themselves. */
  readonly problem: Problem | undefined;
}

/** Next action for its sync. */
export type Look =
  /** It has been deleted. */
  | { readonly kind: 'forget' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'stop'; readonly state: State }
  /** `state` undefined: unchanged. */
  | { readonly kind: 'conclude'; readonly state: State | undefined }
  | { readonly kind: 'bringInStep'; readonly object: PublishedResource };

/** Decides the next action for a PublishedResource. Pure. */
export function decideLook({ object, isEnding, older, endpointsKnown, isBound, isRunning, problem }: Seen): Look {
  if (object === undefined) return { kind: 'forget' };
  if (isEnding) return { kind: 'wait' };
  if (!isWanted(object)) return { kind: 'stop', state: { kind: 'stopped' } };
  if (older !== undefined) return { kind: 'stop', state: { kind: 'waiting', problem: publishedTwice(object, older) } };
  if (!endpointsKnown) return { kind: 'wait' };
  if (!isBound) return { kind: 'conclude', state: isRunning ? undefined : { kind: 'unbound', problem } };
  return { kind: 'bringInStep', object };
}

/** Whether its objects should be synced. */
function isWanted({ metadata, spec, status }: PublishedResource): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    (status?.resourceSchemaName ?? '') !== '' &&
    spec.synchronization?.enabled !== false
  );
}

/** Input of a sync: fingerprints of the wanted one, the running one, and the last invalid one. */
export interface Fingerprints {
  readonly wanted: string;
  readonly running: string | undefined;
  readonly invalid: string | undefined;
}

/** `isServed`: some endpoint serves the resource. Pure. */
export function decideSync(
  { wanted, running, invalid }: Fingerprints,
  isServed: boolean,
): 'replace' | 'stop' | 'writeDown' | 'leave' {
  if (running === wanted) return 'writeDown';
  if (invalid === wanted) return 'leave';
  // Without an endpoint to read, every copy would look like an orphan.
  return isServed ? 'replace' : 'stop';
}

/** kcp serves an exported resource with a delay; the delay is reported after this many looks. */
const PATIENCE = 6;

/** State while no sync runs after a look. `looks`: number of looks in a row without a complete answer. Pure. */
export function waitingState({ group, resource }: Resource, looks: number, problem: Problem | undefined): State {
  if (problem !== undefined || looks < PATIENCE) return { kind: 'waiting', problem };
  return {
    kind: 'waiting',
    problem: {
      reason: 'NotServed',
      actor: 'operator',
      message: `kcp does not serve ${group === '' ? resource : `${resource}.${group}`} through any endpoint yet. It is looked for again; if this lasts, see whether the APIExport lists its schema, and whether the agent may use apiexports/content.`,
    },
  };
}
