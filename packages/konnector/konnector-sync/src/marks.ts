import type { KubeObject } from '@hawser/client';
import { annotations, fieldManager, hawserAnnotations, kubeBindDialect } from '@hawser/kube-bind';

/** Finalizer on consumer objects that may have a copy, in kube-bind. */
export const SYNCER_FINALIZER = kubeBindDialect.finalizer;
/** Annotation on a provider's copy, in kube-bind. */
export const CONSUMER_UID = annotations.consumerUID;

/** Our annotation on a consumer object: uid of the provider's object that it was made from. */
export const ADOPTED_FROM = hawserAnnotations.adoptedFrom;
/** Our annotation on a copy: kind, namespace and name of the consumer object; see `objectMark`. */
export const CONSUMER_OBJECT = hawserAnnotations.consumerObject;
/**
 * Our annotation on a copy: hash of the content wanted at its last write. Separates leftover fields from fields that
 * the provider added.
 */
export const WANTED_HASH = hawserAnnotations.wantedHash;
/**
 * Our annotation on a copy: hash of a wanted content that the provider changed while storing it; it is not written
 * again.
 */
export const REWRITTEN_HASH = hawserAnnotations.rewrittenHash;
/**
 * Annotation on a consumer object, set by a person: remove the finalizer although the copy is not proven gone. The
 * value is the reason.
 */
export const RELEASE = hawserAnnotations.release;
/**
 * Annotation on an object, a binding or a kubeconfig Secret, set by a person: write nothing. The value is the reason.
 */
export const PAUSED = hawserAnnotations.paused;
/** Annotation on an object or a binding, set by a person: retry at once. Each new value does it once. */
const RETRY_AT = hawserAnnotations.retryAt;

/** The retry annotation of an object or a binding; undefined: absent. */
export function retryAt({
  annotations,
}: {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}): string | undefined {
  return annotations?.[RETRY_AT];
}

/** Whether a person has just requested a retry of this object. */
export function asksForRetry(before: KubeObject, now: KubeObject): boolean {
  const asked = retryAt(now.metadata);
  return asked !== undefined && asked !== retryAt(before.metadata);
}

/** Annotations that mark an object on a provider as a copy, in any dialect. */
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
/** Managers whose fields on a copy come from the consumer: Hawser's and the Go konnectors' (`spec/konnector.md §3`). */
export const OUR_MANAGERS: ReadonlySet<string> = new Set([...FIELD_MANAGERS, 'konnector']);

const BOOKKEEPING_DOMAINS: ReadonlySet<string> = new Set([
  'kubebind.io',
  'kube-bind.io',
  'klutch.anynines.com',
  'core.kbind.io',
  'kubectl.kubernetes.io',
  'hawser.dev',
]);

/**
 * Whether an annotation is carried to the other side. Bookkeeping of kube-bind in both generations, Klutch, kubectl and
 * Hawser is not.
 */
export function isCarriedAnnotation(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return true;
  const domain = key.slice(0, slash);
  return (
    !BOOKKEEPING_DOMAINS.has(domain) && !domain.endsWith('.kube-bind.io') && !domain.endsWith('.klutch.anynines.com')
  );
}
