import {
  type APIExport,
  type ClaimedResource,
  type ExportedResource,
  type PermissionClaim,
  type V1alpha1PermissionClaim,
  annotations,
  exportedResource,
  isSameClaim,
  needsIdentityHash,
  parseSchemaName,
  v1alpha1ClaimsAnnotation,
} from '@hawser/kcp-api';
import { annotations as agentAnnotations } from '@hawser/syncagent-api';
import type { Contribution } from './contribution.js';

export type ExportProblemReason =
  | 'APIExportOfAnotherAgent'
  | 'ResourcePublishedTwice'
  | 'ResourceStoredElsewhere'
  | 'SchemaNameInvalid'
  | 'ClaimNeedsIdentityHash'
  | 'ClaimOfAnotherIdentity';

/** State of one PublishedResource after the decision is carried out. */
export type Outcome =
  | { readonly kind: 'exported' }
  /** It has no schema yet. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'problem'; readonly reason: ExportProblemReason; readonly message: string };

/** The fields to write. Absent: unchanged. */
export interface ExportChange {
  readonly annotations: Readonly<Record<string, string>>;
  readonly resources: readonly ExportedResource[] | undefined;
  readonly claims: readonly PermissionClaim[] | undefined;
  /** For Events: names of schemas, and claims as `resource` or `group/resource`. */
  readonly addedSchemas: readonly string[];
  readonly removedSchemas: readonly string[];
  readonly addedClaims: readonly string[];
}

export interface Decision {
  /** Undefined: the export is in step. */
  readonly change: ExportChange | undefined;
  /** By uid of the PublishedResource. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

const events: ClaimedResource = { group: '', resource: 'events' };

/**
 * Decides about the export (`spec/api-syncagent.md §10.2`). Only adds entries and claims; a schema replaces an older
 * one of its resource. An error of one PublishedResource affects only that one. `all` are all contributions, `admitted`
 * those to write now.
 * @throws {ConversionError} where an annotation of kcp on the export cannot be read.
 */
export function decide(
  current: APIExport,
  agentName: string,
  all: readonly Contribution[],
  admitted: readonly Contribution[] = all,
): Decision {
  const owner = current.metadata.annotations?.[agentAnnotations.agentName];
  if (owner !== undefined && owner !== agentName) return foreign(current, owner, all);

  const outcomes = new Map<string, Outcome>();
  const resources = mergeResources(current.spec?.resources ?? [], admitted, outcomes);
  const known = new Set([
    ...resources.list.map(({ group, name }) => resourceKey(group, name)),
    ...all.flatMap(({ schema }) => ownResource(schema)),
  ]);
  const claims = mergeClaims(current.spec?.permissionClaims ?? [], admitted, known, outcomes);
  const wanted: Record<string, string> = { [agentAnnotations.agentName]: agentName };
  const asV1alpha1 = v1alpha1ClaimsAnnotation(claims.list, current);
  // Without it, every later write through v1alpha1 would be refused.
  if (asV1alpha1 !== undefined && hasUnknownClaims(current, claims.list))
    wanted[annotations.v1alpha1PermissionClaims] = asV1alpha1;
  const changed = Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => current.metadata.annotations?.[key] !== value),
  );
  const inStep = Object.keys(changed).length === 0 && resources.added.length === 0 && claims.added.length === 0;
  return {
    outcomes,
    change: inStep
      ? undefined
      : {
          annotations: changed,
          resources: resources.added.length === 0 ? undefined : resources.list,
          claims: claims.added.length === 0 ? undefined : claims.list,
          addedSchemas: resources.added,
          removedSchemas: resources.removed,
          addedClaims: claims.added.map(claimName),
        },
  };
}

function foreign(current: APIExport, owner: string, all: readonly Contribution[]): Decision {
  const message = `APIExport ${current.metadata.name} belongs to agent ${owner} (annotation ${agentAnnotations.agentName}). The operator must give this agent another APIExport, or stop the other agent and remove the annotation.`;
  return {
    change: undefined,
    outcomes: new Map(all.map(({ uid }) => [uid, { kind: 'problem', reason: 'APIExportOfAnotherAgent', message }])),
  };
}

interface Merged<T> {
  readonly list: readonly T[];
}

function mergeResources(
  present: readonly ExportedResource[],
  admitted: readonly Contribution[],
  outcomes: Map<string, Outcome>,
): Merged<ExportedResource> & { readonly added: readonly string[]; readonly removed: readonly string[] } {
  const entries = new Map(present.map((entry) => [resourceKey(entry.group, entry.name), entry]));
  const takenBy = new Map<string, string>();
  const added: string[] = [];
  const removed: string[] = [];
  for (const { uid, name, schema } of admitted) {
    if (schema === undefined) {
      outcomes.set(uid, { kind: 'pending' });
      continue;
    }
    const parts = parseSchemaName(schema);
    if (parts === undefined) {
      outcomes.set(uid, {
        kind: 'problem',
        reason: 'SchemaNameInvalid',
        message: `${schema} is not a name of an APIResourceSchema. The operator must empty status.resourceSchemaName of PublishedResource ${name}.`,
      });
      continue;
    }
    const key = resourceKey(parts.group, parts.resource);
    const entry = entries.get(key);
    const other = takenBy.get(key);
    if (other !== undefined) {
      outcomes.set(uid, {
        kind: 'problem',
        reason: 'ResourcePublishedTwice',
        message: `${key} is published by PublishedResource ${other} already, which is older. The provider must give one of them another kind, plural or group (spec.projection), or delete it.`,
      });
      continue;
    }
    if (entry?.storage?.virtual !== undefined) {
      outcomes.set(uid, {
        kind: 'problem',
        reason: 'ResourceStoredElsewhere',
        message: `The APIExport has ${key} already, with virtual storage, which is not this agent’s. The provider must give PublishedResource ${name} another plural or group (spec.projection).`,
      });
      continue;
    }
    takenBy.set(key, name);
    outcomes.set(uid, { kind: 'exported' });
    if (entry?.schema === schema) continue;
    entries.set(key, exportedResource(schema));
    added.push(schema);
    if (entry !== undefined) removed.push(entry.schema);
  }
  const sorted = [...entries].sort(([a], [b]) => compare(a, b)).map(([, entry]) => entry);
  return { list: sorted, added: added.sort(compare), removed: removed.sort(compare) };
}

function mergeClaims(
  present: readonly PermissionClaim[],
  admitted: readonly Contribution[],
  known: ReadonlySet<string>,
  outcomes: Map<string, Outcome>,
): Merged<PermissionClaim> & { readonly added: readonly ClaimedResource[] } {
  const claims: PermissionClaim[] = [...present];
  const added: ClaimedResource[] = [];
  const claim = (wanted: ClaimedResource): Outcome | undefined => {
    if (claims.some((other) => isSameClaim(other, wanted))) return undefined;
    // kcp has one claim for each resource, whatever its identity.
    const other = claims.find(
      ({ group = '', resource }) => group === (wanted.group ?? '') && resource === wanted.resource,
    );
    if (other !== undefined) {
      return {
        kind: 'problem',
        reason: 'ClaimOfAnotherIdentity',
        message: `The APIExport claims ${claimName(wanted)} with identity ${identityName(other)} already, so it cannot claim that with identity ${identityName(wanted)}. The provider must use the same identityHash in spec.related, or publish through another APIExport.`,
      };
    }
    if (
      needsIdentityHash({ group: wanted.group ?? '', resource: wanted.resource }) &&
      (wanted.identityHash ?? '') === ''
    ) {
      return {
        kind: 'problem',
        reason: 'ClaimNeedsIdentityHash',
        message: `${claimName(wanted)} comes from another APIExport. The provider must set identityHash in spec.related to the status.identityHash of that APIExport, or publish the resource with this one.`,
      };
    }
    claims.push({
      group: wanted.group ?? '',
      resource: wanted.resource,
      identityHash: wanted.identityHash ?? '',
      verbs: ['*'],
    });
    added.push(wanted);
    return undefined;
  };
  claim(events);
  for (const { uid, claims: always, relatedClaims } of admitted) {
    const wanted = [
      ...always,
      ...relatedClaims.filter(({ group = '', resource }) => !known.has(resourceKey(group, resource))),
    ];
    for (const one of wanted) {
      const problem = claim(one);
      if (problem !== undefined && outcomes.get(uid)?.kind !== 'problem') outcomes.set(uid, problem);
    }
  }
  return {
    list: claims.sort((a, b) => compare(a.group ?? '', b.group ?? '') || compare(a.resource, b.resource)),
    added: added.sort((a, b) => compare(claimName(a), claimName(b))),
  };
}

/** Whether v1alpha1 cannot express a claim. */
function hasUnknownClaims(current: APIExport, claims: readonly PermissionClaim[]): boolean {
  const before = current.metadata.annotations?.[annotations.v1alpha1PermissionClaims];
  if (before === undefined) return true;
  const known = (JSON.parse(before) ?? []) as readonly V1alpha1PermissionClaim[];
  return claims.some(
    (claim) =>
      !known.some(
        (other) => isSameClaim(other, claim) && (other.all === true || (other.resourceSelector ?? []).length > 0),
      ),
  );
}

function ownResource(schema: string | undefined): readonly string[] {
  const parts = schema === undefined ? undefined : parseSchemaName(schema);
  return parts === undefined ? [] : [resourceKey(parts.group, parts.resource)];
}

/** Sort key of the lists, too: `databases.example.com`, or `secrets` alone. */
function resourceKey(group: string, resource: string): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function claimName({ group = '', resource }: ClaimedResource): string {
  return group === '' ? resource : `${group}/${resource}`;
}

function identityName({ identityHash = '' }: ClaimedResource): string {
  return identityHash === '' ? '(none)' : identityHash;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
