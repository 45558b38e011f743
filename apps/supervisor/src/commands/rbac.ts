import { explainRights, rbacText } from '@hawser/konnector-explain';
import { fixedNames } from '@hawser/kube-bind';

import { ConfigError } from '../config.js';
import type { Flag } from '../flags.js';
import { explainFlags, explaining, readExplainFlags } from './explain-command.js';
import type { Task } from './task.js';

const ABOUT = `Prints the rights that the konnector needs on the consumer and on each provider, as Roles and ClusterRoles that kubectl takes, and how that differs
from what is there: of the konnector's ServiceAccount, or of the user of the kubeconfig. 0: nothing is missing.`;

const flags: readonly Flag[] = [
  ...explainFlags,
  { name: 'service-account', kind: 'string', help: 'NAMESPACE/NAME of the konnector on the consumer, whose roles are read; empty: the user of the kubeconfig' },
];

/** Reads the flags of `hawser rbac`. */
export function readRbac(args: readonly string[]): Task | string {
  const parsed = readExplainFlags({ usage: 'rbac [flags]', about: ABOUT, flags, positional: 0 }, args);
  if (typeof parsed === 'string') return parsed;
  const given = parsed.values.get('service-account');
  const serviceAccount = given === undefined ? undefined : readAccount(given);
  return (terminal) => explaining(parsed, terminal, async ({ context, binding }) => {
    const sides = await explainRights(context, { binding, serviceAccount, namespace: serviceAccount?.namespace ?? fixedNames.konnectorNamespace });
    terminal.out(rbacText(sides));
    return sides.every(({ roles, refusal }) => refusal === undefined && roles.every(({ missing }) => missing.length === 0)) ? 0 : 1;
  });
}

/** @throws ConfigError for what is no NAMESPACE/NAME */
export function readAccount(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = '', more] = text.split('/');
  if (namespace === '' || name === '' || more !== undefined) throw new ConfigError(`--service-account: must be NAMESPACE/NAME, not "${text}"`);
  return { namespace, name };
}
