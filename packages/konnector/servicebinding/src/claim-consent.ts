import { createHash } from 'node:crypto';
import { type JsonObject, canonical } from '@hawser/json';
import { type APIServiceBinding, type NewCondition, type PermissionClaim, conditionTypes, falseCondition, getCondition, groupResourceString, hawserAnnotations, trueCondition } from '@hawser/kube-bind';

/** Which claims of an export the consumer has agreed to. */
export interface Consent {
  /** In the order of the export. They go into the binding's status, from which they are served. */
  readonly accepted: readonly PermissionClaim[];
  readonly held: readonly PermissionClaim[];
}

/**
 * Claims that the export had when it was bound are accepted by the binding. Those that come later, changed ones among them, are held until the annotation
 * `hawser.dev/accepted-claims` of the binding names them (or has `*`); what was accepted is known by the binding's status, and stays for as long as the export has it.
 * Peers know no consent: what a Go konnector has served is in the status, and so accepted.
 */
export function consentTo(binding: APIServiceBinding, claims: readonly PermissionClaim[]): Consent {
  const { boundSchemas = [], permissionClaims = [] } = binding.status ?? {};
  if (boundSchemas.length === 0 || globalThis.hawserPlanted?.has('R38') === true) return { accepted: claims, held: [] };
  const known = new Set(permissionClaims.map(claimId));
  const named = new Set((binding.metadata.annotations?.[hawserAnnotations.acceptedClaims] ?? '').split(/[\s,]+/u));
  const isAccepted = (claim: PermissionClaim): boolean => known.has(claimId(claim)) || named.has('*') || named.has(claimId(claim));
  return { accepted: claims.filter(isAccepted), held: claims.filter((claim) => !isAccepted(claim)) };
}

/** Names a claim by what it says: 12 hexadecimal digits. A claim that is changed has another one. */
export function claimId({ group = '', resource, selector }: PermissionClaim): string {
  return createHash('sha256').update(canonical({ group, resource, selector: selector as JsonObject })).digest('hex').slice(0, 12);
}

/** The condition `ClaimsAccepted`, as it should be; undefined where it has nothing to say. Its severity is empty: the rest of the binding works. */
export function consentCondition(binding: APIServiceBinding, held: readonly PermissionClaim[]): NewCondition | undefined {
  const type = conditionTypes.claimsAccepted;
  if (held.length === 0) return getCondition(binding.status?.conditions, type) === undefined ? undefined : trueCondition(type);
  const list = held.map((claim) => `${inWords(claim)} (${claimId(claim)})`).join('; ');
  const ids = held.map(claimId).join(',');
  const message = `The provider claims more than when this was bound: ${list}. Nothing of that is served. To accept it: kubectl annotate apiservicebinding ${binding.metadata.name} ${hawserAnnotations.acceptedClaims}=${ids} --overwrite`;
  return falseCondition(type, 'ClaimsHeld', '', message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message);
}

const MAX_MESSAGE = 2_000;

function inWords(claim: PermissionClaim): string {
  const { labelSelector, namedResources = [], references = [] } = claim.selector;
  const labels = [
    ...Object.entries(labelSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(labelSelector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => `${key} ${operator}${values.length === 0 ? '' : ` ${values.join('|')}`}`),
  ];
  const parts = [
    ...(labelSelector === undefined ? [] : [labels.length === 0 ? 'all' : `labelled ${labels.join(', ')}`]),
    ...(namedResources.length === 0 ? [] : [`named ${namedResources.map(({ namespace, name }) => `${namespace === undefined || namespace === '' ? '*' : namespace}/${name}`).join(', ')}`]),
    ...references.map((reference) => `named in ${groupResourceString(reference)}`),
  ];
  return `${claim.resource} ${parts.join(' or ')}`;
}
