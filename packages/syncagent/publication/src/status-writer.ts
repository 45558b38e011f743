import { type Client, type KubeObject, commitStatus } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import type { Informer } from '@hawser/informer';
import { type PublishedResource, type StatusField, keptStatusFields, resources } from '@hawser/syncagent-api';
import type { Logger } from '@hawser/telemetry';
import { type StatusChange, changedStatus } from './status-change.js';

export interface StatusWriterOptions {
  readonly client: Client;
  readonly publishedResources: Pick<Informer<PublishedResource>, 'observe'>;
  /** Metadata of all CRDs: shows when the one of PublishedResources has changed. */
  readonly definitions: Pick<Informer<KubeObject>, 'get'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface StatusWriter {
  /** The fields that the installed CRD keeps, for {@link changesStatus}. Read once for each version of the CRD. */
  kept(signal?: AbortSignal): Promise<ReadonlySet<StatusField>>;
  /**
   * Writes {@link changedStatus}; nothing if the meaning is the same. Resolves to the present object; undefined if it
   * is gone.
   */
  commit(object: PublishedResource, change: StatusChange, signal?: AbortSignal): Promise<PublishedResource | undefined>;
}

const definitionName = `${resources.publishedResources.resource}.${resources.publishedResources.group}`;

/** Fields that the Go agent's CRD has as well: written without a check if the CRD cannot be read. */
const everywhere: ReadonlySet<StatusField> = new Set<StatusField>(['resourceSchemaName']);

export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { client, publishedResources, definitions, clock, random, logger } = options;
  let known: { readonly version: string | undefined; readonly kept: Promise<ReadonlySet<StatusField>> } | undefined;

  /** Read once for each version of the CRD, shared by concurrent callers. */
  async function keptFields(signal: AbortSignal | undefined): Promise<ReadonlySet<StatusField>> {
    const version = definitions.get(definitionName)?.metadata.resourceVersion;
    const asked = known !== undefined && known.version === version ? known : { version, kept: readKept() };
    known = asked;
    try {
      return await asked.kept;
    } catch (error) {
      if (known === asked) known = undefined;
      if (signal?.aborted === true) throw error;
      logger.warn('The CRD of PublishedResources cannot be read, so their status gets the name of the schema alone.', {
        error,
      });
      return everywhere;
    }
  }

  async function readKept(): Promise<ReadonlySet<StatusField>> {
    const kept = keptStatusFields(
      await client.get<CustomResourceDefinition>(customResourceDefinitions, { name: definitionName }),
    );
    if (!kept.has('conditions'))
      logger.warn(
        'The installed CRD of PublishedResources keeps less status than there is to tell. Install the one of Hawser to see all of it.',
        { kept: [...kept] },
      );
    return kept;
  }

  return {
    kept: keptFields,
    commit: async (object, change, signal) => {
      const kept = await keptFields(signal);
      const written = await commitStatus<PublishedResource>(
        client,
        resources.publishedResources,
        object,
        (status, current) => changedStatus(status, current, change, { kept, now: clock.now() }),
        { clock, random, signal },
      );
      if (written !== undefined && written !== object) publishedResources.observe(written);
      return written;
    },
  };
}
