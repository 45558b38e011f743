import { type Task, consumerFlags, withConsumer } from '@hawser/commands';
import { type CommandDescription, ConfigError, helpOf, parseFlags } from '@hawser/config';
import { identityOf } from './consumer.js';

/** Help text of the command. */
export const identityCommand: CommandDescription = {
  name: 'cluster-identity',
  about: 'Prints who this cluster is for a provider: the uid of a namespace. It is not secret, and proves nothing.',
  usage: ['kubectl bind cluster-identity [flags]'],
  examples: [
    { purpose: 'who is this cluster?', line: 'kubectl bind cluster-identity' },
    {
      purpose: 'in a workspace of kcp, which has no kube-system',
      line: 'kubectl bind cluster-identity --namespace default',
    },
  ],
  flags: [
    { name: 'namespace', short: 'n', kind: 'string', help: 'namespace whose uid it is', default: 'kube-system' },
    ...consumerFlags.filter(({ name }) => !name.startsWith('lease') && name !== 'dialect'),
  ],
};

/** Reads the flags of `kubectl bind cluster-identity`. */
export function readIdentity(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, identityCommand.flags);
  if (parsed.values.get('help') === 'true') return helpOf(identityCommand);
  if (parsed.positional[0] !== undefined) throw new ConfigError(`unexpected argument: ${parsed.positional[0]}`);
  const namespace = parsed.values.get('namespace') ?? 'kube-system';
  return (terminal) =>
    withConsumer(
      parsed,
      terminal,
      async (command) => {
        const values = new Map([['cluster-identity-namespace', namespace]]);
        terminal.out(await identityOf(command, { values, positional: [] }, terminal.signal));
        return 0;
      },
      'kube-bind',
    );
}
