import {
  type AgentReport,
  type Subject,
  isNamed,
  isPublicationWord,
  notInStep,
  publicationSubjects,
  subjectsOf,
  whyAllText,
  whyJson,
  whyText,
} from '@hawser/syncagent-explain';

import { type CommandDescription, ConfigError, type Flag } from '@hawser/config';
import { rehearseAgent } from '../rehearse-agent.js';
import { agentFlags, forAgents } from './agent-command.js';
import { readWhy, whyFlags, type Task } from '@hawser/commands';

const ABOUT =
  'Says whether an object of a published API (or a PublishedResource) is in step, what holds it, since when, and who must act. The service cluster and kcp are read live.';

const flags: readonly Flag[] = [
  ...agentFlags,
  {
    name: 'workspace',
    short: 'w',
    kind: 'string',
    help: 'workspace of the object, by path or logical cluster; empty: wherever there is one of that name',
  },
  {
    name: 'namespace',
    short: 'n',
    kind: 'string',
    help: 'namespace of the object in its workspace',
    default: 'default',
  },
  ...whyFlags,
];

/** Help text of the command. */
export const agentWhyCommand: CommandDescription = {
  name: 'why',
  about: ABOUT,
  usage: [
    'hawser why --roles syncagent KIND NAME [-w WORKSPACE] [-n NAMESPACE] [flags]',
    'hawser why --roles syncagent --all [flags]',
  ],
  examples: [
    {
      purpose: 'why is this Database of a workspace not in step?',
      line: 'hawser why --roles syncagent --config agents.yaml database orders -w root:team-a',
    },
    { purpose: 'everything that is not in step', line: 'hawser why --roles syncagent --config agents.yaml --all' },
  ],
  flags,
};

/** Reads the flags of `hawser why --roles syncagent`. */
export function readAgentWhy(args: readonly string[]): Task | string {
  return readWhy(agentWhyCommand, 'hawser why --roles syncagent', args, async ({ about, dryRun, parsed }, terminal) => {
    const reports = await forAgents(parsed, terminal, ({ config, agent, context }) =>
      rehearseAgent(config, agent, context, { dryRun, signal: terminal.signal }),
    );
    if (about === undefined) {
      const rest = notInStep(reports);
      return { isInStep: rest.length === 0, json: () => whyJson(rest), text: (paint) => whyAllText(reports, paint) };
    }
    const subjects = asked(reports, {
      ...about,
      namespace: parsed.values.get('namespace') ?? 'default',
      workspace: parsed.values.get('workspace'),
    });
    return {
      isInStep: subjects.every(({ standing }) => standing === 'inStep'),
      json: () => whyJson(subjects),
      text: (paint) => whyText(subjects, paint),
    };
  });
}

interface Question {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly workspace: string | undefined;
}

/** @throws ConfigError for an unknown kind or PublishedResource */
function asked(reports: readonly AgentReport[], { kind, name, namespace, workspace }: Question): readonly Subject[] {
  if (isPublicationWord(kind)) {
    const subjects = reports.flatMap((report) =>
      report.publications
        .filter((publication) => publication.name === name)
        .flatMap((publication) => publicationSubjects(report, publication)),
    );
    if (subjects.length === 0) throw new ConfigError(`there is no PublishedResource ${name} of this agent`);
    return subjects;
  }
  const named = reports.flatMap((report) =>
    report.publications
      .filter((publication) => isNamed(publication, kind))
      .map((publication) => ({ report, publication })),
  );
  if (named.length === 0) {
    const published = reports.flatMap(({ publications }) =>
      publications.flatMap(({ names: [first] }) =>
        first === undefined ? [] : [`${first.plural === '' ? first.kind : first.plural}.${first.group}`],
      ),
    );
    throw new ConfigError(
      `no published API is called ${kind}; ${published.length === 0 ? 'nothing is published' : `there are: ${published.join(', ')}`}`,
    );
  }
  return named.flatMap(({ report, publication }) => {
    // Objects of a cluster-scoped kind have no namespace, whatever the user typed.
    const object = publication.namespaced === false || name.includes('/') ? name : `${namespace}/${name}`;
    return subjectsOf(report, publication, object, workspace);
  });
}
