import { columns, rootWithOptionalSpec, s, versionPattern } from '@hawser/crd';
import type { KindDefinition } from './kind.js';

const versionName = s.string({ minLength: 1, pattern: versionPattern });

const spec = s.object({
  conversions: s.array(
    s.object({
      from: versionName,
      to: versionName,
      preserve: s.optional(s.array(s.string())),
      rules: s.array(
        s.object({
          field: s.string({ minLength: 1 }),
          destination: s.string({ minLength: 1 }),
          transformation: s.optional(s.string()),
        }),
        { listMapKeys: ['destination'] },
      ),
    }),
    { listMapKeys: ['from', 'to'] },
  ),
});

/** A kind that the peers install and never use (spec/kube-bind-api.md §6.15). */
export const apiConversionKind: KindDefinition = {
  kind: 'APIConversion',
  plural: 'apiconversions',
  scope: 'Cluster',
  category: 'kcp',
  description: 'Rules for conversion between versions. Not used.',
  versions: [
    { name: 'v1alpha2', storage: true, columns: [columns.age], schema: rootWithOptionalSpec(spec), hasStatus: false },
  ],
};
