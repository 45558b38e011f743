import {
  type ConsumerCommand,
  type Settings,
  type Terminal,
  bindWishes,
  connectionOf,
  consumerFlags,
  outputs,
  printPlan,
  readTimeout,
  refused,
  withProvider,
} from '@hawser/commands';
import { type BindingWish, bind, observe, planConnection } from '@hawser/bind';
import type { KubeObject } from '@hawser/client';
import { type Flag, type ParsedFlags, choice } from '@hawser/config';
import { fixedNames, kubeBindDialect, resources } from '@hawser/kube-bind';
import type { KonnectorInstallation } from '@hawser/konnector-manifests';
import type { Answer } from './answer.js';
import {
  applyKonnector,
  documents,
  konnectorFlags,
  konnectorRuns,
  konnectorToApply,
  readKonnector,
} from './konnector.js';

/** Flags of every command that binds. Names and meanings follow the Go plugin (spec/kube-bind-cli-and-charts.md §5). */
export const bindingFlags: readonly Flag[] = [
  ...consumerFlags.filter(({ name }) => name !== 'dialect' && name !== 'help'),
  {
    name: 'cluster-identity',
    kind: 'string',
    help: 'who this cluster is for the provider; empty: the uid of the namespace below',
  },
  {
    name: 'cluster-identity-namespace',
    kind: 'string',
    help: 'namespace whose uid stands for this cluster',
    default: 'kube-system',
  },
  {
    name: 'secret',
    kind: 'string',
    help: 'Secret in namespace kube-bind for the kubeconfig; empty: one that reaches the same, else kubeconfig-NAME',
  },
  { name: 'skip-konnector', kind: 'boolean', help: 'do not say that no konnector runs, nor wait for it' },
  ...konnectorFlags,
  { name: 'downgrade-konnector', kind: 'boolean', help: 'accepted for compatibility' },
  { name: 'no-banner', kind: 'boolean', help: 'accepted for compatibility' },
  { name: 'dry-run', short: 'd', kind: 'boolean', help: 'print what would be done, and write nothing anywhere' },
  {
    name: 'output',
    short: 'o',
    kind: 'string',
    help: 'table; json; or yaml: with --dry-run the files that do the same declaratively',
    default: 'table',
  },
  { name: 'show-kubeconfig', kind: 'boolean', help: 'with --dry-run -o yaml: with the credential in the Secret' },
  { name: 'wait', kind: 'boolean', help: 'wait until the binding is ready; default: if a konnector runs' },
  {
    name: 'timeout',
    kind: 'string',
    help: 'how long the browser, the provider and the konnector may take, each',
    default: '5m',
  },
];

/** Binding settings from the flags. `wait` is undefined if it depends on the konnector. */
export interface BindingSettings extends Omit<Settings, 'wait'> {
  readonly wait: boolean | undefined;
  readonly skipKonnector: boolean;
  /** What to install if it is missing. */
  readonly konnector: KonnectorInstallation | undefined;
  readonly secretName: string | undefined;
}

/** @throws ConfigError */
export function readBindingSettings(parsed: ParsedFlags): BindingSettings {
  const given = (name: string): boolean => parsed.values.get(name) === 'true';
  const wait = parsed.values.get('wait');
  return {
    timeoutMs: readTimeout(parsed),
    output: choice(parsed, 'output', outputs),
    dryRun: given('dry-run'),
    credentials: given('show-kubeconfig'),
    claims: 'accept',
    wait: wait === undefined ? undefined : wait === 'true',
    skipKonnector: given('skip-konnector'),
    konnector: readKonnector(parsed),
    secretName: parsed.values.get('secret'),
  };
}

/** Identity of this cluster at a provider. */
export async function identityOf(
  { client }: Pick<ConsumerCommand, 'client'>,
  { values }: ParsedFlags,
  signal: AbortSignal,
): Promise<string> {
  const given = values.get('cluster-identity') ?? '';
  if (given !== '') return given;
  const name = values.get('cluster-identity-namespace') ?? 'kube-system';
  const { metadata } = await client.get<KubeObject>(resources.namespaces, { name }, { signal });
  if (metadata.uid === undefined) throw new Error(`namespace ${name} has no uid`);
  return metadata.uid;
}

/** For each binding that an answer asks for: the accepted claims. Undefined: all of them. */
export type Accepted = readonly string[] | undefined;

/**
 * Carries out a provider's answer: requests the exports, and writes kubeconfig, rights and bindings to this cluster.
 */
export async function bindAnswer(
  command: ConsumerCommand,
  { kubeconfig, requests }: Answer,
  settings: BindingSettings,
  terminal: Terminal,
  acceptedClaims?: Accepted,
): Promise<number> {
  const { wished, connection } = connectionOf(kubeconfig, 'the answer of the provider');
  const wishes = requests.map(({ name, spec }): BindingWish => ({
    ...wished,
    name,
    dialect: kubeBindDialect,
    offer: { kind: 'request', spec },
    secretName: settings.secretName,
    acceptedClaims,
    grantsKonnector: true,
  }));
  return withProvider(connection, (provider) => carryOut(command, wishes, settings, terminal, provider));
}

/** Without `provider` the provider is unknown, and nothing is written. */
export async function carryOut(
  command: ConsumerCommand,
  wishes: readonly BindingWish[],
  settings: BindingSettings,
  terminal: Terminal,
  provider: Parameters<typeof bindWishes>[1],
): Promise<number> {
  const installs = await installKonnector(command, settings, terminal);
  const runs = settings.skipKonnector || settings.dryRun || installs || (await konnectorRuns(command, terminal.signal));
  const wait = settings.wait ?? (runs && !settings.skipKonnector);
  const print = settings.output === 'table' ? terminal.out : terminal.err;
  const done = await bindWishes({ command, terminal, settings: { ...settings, wait }, print }, provider, wishes);
  if (!runs)
    terminal.err(
      'No konnector runs on this cluster, so nothing is kept in step yet. Install one: by its chart, or with kubectl bind upgrade --konnector-image IMAGE.',
    );
  return done;
}

/** Returns whether it installed the konnector or changed its image. A dry run prints it. */
async function installKonnector(
  { client }: ConsumerCommand,
  { konnector, dryRun, output }: BindingSettings,
  terminal: Terminal,
): Promise<boolean> {
  if (konnector === undefined) return false;
  const objects = await konnectorToApply(client, konnector, terminal);
  if (objects.length === 0) return false;
  if (!dryRun) {
    terminal.err(`Installing the konnector with image ${konnector.image}.`);
    await applyKonnector(client, objects, terminal.signal);
  } else if (output === 'yaml') terminal.out(documents(objects));
  else terminal.err(`The konnector would be installed with image ${konnector.image}: ${objects.length} objects.`);
  return true;
}

/** Writes the kubeconfig only: the konnector uses it to report to the provider before any binding exists. */
export async function connect(
  command: ConsumerCommand,
  kubeconfig: string,
  settings: BindingSettings,
  terminal: Terminal,
): Promise<number> {
  const { wished, connection } = connectionOf(kubeconfig, 'the answer of the provider');
  const wish = { ...wished, name: wished.clusterNamespace, dialect: kubeBindDialect, secretName: settings.secretName };
  const { client: consumer, context } = command;
  const { signal } = terminal;
  return withProvider(connection, async (provider) => {
    const asked: BindingWish = { ...wish, offer: { kind: 'request', spec: { resources: [] } } };
    const plan = planConnection(wish, await observe({ consumer, provider, signal }, asked));
    const [refusal] = plan.refusals;
    if (refusal !== undefined) return refused(terminal, refusal);
    if (settings.dryRun) {
      printPlan(terminal, wish.name, plan, { ...settings, wait: false });
      return 0;
    }
    const print = settings.output === 'table' ? terminal.out : terminal.err;
    const options = { consumer, provider, clock: context.clock, print, timeoutMs: settings.timeoutMs, signal };
    await bind(options, asked, plan);
    print(
      `This cluster has the kubeconfig of the provider, in Secret ${fixedNames.konnectorNamespace}/${plan.secret}.`,
    );
    return 0;
  });
}
