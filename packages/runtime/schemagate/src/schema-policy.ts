/**
 * Policy for changed schemas. `Always`: apply every change. `Safe`: a breaking change waits for approval. `Never`:
 * every change waits.
 */
export type SchemaPolicy = 'Always' | 'Safe' | 'Never';

/**
 * Reads the policy of an annotation; undefined: none. An unknown word counts as `Safe`, because it is meant to
 * restrict.
 */
export function parseSchemaPolicy(text: string | undefined): SchemaPolicy | undefined {
  switch (text?.trim().toLowerCase() ?? '') {
    case '':
      return undefined;
    case 'always':
      return 'Always';
    case 'never':
      return 'Never';
    default:
      return 'Safe';
  }
}

const restraint: readonly SchemaPolicy[] = ['Always', 'Safe', 'Never'];

/** The stricter of two policies. */
export function tighterPolicy(a: SchemaPolicy, b: SchemaPolicy): SchemaPolicy {
  return restraint.indexOf(a) > restraint.indexOf(b) ? a : b;
}
