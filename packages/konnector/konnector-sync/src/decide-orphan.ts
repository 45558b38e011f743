import type { UnstructuredObject } from '@hawser/client';

import { defaultPolicy } from './binding-policy.js';
import { waitForCopyToGo } from './decide-termination.js';
import type { Decision } from './decision.js';
import { controllerInWords } from './decide-foreign.js';
import type { DeletionProof, Observed, PairSettings } from './observed.js';
import { type Belonging, isMadeByKonnector } from './ownership.js';
import { describe, progressing } from './verdicts.js';

const DEFAULT_ORPHAN_GRACE_MS = 60_000;

/**
 * Decides about a copy without a consumer object: keep it. Delete it only if its object is known to have slipped away,
 * or if the operator wants orphans deleted and all is proven.
 */
export function decideOrphan(
  observed: Observed,
  copy: UnstructuredObject,
  belonging: Belonging,
  settings: PairSettings,
): Decision {
  const { memory } = observed;
  const spared = (why: string): Decision =>
    kept(
      copy,
      `It is kept in spite of the orphan policy: ${why}. Recreate the consumer object to use it again, or delete it on the provider.`,
    );
  if (belonging.kind === 'foreign') {
    return kept(
      copy,
      belonging.owner.kind === 'controller'
        ? `It is kept: on the provider it ${controllerInWords(belonging.owner.controller)}, which decides what becomes of it.`
        : 'It is kept: it is not ours.',
    );
  }
  const isMade = isMadeByKonnector(copy, belonging.isNamed, memory);
  const slipped =
    memory.slippedAway !== undefined &&
    memory.slippedAway === copy.metadata.annotations?.[settings.dialect.marks.consumerUID];
  if (slipped && isMade !== false) {
    const slip = decideSlip(observed, copy, isMade === true, settings);
    if (slip !== undefined) return slip;
  }
  const { orphans } = settings.policy ?? defaultPolicy;
  if (orphans === 'Keep')
    return kept(copy, 'It is kept; recreate the consumer object to use it again, or delete it on the provider.');
  const obstacle = whyNeverDeleted(copy, settings);
  if (obstacle !== undefined) return spared(obstacle);
  if (copy.metadata.deletionTimestamp !== undefined)
    return waitForCopyToGo(observed, copy, settings, 'The consumer object is gone already.');
  if (isMade === undefined) return { actions: [{ type: 'inspectMaker', copy }], verdict: progressing('copyToGo') };
  if (!isMade)
    return spared('it does not name its object, and according to its managedFields no konnector has made it');
  return decideOrphanDeletion(observed, copy, settings);
}

/** The finalizer did not hold the object, so its copy is deleted afterwards, on the same proof. */
function decideSlip(
  observed: Observed,
  copy: UnstructuredObject,
  isMade: boolean,
  settings: PairSettings,
): Decision | undefined {
  const { consumerKey, deletionProof } = observed;
  const proven = isUserDeletion(deletionProof);
  if (proven === undefined)
    return { actions: [{ type: 'proveGone', key: consumerKey }], verdict: progressing('deletionProof') };
  if (!proven) return undefined;
  if (copy.metadata.deletionTimestamp !== undefined)
    return waitForCopyToGo(observed, copy, settings, 'The consumer object is gone already.');
  if (!isMade) return { actions: [{ type: 'inspectMaker', copy }], verdict: progressing('copyToGo') };
  return { actions: [{ type: 'deleteCopy', copy }], verdict: progressing('copyToGo') };
}

/** Reasons that no proof outweighs. */
function whyNeverDeleted(
  { metadata }: UnstructuredObject,
  { consumerCluster, dialect, boundSince = 0 }: PairSettings,
): string | undefined {
  const mark = dialect.marks.consumerCluster;
  const recorded = metadata.annotations?.[mark] ?? '';
  if (recorded === '') return `it does not say which consumer cluster it belongs to (annotation ${mark})`;
  if (recorded !== consumerCluster) return `its annotation ${mark} names another consumer cluster`;
  // Unbinding leaves copies behind on purpose, and binding again finds them.
  const made = Date.parse(metadata.creationTimestamp ?? '');
  return made >= boundSince ? undefined : 'it is older than the binding, so an earlier one may have left it';
}

function decideOrphanDeletion(
  { consumerKey, deletionProof, memory, now, orphanDeletion }: Observed,
  copy: UnstructuredObject,
  settings: PairSettings,
): Decision {
  const left = (memory.orphanedSince ?? now) + (settings.orphanGraceMs ?? DEFAULT_ORPHAN_GRACE_MS) - now;
  if (left > 0 || orphanDeletion === undefined) {
    return {
      ...kept(copy, 'It is deleted soon, as the orphan policy says, unless the consumer object is back by then.', true),
      requeueAfterMs: Math.max(0, left),
    };
  }
  if (orphanDeletion === 'held')
    return kept(copy, 'There are too many of these to delete them; see condition DeletionsHeld of the binding.', true);
  const proven = isUserDeletion(deletionProof);
  if (proven === undefined)
    return { actions: [{ type: 'proveGone', key: consumerKey }], verdict: progressing('deletionProof') };
  if (!proven)
    return kept(
      copy,
      'It is kept: binding or CustomResourceDefinition do not stand, so nothing shows that the object was deleted.',
    );
  return { actions: [{ type: 'deleteCopy', copy }], verdict: progressing('copyToGo') };
}

/** Whether it is proven that a user deleted the object and that it is gone; undefined: not checked yet. */
function isUserDeletion(proof: DeletionProof | undefined): boolean | undefined {
  if (proof === undefined || (proof.kind === 'byUser' && proof.objectGone !== true)) return undefined;
  return proof.kind === 'byUser';
}

function kept(copy: UnstructuredObject, outlook: string, mayGo = false): Decision {
  const message = `The provider still holds ${describe(copy)} although the consumer object is gone. ${outlook}`;
  return { actions: [], verdict: { kind: 'orphan', message, ...(mayGo ? { mayGo } : {}) } };
}
