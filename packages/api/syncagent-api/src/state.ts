import { canonical } from '@hawser/json';
import { sha1Hex, sha1Short } from './hash/sha1.js';
import { labels } from './metadata.js';
import { identityLabels, type RemoteIdentity } from './remote-identity.js';

// Names and keys of an agent's stored state (spec/api-syncagent.md §11.2).

/** The published object in kcp that a state Secret belongs to. */
export interface StateSubject extends RemoteIdentity {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Name of the Secret, in the agent's namespace, that keeps the last known state of a published object and of its related ones. */
export function stateSecretName({ cluster, apiVersion, kind, name, namespace }: StateSubject): string {
  return `obj-state-${cluster}-${sha1Short(`${canonical({ apiVersion, kind, name, namespace: namespace ?? '' })}\n`)}`;
}

/** Labels of that Secret; all others are removed at each write. */
export function stateSecretLabels(identity: RemoteIdentity): Readonly<Record<string, string>> {
  return { ...identityLabels(identity), [labels.objectState]: 'true' };
}

/**
 * Key of one object in that Secret. `cluster` is empty for an object that lives on the service cluster. Objects of different kinds with the same
 * namespace and name have the same key.
 */
export function stateKey({ cluster, namespace, name }: RemoteIdentity): string {
  const fields = { ClusterName: cluster, WorkspacePath: '', Namespace: namespace ?? '', Name: name };
  return sha1Hex(`${canonical(fields, { sortKeys: false })}\n`);
}
