import type { KubeObject } from '@hawser/client';
import { annotations, fieldManager, hawserAnnotations, hawserPrefix, kubeBindDialect } from '@hawser/kube-bind';

/** Finalizer on consumer objects that may have a copy, in kube-bind. */
export const SYNCER_FINALIZER = kubeBindDialect.finalizer;
/** On a provider's copy, in kube-bind. */
export const CONSUMER_UID = annotations.consumerUID;

/** On the consumer's object, ours: uid of the provider's object that it was made after. */
export const ADOPTED_FROM = hawserAnnotations.adoptedFrom;
/** On the copy, ours: kind, namespace and name of the consumer object; see `objectMark`. */
export const CONSUMER_OBJECT = hawserAnnotations.consumerObject;
/** On the copy, ours: hash of the content that was wanted when it was last written. Tells fields left over from fields that the provider added. */
export const WANTED_HASH = hawserAnnotations.wantedHash;
/** On the copy, ours: hash of a wanted content that the provider changed as it was written; it is not written again. */
export const REWRITTEN_HASH = `${hawserPrefix}rewritten-hash`;
/** On the consumer's object, set by a person: let go of the finalizer although the copy is not proven gone. The value says why. */
export const RELEASE = hawserAnnotations.release;
/** On an object, a binding or a kubeconfig Secret, set by a person: write nothing. The value says why. */
export const PAUSED = hawserAnnotations.paused;
/** On an object or a binding, set by a person: try again at once. Each new value does it once. */
const RETRY_AT = hawserAnnotations.retryAt;

/** What the annotation of an object or a binding says; undefined: it is not there. */
export function retryAt({
  annotations,
}: {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}): string | undefined {
  return annotations?.[RETRY_AT];
}

/** Whether a person has just asked that this object be tried again. */
export function asksForRetry(before: KubeObject, now: KubeObject): boolean {
  const asked = retryAt(now.metadata);
  return asked !== undefined && asked !== retryAt(before.metadata);
}

/** Annotations of which each shows, in one dialect or another, that an object on a provider is somebody's copy. */
export const MARKS_OF_COPIES: readonly string[] = [
  annotations.clusterNamespace,
  annotations.consumerUID,
  'klutch.anynines.com/bound',
  'core.kbind.io/consumer-cluster-uid',
  'core.kbind.io/consumer-object-uid',
];

/** Field manager in kube-bind. */
export const FIELD_MANAGER = fieldManager;
/** Field managers in any dialect. */
export const FIELD_MANAGERS: ReadonlySet<string> = new Set([
  FIELD_MANAGER,
  'klutch.anynines.com',
  'kbind-konnector',
  'kbind-konnector-related',
]);
/** Managers whose fields on a copy come from the consumer: Hawser's and the Go konnectors' writes (`spec/konnector.md §3`). */
export const OUR_MANAGERS: ReadonlySet<string> = new Set([...FIELD_MANAGERS, 'konnector']);

const KEEPING_BOOKS: ReadonlySet<string> = new Set([
  'kubebind.io',
  'kube-bind.io',
  'klutch.anynines.com',
  'core.kbind.io',
  'kubectl.kubernetes.io',
  'hawser.dev',
]);

/** Annotations that stay on their side: bookkeeping of kube-bind in both generations, Klutch, kubectl and Hawser. */
export function isCarriedAnnotation(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return true;
  const domain = key.slice(0, slash);
  return !KEEPING_BOOKS.has(domain) && !domain.endsWith('.kube-bind.io') && !domain.endsWith('.klutch.anynines.com');
}
