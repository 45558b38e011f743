import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import { kubeBindDialect } from '@hawser/kube-bind';

import { waitForCopyToGo } from './decide-termination.js';
import type { Decision } from './decision.js';
import { hasFinalizer } from './finalizer.js';
import { RELEASE } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { belongingOf, isMadeByKonnector, isOfFormer, namesCluster } from './ownership.js';
import { held, progressing, waiting } from './verdicts.js';

/** The order here is the promise: what a deletion on the consumer may and may not cause on the provider. */
export function decideDeletion(observed: Observed, consumer: UnstructuredObject, settings: PairSettings): Decision {
  if (!hasFinalizer(consumer, settings.dialect)) return waiting('copyToGo');
  const release = (): Decision => ({ actions: [{ type: 'removeFinalizer', consumer }], verdict: progressing('write') });
  const reason = consumer.metadata.annotations?.[RELEASE];
  if (reason !== undefined && reason !== '') return release();

  const proof = observed.deletionProof;
  if (proof === undefined) return { actions: [{ type: 'proveDeletion' }], verdict: progressing('deletionProof') };
  switch (proof.kind) {
    case 'unbinding':
    case 'crdForeign':
      return release();
    case 'crdTerminating':
      return held(
        'CustomResourceDefinitionTerminating',
        `The CustomResourceDefinition is being deleted, which deletes this object; that is not passed on to the provider. Delete the APIServiceBinding to let go of its objects, or annotate this one with "${RELEASE}: <reason>".`,
        'consumer',
      );
    case 'byUser':
      return decideUserDeletion(observed, consumer, settings, release);
  }
}

function decideUserDeletion(observed: Observed, consumer: UnstructuredObject, settings: PairSettings, release: () => Decision): Decision {
  const { placement, copy, memory } = observed;
  const gone = memory.copyGone;
  if (placement.kind === 'impossible') return release();
  const key = placement.kind === 'placed' ? placement.key : lastKnownKey(consumer, settings);
  if (key === undefined) {
    return held(
      'CopyUnknown',
      `The provider no longer says which namespace stands for "${consumer.metadata.namespace ?? ''}", so it cannot be shown that the copy is gone. Have the provider restore its APIServiceNamespace, or annotate this object with "${RELEASE}: <reason>".`,
      'provider',
    );
  }
  if (placement.kind === 'placed' && !observed.copyCacheReady) return waiting('cache');
  if (copy === undefined || copy.metadata.uid === gone) {
    return gone === undefined ? { actions: [{ type: 'confirmGone', key }], verdict: progressing('copyToGo') } : release();
  }
  const belonging = belongingOf(copy, observed, settings);
  if (belonging.kind === 'foreign') return release();
  // A former object of that name may have been another cluster's, where the copy does not say which: it stays, and is told as an orphan.
  if (isOfFormer(copy, consumer, settings) && !namesCluster(copy)) return release();
  if (copy.metadata.deletionTimestamp !== undefined) return waitForCopyToGo(observed, copy, settings, `This object goes by itself once the copy is gone; annotated with "${RELEASE}: <reason>" it does not wait.`);
  const isProven = isMadeByKonnector(copy, belonging.isNamed, memory);
  if (isProven === undefined) return { actions: [{ type: 'inspectMaker', copy }], verdict: progressing('copyToGo') };
  // It only stands where the copy would be, with marks that it may have from another object.
  if (!isProven) return release();
  return { actions: [{ type: 'deleteCopy', copy }], verdict: progressing('copyToGo') };
}

/** Where the copy was when the consumer was last told (`spec/konnector.md §9.2`), for when the namespace map has lost it. */
function lastKnownKey(consumer: UnstructuredObject, settings: PairSettings): ObjectKey | undefined {
  const { copyAt } = (settings.dialect ?? kubeBindDialect).marks;
  const namespace = copyAt === undefined ? undefined : consumer.metadata.annotations?.[copyAt.namespace];
  if (settings.isolation !== 'ServiceNamespace' || namespace === undefined || namespace === '') return undefined;
  return { namespace, name: consumer.metadata.name };
}
