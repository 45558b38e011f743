/** Names that are part of the wire contract (`spec/api-syncagent.md §2.11`), and those of Hawser's own. */
export const CLEANUP_FINALIZER = 'syncagent.kcp.io/cleanup';
export const AGENT_NAME = 'syncagent.kcp.io/agent-name';
export const REMOTE_PREFIX = 'syncagent.kcp.io/remote-object-';
export const NAME_HASH = `${REMOTE_PREFIX}name-hash`;
/** On a copy that was adopted and does not agree with its object yet. Value: `pending`. */
export const ADOPTED = 'hawser.dev/adopted';
/** On an object in kcp: let go of it without its copy. Value: why. */
export const RELEASE = 'hawser.dev/release';
/** On a Namespace: the agent that made it, and removes it when it is empty. */
export const CREATED_BY = 'hawser.dev/created-by';
/** On a PublishedResource: `refuse`, `adopt` or `overwrite`. */
export const ADOPTION = 'hawser.dev/adoption';

/** Keys of labels and annotations that belong to kcp or the agent on its own side, and never travel. */
export function isReserved(key: string): boolean {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  return domain === 'kcp.io' || domain.endsWith('.kcp.io') || key === ADOPTED || key === RELEASE;
}
