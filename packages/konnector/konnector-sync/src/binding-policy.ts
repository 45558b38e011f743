import type { Problem } from '@hawser/controller';
import { hawserAnnotations } from '@hawser/kube-bind';

import type { Path } from './difference.js';
import { PAUSED, retryAt } from './marks.js';

/** Policy for a copy without its consumer object: `Keep` it, or `Delete` it once the loss is proven. */
export type OrphanPolicy = 'Keep' | 'Delete';
/**
 * Policy for a foreign object in the place of a copy: `Fail` and report it, `Adopt` it if it has no owner, or `Skip`
 * the object.
 */
export type ConflictPolicy = 'Fail' | 'Adopt' | 'Skip';
/** Policy for a copy that was changed on the provider: `Correct` it, `Report` it, or `Ignore` the change. */
export type DriftPolicy = 'Correct' | 'Report' | 'Ignore';

/** A person's request to write nothing. */
export interface Pause {
  /** The object with the annotation. */
  readonly of: 'object' | 'binding' | 'connection';
  /** Reason in the person's words. */
  readonly reason: string;
}

/** The operator's policy for the objects of one binding. */
export interface BindingPolicy {
  readonly orphans: OrphanPolicy;
  readonly conflicts: ConflictPolicy;
  readonly drift: DriftPolicy;
  /** Fields that belong to the provider once a copy exists: neither compared nor written. */
  readonly ignored: readonly Path[];
  readonly pause?: Pause | undefined;
  /** uids of consumer clusters that this one replaces, as the operator states: their copies belong to this cluster. */
  readonly formerClusters?: readonly string[] | undefined;
  /** The operator's last request to retry everything: another value makes another policy. */
  readonly retryAt?: string | undefined;
}

export const defaultPolicy: BindingPolicy = { orphans: 'Keep', conflicts: 'Fail', drift: 'Correct', ignored: [] };

/** Metadata with a policy. */
interface Annotated {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

export interface PolicySources {
  /** The APIServiceBinding. */
  readonly binding: Annotated;
  /** The Secrets of the connection. */
  readonly secrets?: readonly Annotated[];
  /** Policy of the whole process. Default `Keep`. */
  readonly orphans?: OrphanPolicy | undefined;
}

export interface PolicyReading {
  readonly policy: BindingPolicy;
  /** Annotations with unknown values: their defaults apply. */
  readonly problems: readonly Problem[];
}

/**
 * Reads the policy from annotations. Unknown values count as the default, which loses nothing, and are reported. Pure.
 */
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

/** Why an object waits, and who ends that. `binding`: the kind that pauses; `waits`: what else waits. */
export function pausedProblem(
  { of, reason }: Pause,
  binding: string,
  waits = '',
): { readonly reason: 'Paused'; readonly message: string; readonly actor: 'consumer' | 'operator' } {
  const where = {
    object: 'this object',
    binding: `the ${binding}`,
    connection: "the Secret with the provider's kubeconfig",
  }[of];
  return {
    reason: 'Paused',
    message: `Nothing is written, because the annotation ${PAUSED} on ${where} says: "${reason}".${waits} It goes on when the annotation is removed.`,
    actor: of === 'object' ? 'consumer' : 'operator',
  };
}

/** Reads a pause. Any value pauses, also an empty one: only an absent annotation does not. */
export function pauseOf({ annotations }: Annotated, of: Pause['of']): Pause | undefined {
  const reason = annotations?.[PAUSED];
  return reason === undefined ? undefined : { of, reason };
}

/** Parses a JSON pointer (RFC 6901) to a part that a copy takes from its consumer object. */
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
