import { type APIServiceExport, type APIServiceExportStatus, exportHash, type InlineCRDSpec, inlineSpecOf } from '@hawser/klutch';
import { type Instant, conditionTypes, hawserAnnotations, markTrue, removeCondition, setCondition } from '@hawser/kube-bind';
import { describeChanges } from '@hawser/schemadiff';
import { judge, parseSchemaPolicy, schemaHash, type SchemaPolicy } from '@hawser/schemagate';
import type { InlineSource } from './inline-source.js';

/** What becomes of the schema in one export. Closed. */
export type InlineExportVerdict =
  /** The consumer has what the provider offers. */
  | { readonly kind: 'inStep' }
  | { readonly kind: 'replace'; readonly spec: InlineCRDSpec; readonly hash: string }
  | { readonly kind: 'held'; readonly reason: string; readonly message: string };

const kept = 'The consumer keeps the schema that it has.';

/**
 * Whether a changed CRD flows into the export (spec/klutch.md §7.1, §11). Klutch carries every change, and deletes the exports of a CRD that is gone; here what breaks something
 * waits, by the policy of the export or else of the provider, and nothing is deleted. Pure.
 */
export function decideInlineExport(found: APIServiceExport, source: InlineSource | undefined, providerPolicy: SchemaPolicy): InlineExportVerdict {
  const name = found.metadata.name;
  if (source === undefined) return { kind: 'held', reason: 'SchemaSourceGone', message: `${name}: the CRD is gone. ${kept} Nothing is deleted. The provider must restore the CRD, or have the consumer unbind.` };
  if (source.kind === 'unusable') return { kind: 'held', reason: 'SchemaUnusable', message: `${name}: the CRD cannot be offered: ${source.message} ${kept} The provider must correct the CRD.` };
  const before = inlineSpecOf(found);
  // Of what the export carries, not of what its annotation says: so edits by hand are repaired, and exports of Klutch recognised.
  if (exportHash(before) === source.hash) return { kind: 'inStep' };
  const policy = parseSchemaPolicy(found.metadata.annotations?.[hawserAnnotations.schemaUpdate]) ?? providerPolicy;
  const candidate = schemaHash(source.spec);
  const verdict = judge({ before, after: source.spec, policy, approved: found.metadata.annotations?.[hawserAnnotations.schemaApproved] === candidate });
  switch (verdict.kind) {
    case 'flows':
      return { kind: 'replace', spec: source.spec, hash: source.hash };
    case 'held':
      return { kind: 'held', reason: verdict.reason, message: `${name}: ${describeChanges(verdict.comparison.changes)} ${kept} To let it through, the provider sets annotation ${hawserAnnotations.schemaApproved}=${candidate} on the APIServiceExport.` };
    case 'refused':
      return { kind: 'held', reason: verdict.reason, message: `${name}: ${describeChanges(verdict.comparison.changes)} ${kept} No approval helps: it is another API, and needs a name of its own.` };
  }
}

/** The status that says so. What is held counts in no summary; every other condition is the konnector's. */
export function withInlineVerdict(status: APIServiceExportStatus | undefined, verdict: Exclude<InlineExportVerdict, { kind: 'replace' }>, now: Instant): APIServiceExportStatus {
  const inSync = markTrue(status?.conditions, conditionTypes.providerInSync, now);
  const type = conditionTypes.schemaUpdateHeld;
  const conditions = verdict.kind === 'held' ? setCondition(inSync, { type, status: 'True', reason: verdict.reason, message: verdict.message }, now) : removeCondition(inSync, type);
  return { ...status, conditions };
}
