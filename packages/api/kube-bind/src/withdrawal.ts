import { hawserAnnotations } from './metadata.js';

/**
 * Why the provider has withdrawn an export: `Unbound`, the consumer's konnector has let go of it; `RequestDeleted`, the request that it was made for is gone.
 */
export type Withdrawal = 'Unbound' | 'RequestDeleted';

/**
 * Whether an APIServiceExport is withdrawn, as the provider marked it: rights for it are taken back, objects stay. Consumers cannot write the mark. An
 * unknown word counts, so that a mark is never overlooked.
 */
export function isWithdrawn({
  annotations,
}: {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}): boolean {
  return (annotations?.[hawserAnnotations.withdrawn] ?? '') !== '';
}

/**
 * Whether the operator has withdrawn an export by its cluster namespace: all of that consumer by `hawser.dev/withdrawn`, or some by their names in `hawser.dev/withdrawn-exports`. No consumer
 * writes anything of that namespace, so there is room for it whatever the consumer does to the export.
 */
export function isWithdrawnByNamespace(
  namespace: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined } } | undefined,
  exportName: string,
): boolean {
  if (namespace === undefined) return false;
  const names = namespace.metadata.annotations?.[hawserAnnotations.withdrawnExports] ?? '';
  return isWithdrawn(namespace.metadata) || names.split(/[\s,]+/u).includes(exportName);
}

/**
 * What becomes of a consumer's copies on the provider when its export ends, be it withdrawn or deleted:
 * - `Keep`: they stay, and it is told how many. Needs no finalizer.
 * - `Delete`: those that are proven to be this consumer's are deleted; an export that is being deleted goes after the last of them.
 */
export type WithdrawnObjectsPolicy = 'Keep' | 'Delete';

/** The policy of an export, and whether its annotation says something else. An unknown word counts as `Keep`, whatever the provider has set for all. */
export function withdrawnObjectsPolicyOf(
  { annotations }: { readonly annotations?: Readonly<Record<string, string>> | undefined },
  provider: WithdrawnObjectsPolicy,
): { readonly policy: WithdrawnObjectsPolicy; readonly unknown?: string } {
  const value = annotations?.[hawserAnnotations.withdrawnObjects] ?? '';
  switch (value) {
    case '':
      return { policy: provider };
    case 'Keep':
    case 'Delete':
      return { policy: value };
    default:
      return { policy: 'Keep', unknown: value };
  }
}
