import type { Problem } from '@hawser/controller';
import { hawserAnnotations } from '@hawser/kube-bind';

import type { Path } from './difference.js';
import { PAUSED, retryAt } from './marks.js';

/** What becomes of a copy whose consumer object is missing: `Keep` it, or `Delete` it once that is proven. */
export type OrphanPolicy = 'Keep' | 'Delete';
/** What is done where an object of somebody else stands in the place of a copy: `Fail` and say so, `Adopt` it if it belongs to nobody, or `Skip` the object. */
export type ConflictPolicy = 'Fail' | 'Adopt' | 'Skip';
/** What is done about a copy that somebody on the provider has changed: `Correct` it, `Report` it, or `Ignore` that. */
export type DriftPolicy = 'Correct' | 'Report' | 'Ignore';

/** Somebody wants nothing to be written. */
export interface Pause {
  /** What carries the annotation. */
  readonly of: 'object' | 'binding' | 'connection';
  /** In that person's words. */
  readonly reason: string;
}

/** How the operator wants the objects of one binding to be treated. */
export interface BindingPolicy {
  readonly orphans: OrphanPolicy;
  readonly conflicts: ConflictPolicy;
  readonly drift: DriftPolicy;
  /** Fields that are the provider's once a copy is made: neither compared nor written. */
  readonly ignored: readonly Path[];
  readonly pause?: Pause | undefined;
  /** uids of consumer clusters in whose place this one is, as the operator says: their copies are its own. */
  readonly formerClusters?: readonly string[] | undefined;
  /** When the operator last asked that all of it be tried again: with another value this is another policy. */
  readonly retryAt?: string | undefined;
}

export const defaultPolicy: BindingPolicy = { orphans: 'Keep', conflicts: 'Fail', drift: 'Correct', ignored: [] };

/** The metadata that says a policy. */
interface Annotated {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

export interface PolicySources {
  /** Of the APIServiceBinding. */
  readonly binding: Annotated;
  /** Of the Secrets that the connection comes from. */
  readonly secrets?: readonly Annotated[];
  /** Set for the whole process. Default `Keep`. */
  readonly orphans?: OrphanPolicy | undefined;
}

export interface PolicyReading {
  readonly policy: BindingPolicy;
  /** Annotations that say nothing known: the default holds instead. */
  readonly problems: readonly Problem[];
}

/** The policy that annotations say. What is not understood counts as the default, which loses nothing, and is told. Pure. */
export function readBindingPolicy({
  binding,
  secrets = [],
  orphans = defaultPolicy.orphans,
}: PolicySources): PolicyReading {
  const problems: Problem[] = [];
  const choose = <T extends string>(annotation: string, words: readonly T[], preset: T): T => {
    const value = binding.annotations?.[annotation]?.trim() ?? '';
    const known = words.find((word) => word === value);
    if (known === undefined && value !== '')
      problems.push(
        unknownValue(annotation, value, `It must be one of ${words.join(', ')}; until then it counts as ${preset}.`),
      );
    return known ?? preset;
  };
  const conflicts = choose<ConflictPolicy>(
    hawserAnnotations.conflictPolicy,
    ['Fail', 'Adopt', 'Skip'],
    defaultPolicy.conflicts,
  );
  const drift = choose<DriftPolicy>(
    hawserAnnotations.driftPolicy,
    ['Correct', 'Report', 'Ignore'],
    defaultPolicy.drift,
  );
  const ignored: Path[] = [];
  for (const pointer of (binding.annotations?.[hawserAnnotations.driftIgnore] ?? '')
    .split(/[\s,]+/u)
    .filter((text) => text !== '')) {
    const path = readPointer(pointer);
    if (path === undefined)
      problems.push(
        unknownValue(
          hawserAnnotations.driftIgnore,
          pointer,
          'It must be JSON pointers to fields that are copied to the provider, such as /spec/replicas or /metadata/labels/team; this one does not count.',
        ),
      );
    else ignored.push(path);
  }
  const pause =
    pauseOf(binding, 'binding') ??
    secrets.map((secret) => pauseOf(secret, 'connection')).find((one) => one !== undefined);
  const formerClusters = [binding, ...secrets].flatMap(({ annotations }) =>
    (annotations?.[hawserAnnotations.formerConsumerIdentity] ?? '').split(/[\s,]+/u).filter((uid) => uid !== ''),
  );
  const retry = retryAt(binding);
  return {
    policy: {
      orphans,
      conflicts,
      drift,
      ignored,
      ...(retry === undefined ? {} : { retryAt: retry }),
      ...(pause === undefined ? {} : { pause }),
      ...(formerClusters.length === 0 ? {} : { formerClusters }),
    },
    problems,
  };
}

/** Any value pauses, an empty one too: only the annotation's absence does not. */
export function pauseOf({ annotations }: Annotated, of: Pause['of']): Pause | undefined {
  const reason = annotations?.[PAUSED];
  return reason === undefined ? undefined : { of, reason };
}

/** A JSON pointer (RFC 6901) to something that a copy takes from its consumer object. */
function readPointer(pointer: string): Path | undefined {
  if (!/^(?:\/(?:[^~/]|~[01])+)+$/u.test(pointer)) return undefined;
  const path = pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [first = '', second] = path;
  if (first === 'metadata')
    return (second === 'labels' || second === 'annotations') && path.length === 3 ? path : undefined;
  return first === 'apiVersion' || first === 'kind' || first === 'status' ? undefined : path;
}

function unknownValue(annotation: string, value: string, remedy: string): Problem {
  const shown = value.length > 60 ? `${value.slice(0, 60)}…` : value;
  return {
    reason: 'UnknownPolicyValue',
    message: `Annotation ${annotation} has the value "${shown}", which is not known. ${remedy}`,
    actor: 'operator',
  };
}
