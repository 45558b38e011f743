import { annotations, cleanupFinalizer, labels } from '@hawser/syncagent-api';

// Names of the wire contract, as this package uses them (`spec/api-syncagent.md §2.11`).
export const CLEANUP_FINALIZER = cleanupFinalizer;
export const AGENT_NAME = labels.agentName;
export const NAME_HASH = labels.remoteNameHash;

/** Whether a label or annotation identifies the source of a copy. */
export function isIdentity(key: string): boolean {
  return identity.has(key);
}

const identity: ReadonlySet<string> = new Set([
  labels.remoteCluster,
  labels.remoteNameHash,
  labels.remoteNamespaceHash,
  annotations.remoteName,
  annotations.remoteNamespace,
]);

/** On an adopted copy that does not agree with its object yet. Value: `pending`. */
export const ADOPTED = 'hawser.dev/adopted';
/** On an object in kcp: release it without its copy. Value: the reason. */
export const RELEASE = 'hawser.dev/release';
/** On a Namespace: the agent that created it, and removes it when it is empty. */
export const CREATED_BY = 'hawser.dev/created-by';
/**
 * On a copy made by us: its PublishedResource. Two of them may publish one kind as two kinds of kcp, and the contract's
 * marks do not separate those.
 */
export const PUBLISHED_BY = 'hawser.dev/published-by';
/** On a copy written by us: its own `namespace/name`. Marks on a clone or child do not match it. */
export const PLACE = 'hawser.dev/place';
/** On a state Secret: the agent that wrote it first. */
export const STATE_OF = 'hawser.dev/agent';
/**
 * On a state Secret: path of the object's workspace, a space, and {@link endpointId} of the virtual workspace that
 * showed it.
 */
export const STATE_WORKSPACE = 'hawser.dev/workspace';
