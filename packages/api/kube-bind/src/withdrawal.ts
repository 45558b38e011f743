import { hawserAnnotations } from './metadata.js';

/**
 * Why the provider withdrew an export. `Unbound`: the consumer's konnector unbound it. `RequestDeleted`: its request is
 * gone.
 */
export type Withdrawal = 'Unbound' | 'RequestDeleted';

/**
 * Whether the provider marked an APIServiceExport as withdrawn: its rights are revoked, objects stay. Consumers cannot
 * write the mark. An unknown value counts too, so no mark is overlooked.
 */
export function isWithdrawn({
  annotations,
}: {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}): boolean {
  return (annotations?.[hawserAnnotations.withdrawn] ?? '') !== '';
}

/**
 * Whether the operator withdrew an export by its cluster namespace: all of that consumer by `hawser.dev/withdrawn`, or
 * some by name in `hawser.dev/withdrawn-exports`. No consumer writes to that namespace, so the mark fits whatever the
 * consumer does to the export.
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
 * What happens to a consumer's copies on the provider when its export is withdrawn or deleted:
 * - `Keep`: they stay, and Hawser reports their number. Needs no finalizer.
 * - `Delete`: Hawser deletes those proven to be this consumer's; an export that is being deleted goes after the last of
 * them.
 */
export type WithdrawnObjectsPolicy = 'Keep' | 'Delete';

/**
 * The policy of an export, and whether its annotation has an unknown value. An unknown value counts as `Keep`, whatever
 * default the provider has set.
 */
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
