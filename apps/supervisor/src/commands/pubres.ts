import { readFileSync } from 'node:fs';

import { type Client, createClient, isApiError } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { project, ProjectionError, toAPIResourceSchema } from '@hawser/apiresourceschema';
import { discoverCRD, DiscoveryError } from '@hawser/apiresourceschema';
import { fixedNames, type PublishedResource, reviewSpec, validate } from '@hawser/syncagent-api';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { parseAllDocuments, stringify } from 'yaml';

import { type CommandDescription, helpOf, ConfigError, type Flag, parseFlags, helpFlag } from '@hawser/config';
import { ownConnection, type ProcessContext, reportedVersion, type Task } from '@hawser/commands';

const ABOUT = `Prints, as YAML, what a PublishedResource makes of the CRD, or of the built-in or aggregated type, that it names: as a CRD, or as the APIResourceSchema that
an agent would create in kcp. Nothing is written to any cluster.`;

const flags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the service cluster; empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
  {
    name: 'no-projection',
    kind: 'boolean',
    help: 'leave the projection out altogether, with the selection of versions',
    default: 'false',
  },
  { name: 'ars', kind: 'boolean', help: 'print an APIResourceSchema instead of a CRD', default: 'false' },
  { name: 'version', kind: 'boolean', help: 'print the version and exit' },
  helpFlag,
];

/** What to print about a PublishedResource. */
interface Wanted {
  readonly projected: boolean;
  readonly schema: boolean;
}

/** Help text of the command. */
export const pubresCommand: CommandDescription = {
  name: 'pubres',
  about: ABOUT,
  usage: ['hawser pubres crd [flags] FILE   FILE: a PublishedResource, YAML or JSON; of several documents the first'],
  examples: [
    {
      purpose: 'the CRD that a PublishedResource makes',
      line: 'hawser pubres crd --kubeconfig service.kubeconfig published.yaml',
    },
    {
      purpose: 'the APIResourceSchema that an agent would create in kcp',
      line: 'hawser pubres crd --ars --kubeconfig service.kubeconfig published.yaml',
    },
  ],
  flags,
  words: ['crd'],
};

/** Parses the flags of `hawser pubres`: those of pubres-toolkit (spec/api-syncagent.md §15). */
export function readPubres(args: readonly string[], version: string): Task | string {
  const {
    values,
    positional: [verb, file, surplus],
  } = parseFlags(args, flags);
  if (values.get('version') === 'true') return version;
  if (values.get('help') === 'true' || verb === undefined) return helpOf(pubresCommand);
  if (verb !== 'crd') throw new ConfigError(`unknown command: pubres ${verb}; there is: pubres crd`);
  if (file === undefined)
    throw new ConfigError('pubres crd needs the file of a PublishedResource; see hawser pubres --help');
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  const wanted: Wanted = { projected: values.get('no-projection') !== 'true', schema: values.get('ars') === 'true' };
  return async (terminal) => {
    const published = readPublishedResource(file, terminal.err);
    if (published === undefined) return 1;
    const process: ProcessContext = {
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      version: reportedVersion(),
      env: terminal.env,
    };
    const connection = await ownConnection(
      { kubeconfig: values.get('kubeconfig') ?? '', context: values.get('context') ?? '' },
      process,
    );
    const client = createClient({ name: 'service', connection, userAgent: `hawser-pubres/${process.version}` });
    try {
      terminal.out(await manifestOf(client, published, wanted, terminal.signal));
      return 0;
    } catch (error) {
      const lines = refusal(error);
      if (lines === undefined) throw error;
      for (const line of lines) terminal.err(line);
      return 1;
    } finally {
      await client.close();
    }
  };
}

/**
 * Reads the first document of a file and reports its problems; undefined if it is unusable.
 * @throws ConfigError if it cannot be read
 */
export function readPublishedResource(file: string, print: (line: string) => void): PublishedResource | undefined {
  const value = firstDocument(file);
  const problems = validate(value);
  // The rest of the spec does not matter here.
  const matters = ({ path }: { readonly path: string }): boolean =>
    !/^(?:status|spec\.(?!resource|projection))/u.test(path);
  for (const { path, message } of problems) print(`${file}: ${path === '' ? 'the document' : path} ${message}`);
  if (problems.some(matters)) return undefined;
  const published = value as PublishedResource;
  if (problems.length === 0)
    for (const { path, message } of reviewSpec(published.spec)) print(`${file}: ${path} ${message}`);
  return published;
}

function firstDocument(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
  const documents = parseAllDocuments(text);
  const [first] = Array.isArray(documents) ? documents : [];
  const [error] = first?.errors ?? [];
  if (error !== undefined) throw new ConfigError(`${file}: is not YAML: ${error.message.split('\n')[0] ?? ''}`);
  try {
    return first?.toJS({ maxAliasCount: 50 }) as unknown;
  } catch {
    throw new ConfigError(`${file}: is not YAML: an alias leads nowhere, or there are too many`);
  }
}

async function manifestOf(
  client: Client,
  published: PublishedResource,
  { projected, schema }: Wanted,
  signal: AbortSignal,
): Promise<string> {
  const { apiGroup, kind } = published.spec.resource;
  const source = await discoverCRD(client, { group: apiGroup, kind }, { signal });
  const crd = projected ? project(source, published) : source;
  return stringify(schema ? toAPIResourceSchema(crd, { agentName: fixedNames.toolkitAgent }) : crd, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}

/** The message of an expected failure; not for errors of the program. */
function refusal(error: unknown): readonly string[] | undefined {
  if (error instanceof ProjectionError) return error.problems.map(({ path, message }) => `${path}: ${message}`);
  return error instanceof DiscoveryError || isApiError(error) ? [error.message] : undefined;
}
