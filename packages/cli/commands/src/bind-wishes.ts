import { type BindingWish, type Offer, offeredInKlutch, type Refusal } from '@hawser/bind';
import type { Client } from '@hawser/client';
import { type Dialect, type ExportedResource, resourceGroupName } from '@hawser/kube-bind';

import { ConfigError, type ParsedFlags } from '@hawser/config';

/** The part of a wish that the flags give. */
export interface AskedBinding {
  readonly offer: Exclude<Offer, { kind: 'request' }>;
  readonly name: string | undefined;
  readonly secretName: string | undefined;
}

/** Reads the flags that name the APIs to bind. @throws ConfigError */
export function readAskedBinding({ values }: ParsedFlags): AskedBinding {
  const template = values.get('template');
  const listed = values.get('resource');
  if ((template === undefined) === (listed === undefined))
    throw new ConfigError('bind needs either --template or --resource; see hawser bind --help');
  const offer: AskedBinding['offer'] =
    template === undefined
      ? { kind: 'resources', resources: readResources(listed ?? '') }
      : { kind: 'template', name: template };
  return { offer, name: values.get('name'), secretName: values.get('secret') };
}

/** Connection to the provider, as a konnector will use it. */
export type WishedConnection = Pick<BindingWish, 'kubeconfig' | 'clusterNamespace'>;

/**
 * One wish for each binding: one in kube-bind, one for each resource in Klutch. @throws ConfigError for what the
 * dialect lacks
 */
export async function wishesFor(
  dialect: Dialect,
  asked: AskedBinding,
  connection: WishedConnection,
  provider: Client,
  signal: AbortSignal,
): Promise<readonly BindingWish[] | { readonly refusal: Refusal }> {
  checkAsked(dialect.name, asked);
  const { offer, name, secretName } = asked;
  const common = { ...connection, dialect, secretName };
  switch (dialect.name) {
    case 'kube-bind':
      return [{ ...common, name: name ?? defaultName(offer), offer }];
    case 'klutch': {
      if (offer.kind === 'resources')
        return offer.resources.map((resource) => ({
          ...common,
          name: resourceGroupName(resource),
          offer: { kind: 'resources', resources: [resource] },
        }));
      const found = await offeredInKlutch(provider, offer.name, signal);
      return 'refusal' in found
        ? found
        : [
            {
              ...common,
              name: resourceGroupName(found.resource),
              offer: { kind: 'resources', resources: [found.resource] },
            },
          ];
    }
  }
}

/** Refuses what a dialect has no place for. @throws ConfigError */
export function checkAsked(dialect: Dialect['name'], { offer, name }: AskedBinding): void {
  switch (dialect) {
    case 'kube-bind':
      if (name === undefined) defaultName(offer);
      return;
    case 'klutch': {
      if (name !== undefined)
        throw new ConfigError(
          '--name: in Klutch an APIServiceBinding, and the export that it binds, have the name of their CRD; there is no other',
        );
      const versioned =
        offer.kind === 'resources' ? offer.resources.find(({ versions = [] }) => versions.length > 0) : undefined;
      if (versioned !== undefined)
        throw new ConfigError(
          `--resource: an export of Klutch has every version that its CRD serves, whatever a request says; name ${resourceGroupName(versioned)} without a version`,
        );
    }
  }
}

function readResources(text: string): readonly ExportedResource[] {
  const found = new Map<string, ExportedResource>();
  for (const word of text.split(',')) {
    const [, resource, group, version] =
      /^([a-z][-a-z0-9]*)\.([a-z0-9][-.a-z0-9]*?)(?:\/([a-z][a-z0-9]*))?$/u.exec(word) ?? [];
    if (resource === undefined || group === undefined)
      throw new ConfigError(`--resource: must be PLURAL.GROUP or PLURAL.GROUP/VERSION, not "${word}"`);
    const key = `${resource}.${group}`;
    const versions = [...(found.get(key)?.versions ?? []), ...(version === undefined ? [] : [version])];
    found.set(key, { group, resource, ...(versions.length === 0 ? {} : { versions }) });
  }
  return [...found.values()];
}

/** The name of the API to bind. @throws ConfigError for several APIs */
export function defaultName(offer: AskedBinding['offer']): string {
  if (offer.kind === 'template') return offer.name;
  const [only, more] = offer.resources;
  if (only === undefined || more !== undefined)
    throw new ConfigError('bind needs --name where there are several resources');
  return only.resource;
}
