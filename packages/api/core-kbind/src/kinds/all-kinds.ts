import type { KindDefinition } from '@hawser/crd';
import { bindingKind, clusterBindingKind } from './binding.js';
import { connectionKind } from './connection.js';

export const kinds = {
  Connection: connectionKind,
  ClusterBinding: clusterBindingKind,
  Binding: bindingKind,
} as const satisfies Record<string, KindDefinition>;

export type Kind = keyof typeof kinds;
