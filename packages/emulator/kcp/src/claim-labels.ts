import {
  type GroupResource,
  booleanField,
  metaOf,
  objectField,
  objectsField,
  stringField,
  stringsField,
} from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { acceptedClaimsOf, boundResourcesOf, claimHash, claimLabel, exportOf, referenceOf } from './bindings.js';
import { isSameClaim, resourceOfClaim } from './kinds/claims.js';
import { BINDINGS } from './kinds/types.js';
import type { LogicalCluster } from './logical-cluster.js';
import type { World } from './world.js';

/** A claim made by an export and accepted by a workspace. */
export interface AcceptedClaim {
  /** The claim in the binding, with its selector. */
  readonly claim: JsonObject;
  /** Verbs that both export and binding allow. */
  readonly verbs: readonly string[];
}

/** An export's claims that a binding accepts. */
export function claimsOf(world: World, cluster: LogicalCluster, binding: JsonObject): readonly AcceptedClaim[] {
  const { path, name } = referenceOf(binding);
  const exported = objectsField(objectField(world.findExport(cluster, path, name)?.object, 'spec'), 'permissionClaims');
  return acceptedClaimsOf(binding).flatMap((claim) => {
    const made = exported.find((each) => isSameClaim(each, claim));
    return made === undefined
      ? []
      : [{ claim, verbs: bothAllow(stringsField(made, 'verbs'), stringsField(claim, 'verbs')) }];
  });
}

/** Literal match: `*` on one side alone allows nothing. */
function bothAllow(a: readonly string[], b: readonly string[]): readonly string[] {
  return a.filter((verb) => b.includes(verb));
}

export const allowsVerb = ({ verbs }: AcceptedClaim, verb: string): boolean =>
  verbs.includes('*') || verbs.includes(verb);

/** Labels that claims currently give to objects of one workspace. */
export class ClaimLabels {
  readonly #claims: readonly {
    readonly claim: JsonObject;
    readonly resource: GroupResource;
    readonly identityHash: string;
    readonly label: string;
    readonly value: string;
  }[];
  readonly #identities = new Map<string, string>();

  constructor(world: World, cluster: LogicalCluster) {
    const bindings = cluster.objects.list(BINDINGS);
    for (const binding of bindings) {
      for (const bound of boundResourcesOf(binding))
        this.#identities.set(
          `${stringField(bound, 'group')}/${stringField(bound, 'resource')}`,
          stringField(objectField(bound, 'schema'), 'identityHash'),
        );
    }
    this.#claims = bindings.flatMap((binding) =>
      claimsOf(world, cluster, binding).map(({ claim }) => ({
        claim,
        resource: resourceOfClaim(claim),
        identityHash: stringField(claim, 'identityHash'),
        label: claimLabel(exportOf(binding)),
        value: claimHash(claim),
      })),
    );
  }

  get empty(): boolean {
    return this.#claims.length === 0;
  }

  labelsFor(resource: GroupResource, object: JsonObject): Readonly<Record<string, string>> {
    const labels: Record<string, string> = {};
    for (const each of this.#claims) {
      if (!isOf(each.resource, resource)) continue;
      if (each.identityHash !== (this.#identities.get(`${resource.group}/${resource.resource}`) ?? '')) continue;
      if (selects(objectField(each.claim, 'selector'), object)) labels[each.label] = each.value;
    }
    return labels;
  }
}

/** Events are the same in both groups. */
function isOf(claimed: GroupResource, resource: GroupResource): boolean {
  if (claimed.resource !== resource.resource) return false;
  return (
    claimed.group === resource.group ||
    (resource.resource === 'events' &&
      ['', 'events.k8s.io'].includes(claimed.group) &&
      ['', 'events.k8s.io'].includes(resource.group))
  );
}

/** Whether a claim's selector matches an object: always, or by its labels. */
export function selects(selector: JsonObject | undefined, object: JsonObject): boolean {
  if (selector === undefined || booleanField(selector, 'matchAll')) return true;
  const labels = metaOf(object).labels ?? {};
  const wanted = Object.entries(objectField(selector, 'matchLabels') ?? {});
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    objectsField(selector, 'matchExpressions').every((expression) => meets(expression, labels))
  );
}

function meets(expression: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[stringField(expression, 'key')];
  const values = stringsField(expression, 'values');
  switch (stringField(expression, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
