import type { Resource } from '@hawser/client';
import type { Problem } from '@hawser/controller';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { State } from './report.js';
import { publishedTwice } from './twins.js';

/** What is known of a PublishedResource before its kinds are looked for. */
export interface Seen {
  readonly object: PublishedResource | undefined;
  /** It lets go of its objects. */
  readonly isEnding: boolean;
  /** Another one that publishes the same, and was there before. */
  readonly older: PublishedResource | undefined;
  /** Before, nothing can be said about who has bound what. */
  readonly endpointsKnown: boolean;
  /** There are endpoints. */
  readonly isBound: boolean;
  readonly isRunning: boolean;
  /** What is wrong with the endpoints as such. */
  readonly problem: Problem | undefined;
}

/** What becomes of its sync. */
export type Look =
  /** It has been deleted. */
  | { readonly kind: 'forget' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'stop'; readonly state: State }
  /** `state` undefined: it stands as it did. */
  | { readonly kind: 'conclude'; readonly state: State | undefined }
  | { readonly kind: 'bringInStep'; readonly object: PublishedResource };

/** Pure. */
export function decideLook({ object, isEnding, older, endpointsKnown, isBound, isRunning, problem }: Seen): Look {
  if (object === undefined) return { kind: 'forget' };
  if (isEnding) return { kind: 'wait' };
  if (!isWanted(object)) return { kind: 'stop', state: { kind: 'stopped' } };
  if (older !== undefined) return { kind: 'stop', state: { kind: 'waiting', problem: publishedTwice(object, older) } };
  if (!endpointsKnown) return { kind: 'wait' };
  if (!isBound) return { kind: 'conclude', state: isRunning ? undefined : { kind: 'unbound', problem } };
  return { kind: 'bringInStep', object };
}

/** Whether its objects are to be synchronised. */
function isWanted({ metadata, spec, status }: PublishedResource): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    (status?.resourceSchemaName ?? '') !== '' &&
    spec.synchronization?.enabled !== false
  );
}

/** What a sync is made of: fingerprints of what is wanted now, of what runs, and of what no sync could be made of. */
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
  // Without a place to look, every copy would look like an orphan.
  return isServed ? 'replace' : 'stop';
}

/** A resource is not served at once after it was exported; after so many looks it is worth telling. */
const PATIENCE = 6;

/** How it stands where no sync runs after a look. `looks`: so many in a row have found no complete answer. Pure. */
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
