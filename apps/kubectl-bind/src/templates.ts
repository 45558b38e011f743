import { type Task, ago, table } from '@hawser/commands';
import { type CommandDescription, ConfigError, type Flag, helpFlag, helpOf, parseFlags } from '@hawser/config';
import {
  type APIServiceExportTemplate,
  type Collection,
  apiVersion,
  claimInWords,
  resourceGroupName,
} from '@hawser/kube-bind';
import type { PortalApi } from './portal-api.js';
import { type ListFormat, listFlags, readListFormat } from './print/list-format.js';
import { loggedIn, serverFlags, withPortal } from './server-choice.js';

const flags: readonly Flag[] = [...serverFlags, ...listFlags, helpFlag];

/** Help text of the command. */
export const templatesCommand: CommandDescription = {
  name: 'templates',
  about: 'Lists what you may bind, and what the provider claims with it.',
  usage: ['kubectl bind templates [ADDRESS] [flags]'],
  examples: [
    { purpose: 'what may I bind?', line: 'kubectl bind templates' },
    { purpose: 'with everything that is known of it', line: 'kubectl bind templates -o yaml' },
    { purpose: 'only some of it', line: "kubectl bind templates -o jsonpath='{.items[*].spec.resources[*].group}'" },
  ],
  flags,
};

/** Help text of the command. */
export const collectionsCommand: CommandDescription = {
  name: 'collections',
  about: 'Lists templates that belong together, of those that you may bind.',
  usage: ['kubectl bind collections [ADDRESS] [flags]'],
  examples: [{ purpose: 'what belongs together?', line: 'kubectl bind collections' }],
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
  const format = readListFormat(parsed);
  return async ({ out, env }) => {
    const items = await withPortal(await loggedIn(parsed, env, address), listing.read);
    out(shown(items, format, listing));
    return 0;
  };
}

function shown<T extends Listed>(items: readonly T[], format: ListFormat, { kind, headline, row }: Listing<T>): string {
  switch (format.kind) {
    case 'table':
      return items.length === 0 ? 'There is nothing that you may bind.' : table(headline, items.map(row));
    case 'name':
      return items.map(({ metadata }) => metadata.name).join('\n');
    case 'document':
      return format.print({ apiVersion, kind, metadata: {}, items });
  }
}

function age({ creationTimestamp }: Listed['metadata']): string {
  return creationTimestamp === undefined ? '<unknown>' : ago(creationTimestamp, Date.now());
}
