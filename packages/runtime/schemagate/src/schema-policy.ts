/** What becomes of a changed schema. `Always`: it flows, whatever it breaks. `Safe`: a breaking one waits for approval. `Never`: every change waits. */
export type SchemaPolicy = 'Always' | 'Safe' | 'Never';

/** The policy that an annotation says; undefined where it says nothing. A word that is none of the three is meant to restrain: `Safe`. */
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

/** Of two policies the one that lets less through. */
export function tighterPolicy(a: SchemaPolicy, b: SchemaPolicy): SchemaPolicy {
  return restraint.indexOf(a) > restraint.indexOf(b) ? a : b;
}
