import { type Client, type KubeObject, getIfExists } from '@hawser/client';
import { type ConsumerCommand, type Task, type Terminal, consumerFlags, withConsumer } from '@hawser/commands';
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
  type HostAlias,
  type KonnectorInstallation,
  isImage,
  konnectorDeployment,
  konnectorManifests,
  resourceOf,
  standingOf,
} from '@hawser/konnector-manifests';
import { resources } from '@hawser/kube-bind';
import { stringify } from 'yaml';

/** Flags of every command that can install the konnector. */
export const konnectorFlags: readonly Flag[] = [
  {
    name: 'konnector-image',
    kind: 'string',
    help: 'install the konnector with the least rights and this image of Hawser, or have it run this image; a konnector of another make, or of a chart, is left as it is',
  },
  {
    name: 'konnector-host-alias',
    kind: 'string',
    repeatable: true,
    help: 'with it: IP:HOST,HOST that its pods take for the address of these hosts; may be given several times',
  },
];

/**
 * Settings from the flags; undefined: install nothing.
 * @throws ConfigError
 */
export function readKonnector({ values }: ParsedFlags): KonnectorInstallation | undefined {
  const image = values.get('konnector-image');
  const aliases = values.get('konnector-host-alias');
  if (image === undefined) {
    if (aliases !== undefined) throw new ConfigError('--konnector-host-alias: needs --konnector-image');
    return undefined;
  }
  if (!isImage(image)) throw new ConfigError(`--konnector-image: is not an image: "${image}"`);
  return { image, hostAliases: aliases === undefined ? [] : aliasesIn(aliases) };
}

/** Joins repeated flags by commas, the separator of hosts within one flag. */
function aliasesIn(text: string): readonly HostAlias[] {
  const aliases: { ip: string; hostnames: string[] }[] = [];
  for (const word of text.split(',')) {
    const [, ip, host = word] = /^(\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]):(.*)$/iu.exec(word) ?? [];
    if (ip !== undefined) aliases.push({ ip: ip.replaceAll(/[[\]]/gu, ''), hostnames: [] });
    if (aliases.length === 0 || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/iu.test(host))
      throw new ConfigError(`--konnector-host-alias: must be IP:HOST,HOST, not "${text}"`);
    aliases.at(-1)?.hostnames.push(host);
  }
  return aliases;
}

/** A working konnector renews its Lease every few seconds. */
const RENEWED_MS = 60_000;

export async function konnectorRuns({ client, lease }: ConsumerCommand, signal: AbortSignal): Promise<boolean> {
  const found = await getIfExists<KubeObject & { readonly spec?: { readonly renewTime?: string } }>(
    client,
    resources.leases,
    lease,
    { signal },
  );
  return Date.now() - Date.parse(found?.spec?.renewTime ?? '') < RENEWED_MS;
}

/** Objects to apply; empty if all are in place. Reports a konnector of another make and leaves it alone. */
export async function konnectorToApply(
  client: Client,
  installation: KonnectorInstallation,
  { err, signal }: Pick<Terminal, 'err' | 'signal'>,
): Promise<readonly KubeObject[]> {
  const { resource, key } = konnectorDeployment;
  const standing = standingOf(await getIfExists<KubeObject>(client, resource, key, { signal }));
  switch (standing.kind) {
    case 'foreign':
      err(`Deployment ${key.namespace}/${key.name} is there, managed by ${standing.by}: it is left as it is.`);
      return [];
    case 'ours':
    case 'absent':
      return konnectorManifests(installation);
  }
}

/** Applies server-side: keeps other writers' fields on these objects, and reports a conflict on a shared field. */
export async function applyKonnector(
  client: Client,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  for (const object of objects) {
    const { name, namespace } = object.metadata;
    await client.patch(
      resourceOf(object),
      { name, namespace },
      { type: 'apply', object },
      { fieldManager: 'kubectl-bind', signal },
    );
  }
}

/** Help text of the command. */
export const upgradeCommand: CommandDescription = {
  name: 'upgrade',
  about: `Installs the konnector that these manifests have, or has it run another image. What is bound stays in step meanwhile, as one of two pods works at any time. One that a chart has
installed, or of another make, is left as it is.

Exit codes: 0 applied or left, 1 refused, 2 wrong usage.`,
  usage: ['kubectl bind upgrade --konnector-image IMAGE [flags]'],
  examples: [
    {
      purpose: 'have the konnector run another image',
      line: 'kubectl bind upgrade --konnector-image registry.example.com/hawser:0.1.0',
    },
    {
      purpose: 'print what would be applied',
      line: 'kubectl bind upgrade --konnector-image registry.example.com/hawser:0.1.0 --dry-run',
    },
  ],
  flags: [
    ...konnectorFlags,
    { name: 'dry-run', short: 'd', kind: 'boolean', help: 'print what would be applied, as YAML, and write nothing' },
    ...consumerFlags.filter(({ name }) => !name.startsWith('lease') && name !== 'dialect' && name !== 'help'),
    helpFlag,
  ],
};

/** Reads the flags of `kubectl bind upgrade`. */
export function readUpgrade(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, upgradeCommand.flags);
  if (parsed.values.get('help') === 'true') return helpOf(upgradeCommand);
  if (parsed.positional[0] !== undefined) throw new ConfigError(`unexpected argument: ${parsed.positional[0]}`);
  const installation = readKonnector(parsed);
  if (installation === undefined)
    throw new ConfigError('upgrade needs --konnector-image; see kubectl bind upgrade --help');
  return (terminal) =>
    withConsumer(
      parsed,
      terminal,
      async ({ client }) => {
        const objects = await konnectorToApply(client, installation, terminal);
        if (parsed.values.get('dry-run') === 'true') {
          terminal.out(documents(objects));
          return 0;
        }
        await applyKonnector(client, objects, terminal.signal);
        if (objects.length > 0)
          terminal.err(`The konnector runs ${installation.image}, as soon as its pods have started.`);
        return 0;
      },
      'kube-bind',
    );
}

/** As one file. */
export function documents(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${stringify(object, { lineWidth: 0 }).trimEnd()}`).join('\n');
}
