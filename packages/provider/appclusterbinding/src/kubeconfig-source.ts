import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import type { AppClusterBinding } from '@hawser/klutch';
import { allowedNamespacesAnnotation } from './marks.js';
import type { Source } from './observed.js';
import type { Problem } from './problem.js';

export type ReadSource =
  /** `data`: base64, never to be logged. `version`: changes with the Secret. */
  | { readonly ok: true; readonly data: string; readonly version: string }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Reads the app cluster's kubeconfig if the AppClusterBinding may use that Secret and the kubeconfig is safe. A Secret
 * of another namespace must allow it: otherwise anyone who can create AppClusterBindings could have any Secret copied
 * to a place where their program reads it. Never reveals whether such a Secret exists.
 */
export function readSource({ metadata, spec }: AppClusterBinding, source: Source): ReadSource {
  const { name, namespace, key } = spec.kubeconfigSecretRef;
  const secret = `${namespace}/${name}`;
  const refused = (problem: Problem): ReadSource => ({ ok: false, problem });
  const own = metadata.namespace ?? '';
  if (namespace !== own && !isAllowed(source, own))
    return refused({ kind: 'secretNotAllowed', secret, namespace: own, annotation: allowedNamespacesAnnotation });
  switch (source.kind) {
    case 'absent':
      return refused({ kind: 'secretNotFound', secret });
    case 'forbidden':
      return refused({ kind: 'secretUnreadable', secret });
    case 'found':
      break;
  }
  const found = source.secret.data ?? {};
  const data = Object.hasOwn(found, key) ? (found[key] ?? '') : '';
  if (data === '') return refused({ kind: 'secretKeyMissing', secret, key });
  const parsed = parseSecretKubeconfig(Buffer.from(data, 'base64'));
  // The kubeconfig does not decide where objects go on the control plane.
  const problems = parsed.ok ? [] : parsed.problems.filter(({ code }) => code !== 'NamespaceMissing');
  if (problems.length > 0)
    return refused({ kind: 'kubeconfigInvalid', secret, messages: problems.map(({ message }) => message) });
  return { ok: true, data, version: source.secret.metadata.resourceVersion ?? '' };
}

function isAllowed(source: Source, namespace: string): boolean {
  if (source.kind !== 'found') return false;
  return (source.secret.metadata.annotations?.[allowedNamespacesAnnotation] ?? '')
    .split(',')
    .some((one) => one.trim() === namespace);
}
