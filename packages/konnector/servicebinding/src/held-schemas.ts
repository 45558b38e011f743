import { type Client, isConflict } from '@hawser/client';
import {
  type APIServiceBinding,
  type NewCondition,
  conditionTypes,
  getCondition,
  hawserAnnotations,
  resources,
} from '@hawser/kube-bind';
import type { Metrics } from '@hawser/telemetry';
import type { ResourceResult } from './conclude.js';
import type { HoldReason } from './hold.js';
import { approvedHashes } from './schema-gate.js';

/** Longest text about one resource: the remedy must never be cut off. */
const MAX_WORDS = 1_200;
/** Tries of an approval that conflicts with writes of the konnector. */
const MAX_TRIES = 5;

/**
 * The condition `SchemaUpdateHeld` while schemas wait; undefined: none waits. It does not affect `Ready`: the installed
 * schema keeps working.
 */
export function heldCondition(
  binding: APIServiceBinding,
  results: readonly ResourceResult[],
): NewCondition | undefined {
  const held = results.flatMap((result) => (result.kind === 'held' ? [result] : []));
  const [first] = held;
  if (first === undefined) return undefined;
  const words = held
    .slice(0, 2)
    .map(({ name, hold }) => `CustomResourceDefinition ${name} stays as it is (${hold.reason}): ${cut(hold.message)}`);
  const more =
    held.length > 2
      ? ` ${held.length - 2} more are held: ${held
          .slice(2, 12)
          .map(({ name, hold }) => `${name} (${hold.reason})`)
          .join(', ')}.`
      : '';
  const hashes = held.slice(0, 12).flatMap(({ hold: { hash } }) => (hash === undefined ? [] : [hash]));
  const remedy =
    hashes.length === 0
      ? ''
      : ` To let it through: kubectl annotate apiservicebinding ${binding.metadata.name} ${hawserAnnotations.schemaApproved}=${hashes.join(',')} --overwrite`;
  return {
    type: conditionTypes.schemaUpdateHeld,
    status: 'True',
    reason: first.hold.reason,
    message: `${words.join(' ')}${more}${remedy}`,
  };
}

function cut(text: string): string {
  return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS - 1)}…` : text;
}

/** Counts the schemas that bindings hold. */
export interface HeldMetric {
  /** Sets the reasons for which schemas of a binding wait, each once; none: none waits, or it is not served any more. */
  set(binding: string, reasons: readonly HoldReason[]): void;
  /** Removes its share of the metric. */
  close(): void;
}

/** What of the results waits, and why. */
export function heldReasons(results: readonly ResourceResult[]): readonly HoldReason[] {
  return results.flatMap((result) => (result.kind === 'held' ? [result.hold.reason] : []));
}

/** `hawser_konnector_schema_updates_held`. Several may be made from the same metrics, for bindings of different names. */
export function createHeldMetric(metrics: Metrics): HeldMetric {
  const gauge = metrics.gauge({
    name: 'hawser_konnector_schema_updates_held',
    help: 'Changed schemas that are not installed on the consumer, by reason.',
    labels: ['binding', 'reason'],
  });
  const reported = new Map<string, readonly HoldReason[]>();
  const set: HeldMetric['set'] = (binding, reasons) => {
    for (const reason of reported.get(binding) ?? []) if (!reasons.includes(reason)) gauge.remove({ binding, reason });
    for (const reason of new Set(reasons))
      gauge.set(reasons.filter((one) => one === reason).length, { binding, reason });
    if (reasons.length === 0) reported.delete(binding);
    else reported.set(binding, reasons);
  };
  return {
    set,
    close: () => {
      for (const binding of [...reported.keys()]) set(binding, []);
    },
  };
}

/** A binding's report on waiting schemas. */
export interface HeldSchemas {
  readonly reason: string;
  readonly message: string;
  /** Hashes to approve; empty where no approval helps. */
  readonly hashes: readonly string[];
}

/** Reads `SchemaUpdateHeld` back; undefined: nothing waits. */
export function heldSchemas({ status }: APIServiceBinding): HeldSchemas | undefined {
  const condition = getCondition(status?.conditions, conditionTypes.schemaUpdateHeld);
  if (condition?.status !== 'True') return undefined;
  const { reason = '', message = '' } = condition;
  // Only the end of the message is ours: the text before it quotes the provider's schema.
  const named = new RegExp(
    `${hawserAnnotations.schemaApproved.replace('.', String.raw`\.`)}=(?<hashes>[0-9a-f,]+) --overwrite$`,
    'u',
  ).exec(message)?.groups?.['hashes'];
  return { reason, message, hashes: named === undefined ? [] : named.split(',') };
}

/**
 * Approves the schemas that a binding holds now, and nothing newer: sets the annotation `hawser.dev/schema-approved` to
 * the hashes in its condition. Resolves to those; empty: there is nothing to approve. @throws {ApiError} `NotFound` if
 * there is no such binding, `Conflict` if it changed again and again.
 */
export async function approveHeldSchemas(
  consumer: Client,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let hashes: readonly string[] | undefined;
  for (let tries = 1; ; tries++) {
    const binding = await consumer.get<APIServiceBinding>(resources.apiServiceBindings, { name }, { signal });
    const {
      metadata: { uid, resourceVersion, annotations = {} },
    } = binding;
    hashes ??= heldSchemas(binding)?.hashes ?? [];
    const before = approvedHashes(annotations[hawserAnnotations.schemaApproved]);
    if (hashes.length === 0 || hashes.every((hash) => before.includes(hash))) return hashes;
    const patch = {
      metadata: { uid, resourceVersion, annotations: { [hawserAnnotations.schemaApproved]: hashes.join(',') } },
    };
    try {
      await consumer.patch(resources.apiServiceBindings, { name }, { type: 'merge', patch }, { signal });
      return hashes;
    } catch (error) {
      // The konnector writes bindings too.
      if (tries === MAX_TRIES || !isConflict(error)) throw error;
    }
  }
}
