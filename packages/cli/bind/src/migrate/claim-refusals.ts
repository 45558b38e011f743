import { type KubeObject, objectKey } from '@hawser/client';
import type { RelatedResource } from '@hawser/core-kbind';
import { canonical } from '@hawser/json';
import {
  noRules,
  readRules,
  relatedProtectionOf,
  type RelatedKind,
  type RuleSet,
  selects,
  type Side,
} from '@hawser/kbind-binding';
import { type APIServiceBinding, claimInWords, hawserAnnotations, type PermissionClaim } from '@hawser/kube-bind';

import type { Refusal } from '../refusal.js';
import { type Found, findClaimed } from './claim-pairs.js';
import type { MigrationObserved } from './observe.js';
import { type ClaimsObserved, rulesOf } from './observe-claims.js';
import type { Generation } from './pair-swap.js';
import { isPause } from './pause-reason.js';
import { relatedOfClaim } from './related-of-claim.js';

/** Why hawser does not move the claims of a binding; empty: it may, or there are none. Pure. */
export function claimRefusals(
  binding: APIServiceBinding,
  observed: MigrationObserved,
  to: Generation,
): readonly Refusal[] {
  const { claims } = observed;
  if (to === 'v1') return [...rulesWithoutClaim(observed), ...locationRefusals(observed, to)];
  if (claims.accepted.length === 0) return [];
  const untranslated = claims.accepted.flatMap(untranslatedRefusal);
  if (untranslated.length > 0) return untranslated;
  const byLocation = locationRefusals(observed, to);
  const readings = readingsOf(observed);
  return [
    ...policyRefusals(binding, claims),
    ...byLocation,
    ...readings.flatMap((one) => sharedRefusals(one, claims)),
    ...(byLocation.length > 0 ? [] : readings.flatMap((one) => reachRefusals(one, claims))),
  ];
}

/** The rules of the claims for one resource. */
export function ruleSetOf(claims: readonly PermissionClaim[], kind: RelatedKind): RuleSet {
  const spec = { connectionRef: { name: '' }, apis: [], relatedResources: [...rulesOf(claims)] };
  return readRules({ spec }).sets.get(kind) ?? noRules;
}

/** The claimed objects of a binding, by resource. */
export function foundOf({ accepted, objects, terms }: ClaimsObserved): readonly (Found & { kind: RelatedKind })[] {
  return objects.map((of) => ({ kind: of.kind, ...findClaimed(of, ruleSetOf(accepted, of.kind), terms) }));
}

function untranslatedRefusal(claim: PermissionClaim): readonly Refusal[] {
  const translated = relatedOfClaim(claim);
  return translated.kind === 'same'
    ? []
    : [
        refusal(
          'ClaimsNotMigrated',
          `The claim on ${claimInWords(claim)} has no equal in core.kbind.io: ${translated.why}.`,
          'keeps this binding, or has the provider change the claim',
        ),
      ];
}

/** Fields of a Secret or ConfigMap. */
const CONTENT = /^\/(?:data|binaryData|type|immutable)(?:\/|$)/u;

/** Policies of the binding that related resources do not know. */
function policyRefusals({ metadata }: APIServiceBinding, { accepted }: ClaimsObserved): readonly Refusal[] {
  const annotationOf = (key: string): string => metadata.annotations?.[key]?.trim() ?? '';
  const ignored = annotationOf(hawserAnnotations.driftIgnore).split(/[\s,]+/u);
  const found: readonly (readonly [string, string, string])[] = [
    ...(['Adopt', 'Skip'].includes(annotationOf(hawserAnnotations.conflictPolicy))
      ? [
          [
            hawserAnnotations.conflictPolicy,
            annotationOf(hawserAnnotations.conflictPolicy),
            'an object in the place of a related copy is always left alone and reported',
          ] as const,
        ]
      : []),
    ...(['Report', 'Ignore'].includes(annotationOf(hawserAnnotations.driftPolicy))
      ? [
          [
            hawserAnnotations.driftPolicy,
            annotationOf(hawserAnnotations.driftPolicy),
            'a changed related copy is always put back',
          ] as const,
        ]
      : []),
    ...ignored
      .filter((pointer) => CONTENT.test(pointer))
      .map((pointer) => [hawserAnnotations.driftIgnore, pointer, 'related copies are compared as a whole'] as const),
  ];
  return found.map(([key, value, why]) =>
    refusal(
      'ClaimsNotMigrated',
      `The policy ${key}: ${value} has no equal in core.kbind.io for the claims on ${accepted.map(claimInWords).join('; ')}: ${why}.`,
      `removes the annotation from APIServiceBinding "${metadata.name}", or keeps this binding`,
    ),
  );
}

/** Related copies have the names and namespaces of their originals. */
function locationRefusals(observed: MigrationObserved, to: Generation): readonly Refusal[] {
  const { claims, namespaces } = observed;
  const consumerOf = new Map([...namespaces].map(([from, at]) => [at, from]));
  return readingsOf(observed).flatMap(({ kind, pairs, waiting }) => {
    const of = (object: KubeObject): string => object.metadata.namespace ?? '';
    const consumerNamespaces =
      to === 'v1'
        ? pairs.filter(({ marks }) => marks === 'v2').map(({ copy }) => of(copy))
        : [
            ...pairs.map(({ copy }) => of(copy)),
            ...waiting.flatMap(({ side, object }) =>
              side === 'consumer' ? [of(object)] : (consumerOf.get(of(object)) ?? []),
            ),
          ];
    const differing = [...new Set(consumerNamespaces)].filter((namespace) => namespaces.get(namespace) !== namespace);
    const [first] = differing;
    return first === undefined
      ? []
      : [
          refusal(
            'PlaceDiffers',
            `Copies of claimed ${kind} of namespace ${first} are in namespace ${namespaces.get(first) ?? '(none assigned yet)'} of the provider${differing.length > 1 ? `, and ${differing.length - 1} further namespaces differ` : ''}. The claims are on ${claimsOn(claims, kind)}.`,
            `keeps this binding, or has the provider assign namespace ${first} to APIServiceNamespace ${first}`,
          ),
        ];
  });
}

interface Reading extends Found {
  readonly kind: RelatedKind;
  readonly isWhole: boolean;
  /** Originals without a copy that a rule would copy. */
  readonly waiting: Found['alone'];
  /** Those of them that the claims may leave where they are. */
  readonly further: Found['alone'];
  /** Why a rule does not copy an original. */
  readonly protectionOf: (side: Side, object: KubeObject) => string | undefined;
}

function readingsOf({ binding, claims, core, namespaces }: MigrationObserved): readonly Reading[] {
  // An object that came since the pause waits for its copy.
  const isHeld = isPause(binding?.metadata.annotations?.[hawserAnnotations.paused]);
  const isShared = (namespace = ''): boolean => namespaces.get(namespace) === namespace;
  const whole = new Map(claims.objects.map(({ kind, isWhole }) => [kind, isWhole]));
  return foundOf(claims).map((found) => {
    const protectionOf = (side: Side, object: KubeObject): string | undefined =>
      relatedProtectionOf(core.connections, side, found.kind, object);
    const waiting = found.alone.filter(
      ({ side, object }) => object.metadata.deletionTimestamp === undefined && protectionOf(side, object) === undefined,
    );
    const further = waiting.filter(
      ({ side, object }) => side === 'provider' && !(isHeld && isShared(object.metadata.namespace)),
    );
    return { ...found, isWhole: whole.get(found.kind) === true, waiting, further, protectionOf };
  });
}

/** The older generation serves the claims of all bindings on an object together. The newer one does not. */
function sharedRefusals({ kind, pairs }: Reading, claims: ClaimsObserved): readonly Refusal[] {
  return [...claims.others].flatMap(([name, others]) => {
    const shared = others.find(
      (claim) =>
        (claim.group ?? '') === '' &&
        claim.resource === kind &&
        pairs.some(({ owner, original, copy }) => mayBeClaimed(claim, kind, owner, original ?? copy)),
    );
    return shared === undefined
      ? []
      : [
          refusal(
            'ClaimsNotMigrated',
            `APIServiceBinding "${name}" claims objects that this binding claims, too: ${claimInWords(shared)}. This binding claims ${claimsOn(claims, kind)}.`,
            `unbinds "${name}", or has its provider narrow one of the claims`,
          ),
        ];
  });
}

function mayBeClaimed(claim: PermissionClaim, kind: RelatedKind, owner: Side, original: KubeObject): boolean {
  const { name, namespace = '' } = original.metadata;
  const { labelSelector, namedResources = [], references = [] } = claim.selector;
  const byName = namedResources.some((one) => one.name === name && ['', namespace].includes(one.namespace ?? ''));
  if (references.length > 0 || byName) return true;
  if (labelSelector === undefined) return false;
  const translated = relatedOfClaim({ ...claim, selector: { labelSelector } });
  return (
    translated.kind === 'none' || selects(ruleSetOf([{ ...claim, selector: { labelSelector } }], kind), owner, original)
  );
}

/**
 * A claim ends at the namespaces that consumer and provider share, a rule of a ClusterBinding does not. Refuses if the
 * rules would copy other objects than the claims do.
 */
function reachRefusals(
  { kind, pairs, isWhole, further, strays, protectionOf }: Reading,
  claims: ClaimsObserved,
): readonly Refusal[] {
  const named = claimsOn(claims, kind);
  if (!isWhole)
    return [
      refusal(
        'ClaimsNotMigrated',
        `The kubeconfig of the provider may not list ${kind} in all namespaces. core.kbind.io needs that for the claims on ${named}.`,
        'gives a kubeconfig with the rights for core.kbind.io (--provider-kubeconfig)',
      ),
    ];
  const [lost] = pairs.flatMap(({ owner, original }) => {
    const why = original === undefined ? undefined : protectionOf(owner, original);
    return original === undefined || why === undefined ? [] : [{ owner, original, why }];
  });
  const [first] = further;
  const [stray] = strays;
  return [
    ...(stray === undefined
      ? []
      : [
          refusal(
            'ClaimsNotMigrated',
            `The claims on ${named} would reach further in core.kbind.io: ${strays.length} ${kind}, such as ${objectKey(stray.object)} on the ${stray.side}, are copies of another consumer or provider, or have lost their original. They would be taken for originals.`,
            'keeps this binding, or has the labels changed that the claim selects; a copy of this binding without its original may be deleted',
          ),
        ]),
    ...(first === undefined
      ? []
      : [
          refusal(
            'ClaimsNotMigrated',
            `The claims on ${named} would reach further in core.kbind.io: ${further.length} ${kind} without a copy, such as ${objectKey(first.object)} on the ${first.side}, would be copied.`,
            'waits until the claims are in sync, changes the labels of those objects, or keeps this binding',
          ),
        ]),
    ...(lost === undefined
      ? []
      : [
          refusal(
            'ClaimsNotMigrated',
            `The claims on ${named} would reach less far in core.kbind.io: ${objectKey(lost.original)} on the ${lost.owner} would not be copied, because ${lost.why}.`,
            'moves that object to another namespace, or keeps this binding',
          ),
        ]),
  ];
}

/** Rules that a person gave the ClusterBinding. Without a claim, no konnector would keep their copies. */
function rulesWithoutClaim({ claims, clusterBinding }: MigrationObserved): readonly Refusal[] {
  const claimed = new Set(rulesOf(claims.accepted).map(textOf));
  const surplus = (clusterBinding?.spec.relatedResources ?? []).filter((rule) => !claimed.has(textOf(rule)));
  return surplus.map((rule) =>
    refusal(
      'ClaimsNotMigrated',
      `The rule ${JSON.stringify(rule)} in spec.relatedResources of ClusterBinding "${clusterBinding?.metadata.name ?? ''}" has no equal in kube-bind.io: APIServiceBinding "${clusterBinding?.metadata.name ?? ''}" has no accepted claim that says the same.`,
      'removes the rule and with it the copies that it made, or keeps the ClusterBinding',
    ),
  );
}

/** The same text for the same rule. */
export function textOf({ group, resource, direction, selector }: RelatedResource): string {
  const { names = [], labelSelector } = selector ?? {};
  return canonical([group, resource, direction, [...names].sort(), labelSelector ?? null]);
}

function claimsOn({ accepted }: ClaimsObserved, kind: RelatedKind): string {
  return accepted
    .filter(({ resource }) => resource === kind)
    .map(claimInWords)
    .join('; ');
}

function refusal(reason: Refusal['reason'], message: string, remedy: string): Refusal {
  return { reason, message, actor: 'operator', remedy };
}
