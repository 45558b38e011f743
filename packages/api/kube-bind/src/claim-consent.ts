import { createHash } from 'node:crypto';
import type { KubeObject } from '@hawser/client';
import { canonical, isFields, type JsonObject } from '@hawser/json';

import type { PermissionClaim } from './kinds/shared.js';
import { hawserAnnotations } from './metadata.js';
import { groupResourceString } from './names.js';

/**
 * How the consumer agreed to a claim. `binding`: it made the binding while the provider claimed the resource.
 * `annotation`: it named the claim. `status`: before records existed.
 */
export type ConsentBy = 'binding' | 'annotation' | 'status';

/** The agreement to one claim. */
export interface ClaimConsent {
  readonly by: ConsentBy;
  /** Field managers that wrote the binding, or the annotation, that agreed; empty if unknown. */
  readonly writers: readonly string[];
  /** RFC 3339. */
  readonly at: string;
  /** Generations of binding and export at that time. */
  readonly bindingGeneration: number;
  readonly exportGeneration: number;
  readonly exportUID: string;
}

/** Claims that the consumer agreed to for one binding, by {@link claimId}. Nothing that a provider says adds to it. */
export type ConsentRecord = ReadonlyMap<string, ClaimConsent>;

/**
 * Identifies a claim by its content: 128 bits of a SHA-256, against a provider that forges a claim with the same id. A
 * changed claim has another id.
 */
export function claimId({ group = '', resource, selector }: PermissionClaim): string {
  return createHash('sha256')
    .update(canonical({ group, resource, selector: selector as JsonObject }))
    .digest('hex')
    .slice(0, 32);
}

/** The objects that a claim selects, for people: `secrets labelled app=db or named team/x`. */
export function claimInWords(claim: PermissionClaim): string {
  const { labelSelector, namedResources = [], references = [] } = claim.selector;
  const labels = [
    ...Object.entries(labelSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(labelSelector?.matchExpressions ?? []).map(
      ({ key, operator, values = [] }) => `${key} ${operator}${values.length === 0 ? '' : ` ${values.join('|')}`}`,
    ),
  ];
  const parts = [
    ...(labelSelector === undefined ? [] : [labels.length === 0 ? 'all' : `labelled ${labels.join(', ')}`]),
    ...(namedResources.length === 0
      ? []
      : [
          `named ${namedResources.map(({ namespace, name }) => `${namespace === undefined || namespace === '' ? '*' : namespace}/${name}`).join(', ')}`,
        ]),
    ...references.map((reference) => `named in ${groupResourceString(reference)}`),
  ];
  // A provider's text; it may carry terminal escapes.
  const words = parts[0] === 'all' ? `all ${claim.resource}` : `${claim.resource} ${parts.join(' or ')}`;
  return words.replaceAll(/\p{Cc}/gu, '?');
}

/**
 * Reads the record of a binding. Undefined: none yet. A record cloned from another binding, or unreadable, agrees to
 * nothing.
 */
export function consentRecordOf({ metadata: { annotations, uid } }: KubeObject): ConsentRecord | undefined {
  const text = annotations?.[hawserAnnotations.claimConsent];
  if (text === undefined) return undefined;
  const { binding, claims } = parse(text);
  return new Map(
    Object.entries(binding === uid && isFields(claims) ? claims : {}).map(([id, consent]) => [id, consentOf(consent)]),
  );
}

/** Value of the annotation for the binding with that uid. */
export function consentText(uid: string, record: ConsentRecord): string {
  return canonical({ binding: uid, claims: Object.fromEntries(record) as unknown as JsonObject });
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

function consentOf(value: unknown): ClaimConsent {
  const { by, writers, at, bindingGeneration, exportGeneration, exportUID } = isFields(value) ? value : {};
  return {
    by: by === 'binding' || by === 'annotation' ? by : 'status',
    writers: Array.isArray(writers) ? writers.filter((writer) => typeof writer === 'string') : [],
    at: typeof at === 'string' ? at : '',
    bindingGeneration: typeof bindingGeneration === 'number' ? bindingGeneration : 0,
    exportGeneration: typeof exportGeneration === 'number' ? exportGeneration : 0,
    exportUID: typeof exportUID === 'string' ? exportUID : '',
  };
}
