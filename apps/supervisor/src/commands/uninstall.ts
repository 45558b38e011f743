import { readCoreKbindStanding } from '@hawser/bind';
import { type Check, checksOf, planUninstall, takeInventory, uninstall } from '@hawser/unbinding';

import { clusterOf } from '../cluster-of.js';
import type { CommandDescription, Flag } from '@hawser/config';
import { createKonnectorRole } from '../konnector-role.js';
import {
  askedAnyDialect,
  bindingDialectFlag,
  type ConsumerCommand,
  consumerFlags,
  readCommandFlags,
  readTimeout,
  uninstallCoreKbind,
  withConsumer,
  type Task,
  type Terminal,
} from '@hawser/commands';

const ABOUT = `Takes everything of kube-bind, or of Klutch, off a consumer cluster: bindings by their unbind policy, CRDs of bound APIs with their objects, finalizers, kubeconfig
Secrets, records, the Lease and the CRDs of bindings; and looks afterwards whether anything is left. Works with and without a konnector; remove its
Deployment first (helm uninstall), or run this once more afterwards.
Of core.kbind.io, with --dialect core-kbind: ClusterBindings and Bindings by their unbind policy, Connections, and their Secrets. The konnector does that, so leave it running until then; it keeps what it did not install.`;

const uninstallDialectFlag: Flag = {
  ...bindingDialectFlag,
  help: 'in which words: kube-bind, klutch, or core-kbind for core.kbind.io; auto: kube-bind or klutch, whichever is bound on the consumer, or can be',
};

const flags: readonly Flag[] = [
  ...consumerFlags.filter(({ name }) => name !== 'dialect'),
  uninstallDialectFlag,
  { name: 'yes', short: 'y', kind: 'boolean', help: 'do not ask' },
  { name: 'dry-run', kind: 'boolean', help: 'print what would be done, and do nothing' },
  { name: 'keep-secrets', kind: 'boolean', help: 'leave the kubeconfig Secrets where they are' },
  {
    name: 'release',
    kind: 'string',
    help: 'let go of bindings that cannot go under their policy, for this reason; what is orphaned is printed',
  },
  { name: 'timeout', kind: 'string', help: 'how long bindings may take to go', default: '5m' },
];

/** Help text of the command. */
export const uninstallCommand: CommandDescription = {
  name: 'uninstall',
  about: ABOUT,
  usage: ['hawser uninstall [flags]'],
  examples: [
    { purpose: 'what would be taken away?', line: 'hawser uninstall --dry-run' },
    {
      purpose: 'do it without a question, and leave the kubeconfig Secrets',
      line: 'hawser uninstall --yes --keep-secrets',
    },
    { purpose: 'everything of core.kbind.io', line: 'hawser uninstall --dialect core-kbind --dry-run' },
    {
      purpose: 'the provider is gone for good',
      line: 'hawser uninstall --release "the provider has ended its service"',
    },
  ],
  flags,
};

/** Reads the flags of `hawser uninstall`. */
export function readUninstall(args: readonly string[]): Task | string {
  const parsed = readCommandFlags(uninstallCommand, args);
  if (typeof parsed === 'string') return parsed;
  const { values } = parsed;
  const timeoutMs = readTimeout(parsed);
  const given = (name: string): boolean => values.get(name) === 'true';
  const keepSecrets = given('keep-secrets');
  if (askedAnyDialect(parsed) === 'core-kbind') {
    const wish = { keepSecrets, release: values.get('release') };
    const asked = { wish, dryRun: given('dry-run'), yes: given('yes'), timeoutMs };
    return (terminal) =>
      withConsumer(parsed, terminal, (command) => uninstallCoreKbind(command, terminal, asked), 'kube-bind');
  }
  return (terminal) =>
    withConsumer(parsed, terminal, async (command) => {
      const { client, lease, leaseName, context, terms } = command;
      const inventory = await takeInventory({ client, terms, clock: context.clock, lease }, terminal.signal);
      const plan = planUninstall(inventory, leaseName, keepSecrets);
      const relevant = (checks: readonly Check[]): readonly Check[] =>
        keepSecrets ? checks.filter(({ what }) => what !== 'kubeconfig Secrets') : checks;
      await printCoreKbind(command, terminal);
      if (plan.length === 0) return report(terminal, relevant(checksOf(inventory, leaseName)), inventory.claimed);
      terminal.out(
        `${given('dry-run') ? 'This would be done:' : 'This is to be done:'}\n${plan.map((line) => `  ${line}`).join('\n')}`,
      );
      if (given('dry-run')) return 0;
      if (!given('yes') && !(await confirmed(terminal))) return 1;
      const events = clusterOf('consumer', client, 'hawser-uninstall', context);
      try {
        const after = await uninstall(
          {
            client,
            lease,
            keepSecrets,
            timeoutMs,
            clock: context.clock,
            random: context.random,
            events: events.cluster.events,
            release: values.get('release'),
            print: terminal.out,
            startKonnector: inventory.lease?.holder === undefined ? () => startKonnector(command) : undefined,
          },
          inventory,
          terminal.signal,
        );
        return report(terminal, relevant(checksOf(after, leaseName)), after.claimed);
      } finally {
        await events.close();
      }
    });
}

/** It is another installation, which goes by a command of its own. */
async function printCoreKbind({ client }: ConsumerCommand, { err, signal }: Terminal): Promise<void> {
  const { objects } = await readCoreKbindStanding(client, signal);
  if (objects.length > 0)
    err(
      `Of core.kbind.io stays: ${objects.join(', ')}. To take it away as well, while its konnector runs: hawser uninstall --dialect core-kbind`,
    );
}

async function confirmed({ ask, err }: Terminal): Promise<boolean> {
  const answer = await ask('Type "uninstall" to go on: ');
  if (answer?.trim() === 'uninstall') return true;
  err(answer === undefined ? 'Nobody can be asked here: give --yes to go on. Nothing was done.' : 'Nothing was done.');
  return false;
}

/** Prints each check, and returns whether nothing remains. */
function report({ out, err }: Terminal, checks: readonly Check[], claimed: readonly string[]): number {
  out('Read live afterwards:');
  for (const { what, found } of checks) out(`  ${what}: ${found.length === 0 ? 'none' : found.join(', ')}`);
  if (claimed.length > 0) out(`  kept, since workloads may use what providers have sent: ${claimed.join(', ')}`);
  const left = checks.filter(({ found }) => found.length > 0);
  if (left.length === 0) {
    out('Nothing is left.');
    return 0;
  }
  err(`Something is left: ${left.map(({ what }) => what).join('; ')}.`);
  return 1;
}

/** Runs a konnector in this process, under the Lease like any other. */
function startKonnector({ konnector, context }: ConsumerCommand): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  return createKonnectorRole(konnector, context).then((role) => {
    const running = role.run(stopping.signal);
    // A failure shows as undeleted copies; it must not end this process.
    running.catch((error: unknown) => {
      context.logger.error('the konnector of this command failed', { error });
    });
    return {
      async stop() {
        stopping.abort();
        await running.catch(() => undefined);
      },
    };
  });
}
