import { createHash } from 'node:crypto';
import type { KubeObject } from '@hawser/client';
import { canonical, isFields, type JsonObject } from '@hawser/json';

import type { PermissionClaim } from './kinds/shared.js';
import { hawserAnnotations } from './metadata.js';
import { groupResourceString } from './names.js';

/** How a claim was agreed to: by making the binding while the provider claimed that, by naming it in an annotation, or before there were records (`status`). */
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

/** By {@link claimId}: what was agreed to for one binding. Nothing that a provider says adds to it. */
export type ConsentRecord = ReadonlyMap<string, ClaimConsent>;

/** Names a claim by what it says: 128 bits of a SHA-256, so that a provider cannot make another claim of that name. A claim that is changed has another one. */
export function claimId({ group = '', resource, selector }: PermissionClaim): string {
  return createHash('sha256')
    .update(canonical({ group, resource, selector: selector as JsonObject }))
    .digest('hex')
    .slice(0, 32);
}

/** What a claim selects, for people: `secrets labelled app=db or named team/x`. */
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
  // They are a provider's words, which may be meant for a terminal.
  const words = parts[0] === 'all' ? `all ${claim.resource}` : `${claim.resource} ${parts.join(' or ')}`;
  return words.replaceAll(/\p{Cc}/gu, '?');
}

/** What the binding records. Undefined: nothing yet. A record that came along with a clone of another binding, or that cannot be read, agrees to nothing. */
export function consentRecordOf({ metadata: { annotations, uid } }: KubeObject): ConsentRecord | undefined {
  const text = annotations?.[hawserAnnotations.claimConsent];
  if (text === undefined) return undefined;
  const { binding, claims } = parse(text);
  return new Map(
    Object.entries(binding === uid && isFields(claims) ? claims : {}).map(([id, consent]) => [id, consentOf(consent)]),
  );
}

/** The annotation's value for the binding of that uid. */
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
