import { parseArgs } from 'node:util';
import { DemoError, messageOf } from './demo-error.js';

export const usage = `usage: npm run demo [-- options]
  --once            end after the last step: 0 if every step was seen on both sides, 1 with the reason otherwise
  --real            on two control planes of kube-apiserver and etcd, which are started here
  --consumer FILE   kubeconfig of a cluster to use as the consumer; together with --provider
  --provider FILE   kubeconfig of a cluster to use as the provider
  --keep-logs       show the logs of the processes at the end

By default, the two clusters are API servers inside the demo: nothing but Node is needed. On clusters of yours, the demo needs cluster-admin, refuses
where kube-bind or Hawser is installed already, and removes at the end what it created.`;

/** Which two clusters are used: API servers inside the demo, control planes that it starts, or somebody's, by their kubeconfig files. */
export type Clusters =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'real' }
  | { readonly kind: 'given'; readonly consumer: string; readonly provider: string };

export interface DemoOptions {
  readonly once: boolean;
  readonly keepLogs: boolean;
  readonly clusters: Clusters;
}

/** @throws DemoError `usage` */
export function readOptions(args: readonly string[]): DemoOptions | 'help' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        once: { type: 'boolean', default: false },
        real: { type: 'boolean', default: false },
        'keep-logs': { type: 'boolean', default: false },
        consumer: { type: 'string' },
        provider: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    return { once: values.once, keepLogs: values['keep-logs'], clusters: clustersOf(values) };
  } catch (error) {
    throw new DemoError('usage', `${messageOf(error)}\n${usage}`, { cause: error });
  }
}

function clustersOf({ real, consumer, provider }: { readonly real: boolean; readonly consumer?: string | undefined; readonly provider?: string | undefined }): Clusters {
  if ((consumer === undefined) !== (provider === undefined)) throw new Error('--consumer and --provider belong together');
  if (consumer === undefined || provider === undefined) return { kind: real ? 'real' : 'embedded' };
  if (real) throw new Error('--real starts control planes, --consumer and --provider name clusters that are there: give one or the other');
  return { kind: 'given', consumer, provider };
}
