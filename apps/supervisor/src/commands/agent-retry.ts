import { createClient } from '@hawser/client';
import { type Task, commandContext, objectNamed, ownConnection, reportedVersion } from '@hawser/commands';
import { type CommandDescription, ConfigError, type Flag, helpOf, parseFlags } from '@hawser/config';
import { hawserAnnotations, resources } from '@hawser/syncagent-api';
import { isPublicationWord } from '@hawser/syncagent-explain';

import { agentFlags } from './agent-command.js';
import { askForRetry } from './ask-for-retry.js';

const ABOUT = `Has the running agent try everything of a PublishedResource again now instead of after its back-off. Use it when the cause is removed. It sets the annotation ${hawserAnnotations.retryAt} on the
PublishedResource. For a single object set the same annotation, with another value each time, on the object in its workspace: it is not copied to the service cluster.

Exit codes: 0 asked, 1 there is no such PublishedResource, 2 wrong usage.`;

const flags: readonly Flag[] = [
  ...agentFlags.filter(({ name }) => ['kubeconfig', 'context', 'help'].includes(name)),
  { name: 'dry-run', kind: 'boolean', help: 'print what would be written, and write nothing' },
];

/** Help text of the command. */
export const agentRetryCommand: CommandDescription = {
  name: 'retry',
  about: ABOUT,
  usage: ['hawser retry --roles syncagent publishedresource NAME [flags]'],
  examples: [
    {
      purpose: 'the quota of the service cluster is raised: try all Databases of all workspaces now',
      line: 'hawser retry --roles syncagent publishedresource databases --kubeconfig service.kubeconfig',
    },
    {
      purpose: 'what would be written?',
      line: 'hawser retry --roles syncagent publishedresource databases --dry-run',
    },
  ],
  flags,
};

/** Reads the flags of `hawser retry --roles syncagent`. @throws ConfigError */
export function readAgentRetry(args: readonly string[], now: () => number): Task | string {
  const parsed = parseFlags(args, flags);
  const {
    values,
    positional: [kind, name, surplus],
  } = parsed;
  if (values.get('help') === 'true') return helpOf(agentRetryCommand);
  if (kind === undefined || name === undefined)
    throw new ConfigError('retry needs publishedresource and NAME; see hawser retry --roles syncagent --help');
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  if (!isPublicationWord(kind))
    throw new ConfigError(
      `an agent is asked to try a publishedresource again, not ${kind}; for an object set the annotation ${hawserAnnotations.retryAt} in its workspace`,
    );
  return async (terminal) => {
    const own = { kubeconfig: values.get('kubeconfig') ?? '', context: values.get('context') ?? '' };
    const connection = await ownConnection(own, commandContext(terminal.env));
    const client = createClient({
      name: 'service cluster',
      connection,
      userAgent: `hawser-retry/${reportedVersion()}`,
    });
    try {
      return await askForRetry(
        client,
        {
          resource: resources.publishedResources,
          key: objectNamed(name, undefined),
          what: `PublishedResource ${name}`,
          why: `hawser why --roles syncagent publishedresource ${name}`,
          who: 'agent',
          where: 'service cluster',
          annotation: hawserAnnotations.retryAt,
        },
        { at: new Date(now()).toISOString(), dryRun: values.get('dry-run') === 'true' },
        terminal,
      );
    } finally {
      await client.close();
    }
  };
}
