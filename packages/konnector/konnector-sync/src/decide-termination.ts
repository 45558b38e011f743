import type { UnstructuredObject } from '@hawser/client';

import type { Decision } from './decision.js';
import type { Observed, PairSettings } from './observed.js';
import { describe, waiting } from './verdicts.js';

const DEFAULT_TERMINATION_GRACE_MS = 300_000;

/**
 * Waits for a copy that only its finalizers keep: their owners must remove them, Hawser never does. Reports a long wait
 * once, with the finalizers. `outlook`: the consequence for the consumer, as a sentence.
 */
export function waitForCopyToGo(
  { now, wallNow = now }: Observed,
  copy: UnstructuredObject,
  settings: PairSettings,
  outlook: string,
): Decision {
  const { deletionTimestamp = '', finalizers = [] } = copy.metadata;
  const since = Date.parse(deletionTimestamp);
  if (Number.isNaN(since)) return waiting('copyToGo');
  const graceMs = settings.terminationGraceMs ?? DEFAULT_TERMINATION_GRACE_MS;
  const leftMs = since + graceMs - wallNow;
  // The provider's clock may be far ahead.
  if (leftMs > 0) return { ...waiting('copyToGo'), requeueAfterMs: Math.min(leftMs, graceMs) };
  const holding =
    finalizers.length === 0
      ? 'and does not go'
      : `and is held by ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${finalizers.map((finalizer) => `"${finalizer}"`).join(', ')}`;
  const message = `On the provider, ${describe(copy)} has been terminating since ${deletionTimestamp}, ${holding}. The provider has to see why ${finalizers.length === 0 ? 'that is' : 'nothing removes that'}. ${outlook}`;
  return {
    actions: [],
    verdict: {
      kind: 'progressing',
      waitingFor: 'copyToGo',
      overdue: { reason: 'CopyTerminating', message, actor: 'provider' },
    },
  };
}
