import { annotations, fieldManager, finalizers, hawserAnnotations, hawserPrefix } from '@hawser/kube-bind';

/** Finalizer on consumer objects that may have a copy. */
export const SYNCER_FINALIZER = finalizers.syncer;

/** On the provider's copy: who owns it. */
export const CLUSTER_NAMESPACE = annotations.clusterNamespace;
export const CONSUMER_NAMESPACE = annotations.consumerNamespace;
export const CONSUMER_UID = annotations.consumerUID;

/** On the consumer's object: where its copy is. */
export const PROVIDER_NAMESPACE = annotations.providerNamespace;
export const PROVIDER_UID = annotations.providerUID;

/** On the copy, ours: uid of the consumer cluster that it belongs to. */
export const CONSUMER_CLUSTER = hawserAnnotations.consumerIdentity;
/** On the copy, ours: hash of the content that was wanted when it was last written. Tells fields left over from fields that the provider added. */
export const WANTED_HASH = hawserAnnotations.wantedHash;
/** On the copy, ours: hash of a wanted content that the provider changed as it was written; it is not written again. */
export const REWRITTEN_HASH = `${hawserPrefix}rewritten-hash`;
/** On the consumer's object, set by a person: let go of the finalizer although the copy is not proven gone. The value says why. */
export const RELEASE = hawserAnnotations.release;
/** On an object, a binding or a kubeconfig Secret, set by a person: write nothing. The value says why. */
export const PAUSED = hawserAnnotations.paused;

/** Managers whose fields on a copy come from the consumer: Hawser's and the Go konnector's writes (`spec/konnector.md §3`). */
export const FIELD_MANAGER = fieldManager;
export const OUR_MANAGERS: ReadonlySet<string> = new Set([FIELD_MANAGER, 'konnector']);

/** Annotations that stay on their side: bookkeeping of kube-bind, kubectl and Hawser. */
export function isCarriedAnnotation(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return true;
  const domain = key.slice(0, slash);
  return domain !== 'kubebind.io' && domain !== 'kube-bind.io' && !domain.endsWith('.kube-bind.io') && domain !== 'kubectl.kubernetes.io' && domain !== 'hawser.dev';
}
