import type { Rules } from '@hawser/syncagent-sync';
import { SECRETS } from './whole-agent.js';

type Rule = Rules['related'][number];

/** Relates the Secret named by `spec.image`, beside its CronTab on either side. `origin`: side of the original. */
export function secretByImage(origin: Rule['origin'] = 'kcp', more: Partial<Rule> = {}): Rule {
  return {
    identifier: 'credentials',
    origin,
    cleanup: false,
    syncStatus: false,
    mutations: undefined,
    resources: { kcp: SECRETS, service: SECRETS },
    async resolve({ kcp, service }, readers) {
      const { image: name } = kcp['spec'] as { readonly image?: string };
      const [from, to] = (origin === 'kcp' ? [kcp, service] : [service, kcp]).map(
        ({ metadata: { namespace } }) => namespace,
      );
      const object = name === undefined ? undefined : await readers.get(SECRETS, { namespace: from, name });
      return object === undefined || name === undefined
        ? []
        : [{ origin: { namespace: from, name, object }, destination: { namespace: to, name } }];
    },
    ...more,
  };
}
