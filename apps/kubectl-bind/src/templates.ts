import { type Output, type Task, ago, document, outputs, table } from '@hawser/commands';
import { type CommandDescription, ConfigError, type Flag, choice, helpFlag, helpOf, parseFlags } from '@hawser/config';
import {
  type APIServiceExportTemplate,
  type Collection,
  apiVersion,
  claimInWords,
  resourceGroupName,
} from '@hawser/kube-bind';
import type { PortalApi } from './portal-api.js';
import { loggedIn, serverFlags, withPortal } from './server-choice.js';

const formats = [...outputs, 'name'] as const;
type Format = Output | 'name';

const flags: readonly Flag[] = [
  ...serverFlags,
  { name: 'output', short: 'o', kind: 'string', help: 'table, json, yaml or name', default: 'table' },
  helpFlag,
];

/** What help says of it. */
export const templatesCommand: CommandDescription = {
  name: 'templates',
  about: 'Lists what you may bind, and what the provider claims with it.',
  usage: ['kubectl bind templates [ADDRESS] [flags]'],
  examples: [
    { says: 'what may I bind?', line: 'kubectl bind templates' },
    { says: 'with everything that is known of it', line: 'kubectl bind templates -o yaml' },
  ],
  flags,
};

/** What help says of it. */
export const collectionsCommand: CommandDescription = {
  name: 'collections',
  about: 'Lists templates that belong together, of those that you may bind.',
  usage: ['kubectl bind collections [ADDRESS] [flags]'],
  examples: [{ says: 'what belongs together?', line: 'kubectl bind collections' }],
  flags,
};

/** Reads the flags of `kubectl bind templates`. */
export function readTemplates(args: readonly string[]): Task | string {
  return readList(templatesCommand, args, {
    kind: 'APIServiceExportTemplateList',
    read: (portal) => portal.templates(),
    headline: ['NAME', 'RESOURCES', 'PERMISSIONCLAIMS', 'AGE'],
    row: ({ metadata, spec }) => [
      metadata.name,
      spec.resources.map(resourceGroupName).join(','),
      (spec.permissionClaims ?? []).map(claimInWords).join('; ') || '<none>',
      age(metadata),
    ],
  });
}

/** Reads the flags of `kubectl bind collections`. */
export function readCollections(args: readonly string[]): Task | string {
  return readList(collectionsCommand, args, {
    kind: 'CollectionList',
    read: (portal) => portal.collections(),
    headline: ['NAME', 'DESCRIPTION', 'TEMPLATES', 'AGE'],
    row: ({ metadata, spec }) => [
      metadata.name,
      spec.description ?? '<none>',
      spec.templates.map(({ name }) => name).join(','),
      age(metadata),
    ],
  });
}

type Listed = APIServiceExportTemplate | Collection;

interface Listing<T extends Listed> {
  readonly kind: string;
  readonly read: (portal: PortalApi) => Promise<readonly T[]>;
  readonly headline: readonly string[];
  readonly row: (item: T) => readonly string[];
}

function readList<T extends Listed>(
  description: CommandDescription,
  args: readonly string[],
  listing: Listing<T>,
): Task | string {
  const parsed = parseFlags(args, description.flags);
  if (parsed.values.get('help') === 'true') return helpOf(description);
  const [address, surplus] = parsed.positional;
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  const output = choice(parsed, 'output', formats);
  return async ({ out, env }) => {
    const items = await withPortal(await loggedIn(parsed, env, address), listing.read);
    out(shown(items, output, listing));
    return 0;
  };
}

function shown<T extends Listed>(items: readonly T[], output: Format, { kind, headline, row }: Listing<T>): string {
  switch (output) {
    case 'table':
      return items.length === 0 ? 'There is nothing that you may bind.' : table(headline, items.map(row));
    case 'name':
      return items.map(({ metadata }) => metadata.name).join('\n');
    case 'json':
    case 'yaml':
      return document({ apiVersion, kind, metadata: {}, items }, output);
  }
}

function age({ creationTimestamp }: Listed['metadata']): string {
  return creationTimestamp === undefined ? '<unknown>' : ago(creationTimestamp, Date.now());
}
