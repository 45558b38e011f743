import { parseArgs } from 'node:util';
import { DemoError, messageOf } from './demo-error.js';

export const usage = `usage: npm run demo [-- options]
  --once            end after the last step: 0 if every step was seen on both sides, 1 with the reason otherwise
  --consumer FILE   kubeconfig of a cluster to use as the consumer; together with --provider
  --provider FILE   kubeconfig of a cluster to use as the provider
  --keep-logs       do not remove the logs of the processes at the end

Without clusters of yours, two control planes are started on this machine. On yours, the demo needs cluster-admin, refuses where kube-bind or
Hawser is installed already, and removes at the end what it created.`;

export interface DemoOptions {
  readonly once: boolean;
  readonly keepLogs: boolean;
  /** Kubeconfig files. Absent: control planes of its own. */
  readonly clusters: { readonly consumer: string; readonly provider: string } | undefined;
}

/** @throws DemoError `usage` */
export function readOptions(args: readonly string[]): DemoOptions | 'help' {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        once: { type: 'boolean', default: false },
        'keep-logs': { type: 'boolean', default: false },
        consumer: { type: 'string' },
        provider: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    const { consumer, provider } = values;
    if ((consumer === undefined) !== (provider === undefined)) throw new Error('--consumer and --provider belong together');
    return { once: values.once, keepLogs: values['keep-logs'], clusters: consumer === undefined || provider === undefined ? undefined : { consumer, provider } };
  } catch (error) {
    throw new DemoError('usage', `${messageOf(error)}\n${usage}`, { cause: error });
  }
}
