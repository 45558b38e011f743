import { hawserAnnotations } from './metadata.js';

/**
 * Why the provider has withdrawn an export: `Unbound`, the consumer's konnector has let go of it; `RequestDeleted`, the request that it was made for is gone.
 */
export type Withdrawal = 'Unbound' | 'RequestDeleted';

/**
 * Whether an APIServiceExport is withdrawn, as the provider marked it: rights for it are taken back, objects stay. Consumers cannot write the mark. An
 * unknown word counts, so that a mark is never overlooked.
 */
export function isWithdrawn({ annotations }: { readonly annotations?: Readonly<Record<string, string>> | undefined }): boolean {
  return (annotations?.[hawserAnnotations.withdrawn] ?? '') !== '';
}
