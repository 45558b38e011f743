import { createHash } from 'node:crypto';
import { type Client, getIfExists } from '@hawser/client';
import { sleep, systemClock } from '@hawser/clock';
import { type Task, consumerFlags, readTimeout, withConsumer } from '@hawser/commands';
import { type CommandDescription, ConfigError, helpFlag, helpOf, parseFlags } from '@hawser/config';
import { type APIServiceBinding, type Secret, resources } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import { konnectorRuns } from './konnector.js';
import { loggedIn, serverFlags, withPortal } from './server-choice.js';

/** Help text of the command. */
export const rotateCommand: CommandDescription = {
  name: 'rotate',
  about: `Has the provider replace the credential that a binding uses, and waits until this cluster has the new one. All bindings with the same provider use it, and stay in step meanwhile.

Exit codes: 0 replaced, 1 refused or not in time, 2 wrong usage.`,
  usage: ['kubectl bind rotate NAME [flags]'],
  examples: [{ purpose: 'replace the credential of a binding', line: 'kubectl bind rotate databases' }],
  flags: [
    { name: 'timeout', kind: 'string', help: 'how long the new credential may take to arrive', default: '5m' },
    ...consumerFlags.filter(({ name }) => name !== 'dialect' && name !== 'help'),
    ...serverFlags,
    helpFlag,
  ],
};

const LOOK_MS = 500;

/** Reads the flags of `kubectl bind rotate`. */
export function readRotate(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, rotateCommand.flags);
  if (parsed.values.get('help') === 'true') return helpOf(rotateCommand);
  const [name, surplus] = parsed.positional;
  if (name === undefined) throw new ConfigError('rotate needs the NAME of a binding; see kubectl bind rotate --help');
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  const timeoutMs = readTimeout(parsed);
  return async (terminal) => {
    const access = await loggedIn(parsed, terminal.env);
    return withPortal(access, (portal) =>
      withConsumer(
        parsed,
        terminal,
        async (command) => {
          const { out, err, signal } = terminal;
          const before = await credentialOf(command.client, name, signal);
          await portal.replaceCredential(before.clusterNamespace);
          if (!(await konnectorRuns(command, signal))) {
            err('The provider replaces it. No konnector runs on this cluster, so it does not arrive before one does.');
            return 1;
          }
          const deadline = Date.now() + timeoutMs;
          while ((await credentialOf(command.client, name, signal)).hash === before.hash) {
            if (Date.now() > deadline) {
              err(
                'Gave up waiting for the new credential. It still comes, once provider and konnector reach each other.',
              );
              return 1;
            }
            await sleep(systemClock, LOOK_MS, signal);
          }
          out(`The credential in Secret ${before.secret} is a new one.`);
          return 0;
        },
        'kube-bind',
      ),
    );
  };
}

interface Credential {
  /** `<namespace>/<name>` */
  readonly secret: string;
  /** Of the cluster on the provider. */
  readonly clusterNamespace: string;
  /** Distinguishes credentials, and reveals nothing else. */
  readonly hash: string;
}

/** @throws ConfigError for a missing binding, or one without a kubeconfig */
async function credentialOf(client: Client, name: string, signal: AbortSignal): Promise<Credential> {
  const binding = await getIfExists<APIServiceBinding>(client, resources.apiServiceBindings, { name }, { signal });
  if (binding === undefined)
    throw new ConfigError(`there is no APIServiceBinding ${name}; kubectl bind list lists them`);
  const ref = binding.spec?.kubeconfigSecretRef;
  const secret =
    ref === undefined
      ? undefined
      : await getIfExists<Secret>(client, resources.secrets, { namespace: ref.namespace, name: ref.name }, { signal });
  const bytes = Buffer.from(secret?.data?.[ref?.key ?? ''] ?? '', 'base64');
  const read = parseSecretKubeconfig(bytes, { allowInsecureSkipTlsVerify: true, allowProxyUrl: true });
  if (ref === undefined || !read.ok)
    throw new ConfigError(`the Secret of APIServiceBinding ${name} has no kubeconfig that can be used`);
  return {
    secret: `${ref.namespace}/${ref.name}`,
    clusterNamespace: read.namespace,
    hash: createHash('sha256').update(bytes).digest('hex'),
  };
}
