import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import type { BindingWish } from '@hawser/bind';
import { type ConsumerCommand, type Task, type Terminal, connectionOf, portable, withConsumer } from '@hawser/commands';
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
  type APIServiceExportTemplate,
  type Secret,
  claimId,
  fixedNames,
  kubeBindDialect,
  requestSpecOf,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { type Answer, bindingAnswer, documentOf, exportRequest } from './answer.js';
import {
  type Accepted,
  type BindingSettings,
  bindAnswer,
  bindingFlags,
  carryOut,
  connect,
  identityOf,
  readBindingSettings,
} from './consumer.js';
import { proofFlags, proven, readProof } from './cluster-proof.js';
import { type PortalApi, PortalError } from './portal-api.js';
import { loggedIn, serverFlags, withPortal } from './server-choice.js';

const flags: readonly Flag[] = [
  {
    name: 'template-name',
    kind: 'string',
    help: 'what to bind: a template of the portal; kubectl bind templates lists them',
  },
  { name: 'name', kind: 'string', help: 'name of the binding; empty: the argument' },
  {
    name: 'file',
    short: 'f',
    kind: 'string',
    help: 'instead: file with an APIServiceExportRequest; - is the standard input. Needs a kubeconfig of the provider',
  },
  { name: 'remote-kubeconfig', kind: 'string', help: 'with --file: kubeconfig that the provider has handed out' },
  {
    name: 'remote-kubeconfig-namespace',
    kind: 'string',
    help: 'with --file: namespace of the Secret on this cluster that has it',
  },
  { name: 'remote-kubeconfig-name', kind: 'string', help: 'with --file: name of that Secret' },
  {
    name: 'remote-namespace',
    kind: 'string',
    help: 'with --file: namespace of this cluster on the provider, which the kubeconfig has to name',
  },
  ...bindingFlags,
  ...proofFlags,
  ...serverFlags,
  helpFlag,
];

/** Help text of the command. */
export const apiserviceCommand: CommandDescription = {
  name: 'apiservice',
  about: `Binds APIs from the terminal: asks the portal to take this cluster on, and the provider for the exports, and brings kubeconfig, rights and bindings to this cluster. It says what the
provider may do here by that. Repeatable: what is there already is left as it is.

Exit codes: 0 bound, 1 refused or not ready in time, 2 wrong usage.`,
  usage: [
    'kubectl bind apiservice NAME --template-name TEMPLATE [flags]',
    'kubectl bind apiservice -f FILE --remote-kubeconfig KUBECONFIG [flags]',
  ],
  examples: [
    { purpose: 'bind a template', line: 'kubectl bind apiservice databases --template-name databases' },
    {
      purpose: 'see first what would be written',
      line: 'kubectl bind apiservice databases --template-name databases --dry-run -o yaml',
    },
    {
      purpose: 'from a file, without a portal',
      line: 'kubectl bind apiservice -f request.yaml --remote-kubeconfig handed-out.kubeconfig',
    },
  ],
  flags,
};

/** Reads the flags of `kubectl bind apiservice`. */
export function readApiservice(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, flags);
  const { values, positional } = parsed;
  if (values.get('help') === 'true') return helpOf(apiserviceCommand);
  if (positional[1] !== undefined) throw new ConfigError(`unexpected argument: ${positional[1]}`);
  if (positional[0] !== undefined && values.has('name') && positional[0] !== values.get('name'))
    throw new ConfigError(`two names are given: ${positional[0]} and --name ${values.get('name') ?? ''}`);
  const name = values.get('name') ?? positional[0];
  const template = values.get('template-name');
  const file = values.get('file');
  const settings = readBindingSettings(parsed);
  const source = readProof(parsed);
  if ((template === undefined) === (file === undefined))
    throw new ConfigError('apiservice needs either --template-name or --file; see kubectl bind apiservice --help');
  if (file !== undefined) {
    const remote = readRemote(parsed);
    const namespace = values.get('remote-namespace');
    return (terminal) =>
      withConsumer(
        parsed,
        terminal,
        (command) => bindFile(command, { file, name, remote, namespace }, settings, terminal),
        'kube-bind',
      );
  }
  if (template === undefined || name === undefined)
    throw new ConfigError('apiservice needs the NAME of the binding; see kubectl bind apiservice --help');
  return async (terminal) => {
    const access = await loggedIn(parsed, terminal.env);
    return withPortal(access, (portal) =>
      withConsumer(
        parsed,
        terminal,
        async (command) => {
          const offered = await offeredAs(portal, template);
          if (settings.dryRun) return preview(command, { name, offered }, settings, terminal);
          const identity = await identityOf(command, parsed, terminal.signal);
          const answer = await proven((token) => portal.bind({ name, template, identity }, token), {
            client: command.client,
            source,
            portalUrl: access.url,
            terminal,
          });
          return bindAnswer(command, answer, settings, terminal, claimsShown(offered, answer));
        },
        'kube-bind',
      ),
    );
  };
}

/** First, because a missing template must leave no consumer behind. */
async function offeredAs(portal: PortalApi, template: string): Promise<APIServiceExportTemplate> {
  const all = await portal.templates();
  const found = all.find(({ metadata }) => metadata.name === template);
  if (found !== undefined) return found;
  const others = all.map(({ metadata }) => metadata.name).join(', ');
  throw new PortalError(
    `There is no template ${template} that you may bind. ${others === '' ? 'There is none at all.' : `There is: ${others}.`}`,
  );
}

/**
 * Checks the answer against the listed template: by naming the template, the user agreed to its APIs only.
 * @throws PortalError for an answer that asks for other APIs
 */
function claimsShown({ spec }: APIServiceExportTemplate, { requests }: Answer): Accepted {
  const shown = new Set(spec.resources.map(resourceGroupName));
  const others = requests
    .flatMap((request) => request.spec.resources.map(resourceGroupName))
    .filter((name) => !shown.has(name));
  if (others.length > 0)
    throw new PortalError(
      `The portal answers with APIs that the template does not have: ${others.join(', ')}. Nothing was brought to this cluster.`,
    );
  return (spec.permissionClaims ?? []).map(claimId);
}

/**
 * Does not ask the portal, which would make this cluster a consumer. Hence it knows neither the kubeconfig nor what the
 * provider has by now.
 */
async function preview(
  command: ConsumerCommand,
  { name, offered }: { readonly name: string; readonly offered: APIServiceExportTemplate },
  settings: BindingSettings,
  terminal: Terminal,
): Promise<number> {
  const { apiVersion } = kubeBindDialect;
  const spec = requestSpecOf(offered.spec);
  const request = exportRequest({ apiVersion, kind: 'APIServiceExportRequest', metadata: { name }, spec }, undefined);
  if (typeof request === 'string') throw new PortalError(`The template cannot be bound: ${request}`);
  const wish: BindingWish = {
    name,
    dialect: kubeBindDialect,
    offer: { kind: 'request', spec: request.spec },
    kubeconfig: '',
    clusterNamespace: 'ASSIGNED-BY-THE-PROVIDER',
    secretName: settings.secretName,
    grantsKonnector: true,
  };
  terminal.err(
    'The portal was not asked to take this cluster on, so its kubeconfig and the namespace there are not known yet.',
  );
  return carryOut(command, [wish], settings, terminal, undefined);
}

/** Where to find the provider's kubeconfig. */
type Remote =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'secret'; readonly namespace: string; readonly name: string };

function readRemote({ values }: ParsedFlags): Remote {
  const file = values.get('remote-kubeconfig');
  const namespace = values.get('remote-kubeconfig-namespace');
  const name = values.get('remote-kubeconfig-name');
  if ((namespace === undefined) !== (name === undefined))
    throw new ConfigError('--remote-kubeconfig-namespace and --remote-kubeconfig-name belong together');
  if (file !== undefined && name !== undefined) throw new ConfigError('give --remote-kubeconfig or a Secret, not both');
  if (file !== undefined) return { kind: 'file', file };
  if (namespace !== undefined && name !== undefined) return { kind: 'secret', namespace, name };
  throw new ConfigError(
    '--file needs the kubeconfig of the provider: --remote-kubeconfig, or a Secret by --remote-kubeconfig-namespace and --remote-kubeconfig-name',
  );
}

interface FromFile {
  readonly file: string;
  readonly name: string | undefined;
  readonly remote: Remote;
  /** The namespace that the kubeconfig must name. */
  readonly namespace: string | undefined;
}

async function bindFile(
  command: ConsumerCommand,
  { file, name, remote, namespace }: FromFile,
  settings: BindingSettings,
  terminal: Terminal,
): Promise<number> {
  const request = exportRequest(documentOf(await readInput(file)), name);
  if (typeof request === 'string') throw new ConfigError(`${file}: ${request}`);
  const kubeconfig = await remoteKubeconfig(command, remote, terminal);
  const assigned = connectionOf(kubeconfig, 'the kubeconfig of the provider').wished.clusterNamespace;
  if (namespace !== undefined && namespace !== assigned)
    throw new ConfigError(
      `--remote-namespace: the kubeconfig of the provider names namespace ${assigned}, not ${namespace}`,
    );
  const named = name === undefined ? request : { ...request, name };
  return bindAnswer(command, { kubeconfig, requests: [named] }, settings, terminal);
}

async function remoteKubeconfig({ client }: ConsumerCommand, remote: Remote, terminal: Terminal): Promise<string> {
  switch (remote.kind) {
    case 'file':
      return portable(remote.file, undefined, terminal);
    case 'secret': {
      const { namespace, name } = remote;
      return secretText(
        await client.get<Secret>(resources.secrets, { namespace, name }, { signal: terminal.signal }),
        fixedNames.kubeconfigKey,
      );
    }
  }
}

/** @throws ConfigError for a key that is not there */
function secretText({ metadata: { namespace = '', name }, data }: Secret, key: string): string {
  const encoded = data?.[key];
  if (encoded === undefined) throw new ConfigError(`Secret ${namespace}/${name} has no key ${key}`);
  return Buffer.from(encoded, 'base64').toString();
}

/** @throws ConfigError */
async function readInput(file: string): Promise<string> {
  try {
    return file === '-' ? await textOf(process.stdin) : await readFile(file, 'utf8');
  } catch {
    throw new ConfigError(`${file}: cannot be read`);
  }
}

const deployFlags: readonly Flag[] = [
  {
    name: 'file',
    short: 'f',
    kind: 'string',
    help: 'file with the BindingResourceResponse, YAML or JSON; - is the standard input',
  },
  { name: 'secret', kind: 'string', help: 'instead: NAMESPACE/NAME of a Secret on this cluster that has it' },
  { name: 'secret-key', kind: 'string', help: 'key of that Secret', default: 'kubeconfig' },
  {
    name: 'provider-kubeconfig-secret-name',
    kind: 'string',
    help: 'Secret in namespace kube-bind for the kubeconfig; empty: one that reaches the same, else kubeconfig-NAME',
  },
  ...bindingFlags.filter(({ name }) => name !== 'secret' && !name.startsWith('cluster-identity')),
  helpFlag,
];

/** Help text of the command. */
export const deployCommand: CommandDescription = {
  name: 'deploy',
  about: `Brings to this cluster what a provider has answered outside of the HTTP API: the kubeconfig, and a binding for each request. It needs no login.

Exit codes: 0 done, 1 refused or not ready in time, 2 wrong usage.`,
  usage: ['kubectl bind deploy --file FILE [flags]', 'kubectl bind deploy --secret NAMESPACE/NAME [flags]'],
  examples: [
    { purpose: 'from a file', line: 'kubectl bind deploy --file response.json' },
    {
      purpose: 'from a Secret of this cluster',
      line: 'kubectl bind deploy --secret default/response --secret-key response',
    },
  ],
  flags: deployFlags,
};

/** Reads the flags of `kubectl bind deploy`. */
export function readDeploy(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, deployFlags);
  const { values, positional } = parsed;
  if (values.get('help') === 'true') return helpOf(deployCommand);
  if (positional[0] !== undefined) throw new ConfigError(`unexpected argument: ${positional[0]}`);
  const file = values.get('file');
  const secret = values.get('secret');
  if ((file === undefined) === (secret === undefined))
    throw new ConfigError('deploy needs either --file or --secret; see kubectl bind deploy --help');
  const [namespace = '', name = '', surplus] = (secret ?? '').split('/');
  if (secret !== undefined && (namespace === '' || name === '' || surplus !== undefined))
    throw new ConfigError(`--secret: must be NAMESPACE/NAME, not "${secret}"`);
  const key = values.get('secret-key') ?? 'kubeconfig';
  const settings: BindingSettings = {
    ...readBindingSettings(parsed),
    secretName: values.get('provider-kubeconfig-secret-name'),
  };
  return (terminal) =>
    withConsumer(
      parsed,
      terminal,
      async (command) => {
        const { signal } = terminal;
        const text =
          file === undefined
            ? secretText(await command.client.get<Secret>(resources.secrets, { namespace, name }, { signal }), key)
            : await readInput(file);
        const answer = bindingAnswer(documentOf(text));
        if (typeof answer === 'string') throw new ConfigError(`${file ?? `Secret ${namespace}/${name}`}: ${answer}`);
        return deploy(command, answer, settings, terminal);
      },
      'kube-bind',
    );
}

async function deploy(
  command: ConsumerCommand,
  answer: Answer,
  settings: BindingSettings,
  terminal: Terminal,
): Promise<number> {
  if (answer.requests.length > 0) return bindAnswer(command, answer, settings, terminal);
  const done = await connect(command, answer.kubeconfig, settings, terminal);
  if (done === 0 && !settings.dryRun)
    terminal.err(
      'The answer asks for no export, so no binding was made. An APIServiceBindingBundle that names this Secret binds what the provider exports.',
    );
  return done;
}
