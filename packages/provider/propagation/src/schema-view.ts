import type { Client } from '@hawser/client';
import type { Setup } from '@hawser/controller';
import { createInlineStamper, createSchemaStamper, type SchemaStamper } from '@hawser/exportrequest';
import { createSharedInformers, type SharedInformers } from '@hawser/informer';
import { clientSpeaking } from '@hawser/klutch';
import { type Dialect, labels } from '@hawser/kube-bind';
import { noMetrics } from '@hawser/telemetry';

/**
 * Reads and writes exports and their schemas in the form of kube-bind: an export that carries its schema is its own
 * BoundSchema.
 */
export function schemaView(
  { clusters: { provider }, clock, random, logger, scope }: Setup<'provider'>,
  dialect: Dialect,
): { readonly client: Client; readonly informers: SharedInformers } {
  if (dialect.schema === 'BoundSchemas') return provider;
  const client = clientSpeaking(dialect, provider.client);
  // Their metrics would count as those of kube-bind's kinds.
  const informers = createSharedInformers({ client, clock, random, logger, metrics: noMetrics });
  scope.own(informers);
  return { client, informers };
}

export function stamperOf({ schema }: Dialect): SchemaStamper {
  return schema === 'Inline' ? createInlineStamper() : createSchemaStamper();
}

/** Selects the exported CRDs. In Klutch templates do that, and removing one does not affect existing exports. */
export function exportedSelector({ schema }: Dialect): string | undefined {
  return schema === 'Inline' ? undefined : `${labels.exported}=true`;
}
