import { GRANT_ON_CONSUMER, GRANT_ON_PROVIDER } from '@hawser/konnector-sync';
import { conditionTypes, getCondition } from '@hawser/kube-bind';
import type { Finding } from '@hawser/preview';
import type { BindingView } from './binding-view.js';
import { capital, wrong } from './examination-words.js';
import type { Examination } from './examination.js';
import type { SideRights } from './explain-rights.js';

export const lacks = ({ roles, refusal }: SideRights): boolean =>
  refusal === undefined && roles.some(({ missing }) => missing.length > 0);

/** The provider's report on rights that it could not grant. */
export function ungrantedBy({ export: exported }: BindingView): { readonly reason?: string | undefined } | undefined {
  const granted = getCondition(exported?.status?.conditions, conditionTypes.rightsGranted);
  return granted?.status === 'False' ? granted : undefined;
}

/** `cause`: the provider's own reason, with the remedy. `lack`: what does not work. */
export function rightsOf(
  { side, server, who, roles, refusal }: SideRights,
  cause: string | undefined,
  lack: Finding | undefined,
): Examination {
  const subject = server === undefined ? side : `${side} ${server}`;
  if (refusal !== undefined) return { area: 'rights', subject, state: 'unknown', message: refusal };
  // Several bindings need the same.
  const missing = new Set(
    roles.flatMap((role) =>
      role.missing.map(
        ({ verbs, apiGroups = [], resources: kinds = [] }) =>
          `${verbs.join(',')} ${kinds.join(',')}${apiGroups.join('') === '' ? '' : `.${apiGroups.join(',')}`}${role.namespace === undefined ? '' : ` in ${role.namespace}`}`,
      ),
    ),
  );
  if (missing.size === 0)
    return { area: 'rights', subject, state: 'ok', message: `${capital(who)} may do all that is needed.` };
  const message = `${capital(who)} may not: ${[...missing].join('; ')}.`;
  // Reports each cause once.
  if (cause !== undefined)
    return {
      area: 'rights',
      subject,
      state: 'unknown',
      message: `${message} The provider says why: ${cause}, see below.`,
    };
  if (lack !== undefined) {
    const examination = wrong('rights', subject, lack);
    return { ...examination, message: `${examination.message} ${message}` };
  }
  return side === 'consumer'
    ? {
        area: 'rights',
        subject,
        state: 'failed',
        message,
        actor: 'operator',
        remedy: `grants it: ${GRANT_ON_CONSUMER}`,
      }
    : {
        area: 'rights',
        subject,
        state: 'failed',
        message,
        actor: 'provider',
        remedy: `grants it: ${GRANT_ON_PROVIDER}`,
      };
}
