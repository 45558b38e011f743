import { type KubeObject, getIfExists } from '@hawser/client';
import { type Task, type Terminal, connectionOf, withConsumer, withProvider } from '@hawser/commands';
import {
  type CommandDescription,
  ConfigError,
  type Flag,
  type ParsedFlags,
  helpFlag,
  helpOf,
  parseFlags,
} from '@hawser/config';
import {
  type APIServiceBinding,
  type APIServiceExportRequest,
  type Secret,
  fixedNames,
  hawserAnnotations,
  resources,
} from '@hawser/kube-bind';
import { parseAllDocuments } from 'yaml';
import { type Answer, decodedAnswer } from './answer.js';
import { type Accepted, bindAnswer, bindingFlags, identityOf, readBindingSettings } from './consumer.js';
import { type ProvingOptions, proofFlags, proven, readProof } from './cluster-proof.js';
import { openLoopback, sendTo } from './loopback.js';
import { type PortalAccess, type PortalApi, PortalError } from './portal-api.js';
import { accessTo, askedServer, serverFileOf, serverFlags, withPortal } from './server-choice.js';
import { readServerFile } from './server-file.js';

const flags: readonly Flag[] = [
  { name: 'skip-browser', kind: 'boolean', help: 'only print the page that has to be opened' },
  ...bindingFlags,
  ...proofFlags,
  ...serverFlags,
  helpFlag,
];

/** Help text of the command. */
export const pagesCommand: CommandDescription = {
  name: 'pages',
  about: `Opens the catalogue of the portal in your browser. You choose there, read what both sides agree to, and agree; then it goes on here: kubeconfig, rights and bindings are brought to
this cluster. Repeatable: what is there already is left as it is.

Exit codes: 0 bound, 1 refused or not in time, 2 wrong usage.`,
  usage: ['kubectl bind [ADDRESS] [flags]', 'kubectl bind pages [ADDRESS] [flags]'],
  examples: [
    { purpose: 'choose on the pages of a portal', line: 'kubectl bind https://portal.example.com' },
    { purpose: 'of the one that you last signed in to', line: 'kubectl bind' },
  ],
  flags,
};

/** Reads the flags of `kubectl bind` without a command. */
export function readPages(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, flags);
  if (parsed.values.get('help') === 'true') return helpOf(pagesCommand);
  const [address, surplus] = parsed.positional;
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  const asked = askedServer(parsed, address);
  const settings = readBindingSettings(parsed);
  const source = readProof(parsed);
  return async (terminal) => {
    const access = accessTo(parsed, asked ?? (await currentServer(parsed)));
    return withPortal(access, (portal) =>
      withConsumer(
        parsed,
        terminal,
        async (command) => {
          const identity = await identityOf(command, parsed, terminal.signal);
          const skipBrowser = parsed.values.get('skip-browser') === 'true';
          const chosen = await choose(
            portal,
            {
              access,
              identity,
              timeoutMs: settings.timeoutMs,
              skipBrowser,
              proving: { client: command.client, source, portalUrl: access.url, terminal },
            },
            terminal,
          );
          if (chosen === undefined) {
            terminal.err('Nothing was chosen in time. Run it again, or give it longer with --timeout.');
            return 1;
          }
          if (settings.dryRun)
            terminal.err(
              'The provider has taken this cluster on, since you agreed on its page. Nothing is written to this cluster.',
            );
          return bindAnswer(command, chosen.answer, settings, terminal, chosen.accepted);
        },
        'kube-bind',
      ),
    );
  };
}

/** @throws ConfigError without a current server */
async function currentServer(parsed: ParsedFlags): Promise<{ url: string; cluster: string | undefined }> {
  const { servers, current = '' } = await readServerFile(serverFileOf(parsed));
  const entry = servers[current];
  if (entry === undefined) throw new ConfigError('name the portal: kubectl bind ADDRESS');
  return { url: entry.url, cluster: entry.cluster };
}

interface Choosing {
  readonly access: PortalAccess;
  readonly identity: string;
  readonly timeoutMs: number;
  readonly skipBrowser: boolean;
  readonly proving: ProvingOptions;
}

interface Chosen {
  readonly answer: Answer;
  readonly accepted: Accepted;
}

/**
 * Undefined: timed out.
 * @throws PortalError for an invalid answer
 */
async function choose(
  portal: PortalApi,
  { access, identity, timeoutMs, skipBrowser, proving }: Choosing,
  terminal: Terminal,
): Promise<Chosen | undefined> {
  const loopback = await openLoopback(
    (query) => query.has('session_id') && (query.has('bundle_code') || query.has('binding_response')),
  );
  let query: URLSearchParams | undefined;
  try {
    const page = new URL(`${access.url}/`);
    page.searchParams.set('redirect_url', loopback.url);
    page.searchParams.set('session_id', loopback.sessionId);
    page.searchParams.set('consumer_id', identity);
    if (access.cluster !== undefined) page.searchParams.set('cluster_id', access.cluster);
    // A Hawser portal answers with a code, and no URL carries the kubeconfig; the Go backend's page answers with all of
    // it.
    page.searchParams.set('answer', 'code');
    await sendTo(page.href, loopback.port, skipBrowser, terminal);
    query = await loopback.answer(timeoutMs, terminal.signal);
  } finally {
    await loopback.close();
  }
  if (query === undefined) return undefined;
  const refused = query.get('error');
  if (refused !== null) throw new PortalError(`The page refuses: ${query.get('error_description') ?? refused}`);
  const code = query.get('bundle_code');
  if (code === null)
    return { answer: portal.answer(decodedAnswer(query.get('binding_response') ?? '')), accepted: undefined };
  return bundled(await proven((token) => portal.bundle(code, token), proving), terminal);
}

/** The portal has already created the export request; read it with the credential of the bundle. */
async function bundled(yaml: string, { signal }: Terminal): Promise<Chosen> {
  const objects = parseAllDocuments(yaml, { logLevel: 'error' }).map(
    (one) => one.toJS({ maxAliasCount: 0 }) as KubeObject | null,
  );
  const secret = objects.find((one) => one?.kind === 'Secret') as Secret | undefined;
  const binding = objects.find((one) => one?.kind === 'APIServiceBinding') as APIServiceBinding | undefined;
  const encoded = secret?.data?.[fixedNames.kubeconfigKey];
  if (binding === undefined || encoded === undefined)
    throw new PortalError('The bundle of the portal has no binding, or no kubeconfig.');
  const kubeconfig = Buffer.from(encoded, 'base64').toString();
  const { wished, connection } = connectionOf(kubeconfig, 'the bundle of the portal');
  const { name } = binding.metadata;
  const request = await withProvider(connection, (provider) =>
    getIfExists<APIServiceExportRequest>(
      provider,
      resources.apiServiceExportRequests,
      { namespace: wished.clusterNamespace, name },
      { signal },
    ),
  );
  if (request === undefined)
    throw new PortalError(
      `The provider has no APIServiceExportRequest ${wished.clusterNamespace}/${name} (any more). Bind again.`,
    );
  const accepted = (binding.metadata.annotations?.[hawserAnnotations.acceptedClaims] ?? '')
    .split(',')
    .filter((id) => id !== '');
  return { answer: { kubeconfig, requests: [{ name, spec: request.spec }] }, accepted };
}
