import { type Handback, handback, handbackText, planHandback, takeInventory } from '@hawser/unbinding';

import type { CommandDescription, Flag } from '@hawser/config';
import { consumerFlags, readCommandFlags, withConsumer, type Task } from '@hawser/commands';

const ABOUT = `Removes what a Go konnector would not understand, so that one can take over: our annotations on bindings, bundles and objects of bound APIs, our finalizers
on bindings, and our conditions. Stop the konnector first. Copies on the provider, and what they are synced from, stay as they are.`;

const flags: readonly Flag[] = [
  ...consumerFlags,
  { name: 'dry-run', kind: 'boolean', help: 'print what would be removed, and remove nothing' },
];

/** Help text of the command. */
export const handbackCommand: CommandDescription = {
  name: 'handback',
  about: ABOUT,
  usage: ['hawser handback [flags]'],
  examples: [
    { purpose: 'what would be removed?', line: 'hawser handback --dry-run' },
    {
      purpose: 'hand over to a Go konnector; stop the konnector of Hawser first',
      line: 'kubectl -n kube-bind scale deployment konnector --replicas=0 && hawser handback',
    },
  ],
  flags,
};

/** Reads the flags of `hawser handback`. */
export function readHandback(args: readonly string[]): Task | string {
  const parsed = readCommandFlags(handbackCommand, args);
  if (typeof parsed === 'string') return parsed;
  const dryRun = parsed.values.get('dry-run') === 'true';
  return (terminal) =>
    withConsumer(parsed, terminal, async ({ client, lease, context, terms }) => {
      const look = async (): Promise<Handback> =>
        planHandback(
          client,
          await takeInventory({ client, terms, clock: context.clock, lease }, terminal.signal),
          terminal.signal,
        );
      const plan = await look();
      const lines = linesOf(plan);
      terminal.out(
        lines.length === 0
          ? 'Nothing of ours is there.'
          : `${dryRun ? 'This would be removed' : 'This is removed'}:\n${lines.join('\n')}`,
      );
      for (const obstacle of plan.obstacles) terminal.err(obstacle);
      if (plan.obstacles.length > 0) return 1;
      if (dryRun || lines.length === 0) return 0;
      await handback(client, plan, context.clock, context.random, terminal.signal);
      const left = linesOf(await look());
      if (left.length === 0) {
        terminal.out('Read live afterwards: nothing of ours is there. A Go konnector may take over.');
        return 0;
      }
      terminal.err(`Still there, run this once more:\n${left.join('\n')}`);
      return 1;
    });
}

function linesOf({ dialect: { finalizer }, ours, unbound }: Handback): readonly string[] {
  return [
    ...ours.map((one) => `  ${handbackText(one)}`),
    ...unbound.map(
      ({ crd, held }) =>
        `  ${crd.metadata.name}: finalizer ${finalizer} of ${held} objects, whose binding is gone or going`,
    ),
  ];
}
