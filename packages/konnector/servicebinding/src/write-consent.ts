import { type Client, type KubeObject, isForbidden } from '@hawser/client';
import type { JsonValue } from '@hawser/json';
import {
  type APIServiceBinding,
  type ClaimConsent,
  type ConsentRecord,
  consentRecordOf,
  consentText,
  hawserAnnotations,
  resources,
} from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';

/**
 * Records the accepted claims and who accepted them, on the very version of the binding that was decided about; else it
 * fails with a conflict. Resolves to the present binding. If the konnector may not write the binding, its status
 * remains the only record.
 */
export async function writeConsent(
  client: Client,
  binding: APIServiceBinding,
  record: ConsentRecord,
  logger: Logger,
  signal: AbortSignal,
): Promise<APIServiceBinding> {
  const { name, uid = '', resourceVersion } = binding.metadata;
  try {
    const live = await client.get<APIServiceBinding>(resources.apiServiceBindings, { name }, { signal });
    const before = consentRecordOf(binding);
    const signed = new Map(
      [...record].map(([id, consent]): readonly [string, ClaimConsent] => [
        id,
        before?.has(id) === true ? consent : { ...consent, writers: writersOf(live, consent) },
      ]),
    );
    const annotations = { [hawserAnnotations.claimConsent]: consentText(uid, signed) };
    return await client.patch<APIServiceBinding>(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations } } },
      { signal },
    );
  } catch (error) {
    if (!isForbidden(error)) throw error;
    logger.warn('The consent to claims cannot be written down: the konnector may not patch the APIServiceBinding', {
      binding: name,
      error,
    });
    return binding;
  }
}

/** Writers of the consent, by managedFields. Only konnectors write a status. */
function writersOf({ metadata: { managedFields = [] } }: KubeObject, { by }: ClaimConsent): readonly string[] {
  if (by === 'status') return [];
  const path = by === 'binding' ? ['f:spec'] : ['f:metadata', 'f:annotations', `f:${hawserAnnotations.acceptedClaims}`];
  const has = (fields: unknown): boolean => {
    let node = fields as JsonValue | undefined;
    for (const key of path) {
      if (typeof node !== 'object' || node === null || Array.isArray(node)) return false;
      node = (node as Readonly<Record<string, JsonValue>>)[key];
    }
    return node !== undefined;
  };
  return [...new Set(managedFields.filter(({ fieldsV1 }) => has(fieldsV1)).map(({ manager = '' }) => manager))];
}
