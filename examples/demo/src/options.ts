import { parseArgs } from 'node:util';
import { DemoError, messageOf } from './demo-error.js';

export const usage = `usage: npm run demo [-- [syncagent | schema | portal | gateway | v2] [options]]
  syncagent         instead: an API of a service cluster, used in three workspaces of a kcp; both inside the demo, or given
  schema            instead: a CRD that is changed on the provider, and what becomes of it at two consumers; all inside the demo
  portal            instead: people sign in on the pages of a provider and bind an API in a browser; all inside the demo
  gateway           instead: two consumers of a cluster-scoped API, each of which sees its own objects; all inside the demo
  v2                instead: an API that is bound in the words of core.kbind.io, by a Connection and a ClusterBinding; all inside the demo
  --once            end after the last step: 0 if every step was seen on both sides, 1 with the reason otherwise
  --real            on two control planes of kube-apiserver and etcd, which are started here
  --consumer FILE   kubeconfig of a cluster to use as the consumer; together with --provider
  --provider FILE   kubeconfig of a cluster to use as the provider
  --kcp FILE        of the syncagent: kubeconfig of a kcp to use, below the workspace of its server; together with --service
  --service FILE    kubeconfig of a cluster to use as the service cluster
  --keep-logs       show the logs of the processes at the end

By default, the two clusters are API servers inside the demo: nothing but Node is needed. On clusters of yours, the demo needs cluster-admin, refuses
where kube-bind or Hawser is installed already, and removes at the end what it created.`;

/**
 * The two clusters: API servers inside the demo, control planes that it starts, or existing ones, by kubeconfig files.
 */
export type Clusters =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'real' }
  | { readonly kind: 'given'; readonly consumer: string; readonly provider: string }
  | { readonly kind: 'givenKcp'; readonly kcp: string; readonly service: string };

const plays = ['konnector', 'syncagent', 'schema', 'portal', 'gateway', 'v2'] as const;

export interface DemoOptions {
  /**
   * The play: an API bound from one cluster to another, published into kcp, changed, bound in a browser, shown to each
   * consumer separately, or bound through core.kbind.io.
   */
  readonly play: (typeof plays)[number];
  readonly once: boolean;
  readonly keepLogs: boolean;
  readonly clusters: Clusters;
}

/** @throws DemoError `usage` */
export function readOptions(args: readonly string[]): DemoOptions | 'help' {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        once: { type: 'boolean', default: false },
        real: { type: 'boolean', default: false },
        'keep-logs': { type: 'boolean', default: false },
        consumer: { type: 'string' },
        provider: { type: 'string' },
        kcp: { type: 'string' },
        service: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    const [named = 'konnector', ...more] = positionals;
    const play = plays.find((known) => known === named);
    if (play === undefined || more.length > 0) throw new Error(`there is no demo ${positionals.join(' ')}`);
    const clusters = clustersOf(values);
    if (play === 'syncagent' && clusters.kind !== 'embedded' && clusters.kind !== 'givenKcp')
      throw new Error('the demo of the syncagent runs on the servers inside it, or on those of --kcp and --service');
    if (play !== 'konnector' && play !== 'syncagent' && clusters.kind !== 'embedded')
      throw new Error(`the demo ${play} runs on the servers inside it`);
    if (play === 'konnector' && clusters.kind === 'givenKcp')
      throw new Error('--kcp and --service are for the demo of the syncagent');
    return { play, once: values.once, keepLogs: values['keep-logs'], clusters };
  } catch (error) {
    throw new DemoError('usage', `${messageOf(error)}\n${usage}`, { cause: error });
  }
}

interface Given {
  readonly real: boolean;
  readonly consumer?: string | undefined;
  readonly provider?: string | undefined;
  readonly kcp?: string | undefined;
  readonly service?: string | undefined;
}

function clustersOf({ real, consumer, provider, kcp, service }: Given): Clusters {
  if ((kcp === undefined) !== (service === undefined)) throw new Error('--kcp and --service belong together');
  if (kcp !== undefined && service !== undefined) {
    if (real || consumer !== undefined || provider !== undefined)
      throw new Error('--kcp and --service say which clusters are used: give nothing else that does');
    return { kind: 'givenKcp', kcp, service };
  }
  if ((consumer === undefined) !== (provider === undefined))
    throw new Error('--consumer and --provider belong together');
  if (consumer === undefined || provider === undefined) return { kind: real ? 'real' : 'embedded' };
  if (real)
    throw new Error(
      '--real starts control planes, --consumer and --provider name clusters that are there: give one or the other',
    );
  return { kind: 'given', consumer, provider };
}
