import type { Binding, NewCondition } from '@hawser/core-kbind';
import type { CustomResourceDefinition } from '@hawser/crd';
import type { ProviderLink } from '@hawser/kbind-connection';
import type { SyncConfig } from './observed.js';
import type { RelatedKind } from './related/rules.js';

/** One step for a binding. */
export type Action =
  | { readonly type: 'addFinalizer'; readonly binding: Binding }
  | { readonly type: 'removeFinalizer'; readonly binding: Binding }
  | { readonly type: 'createCRD'; readonly crd: CustomResourceDefinition }
  /** Spec and marks of `wanted` take the place of what `live` has. */
  | {
      readonly type: 'updateCRD';
      readonly live: CustomResourceDefinition;
      readonly wanted: CustomResourceDefinition;
    }
  /** Under pull policy None somebody else installs CRDs: this one is marked as bound. */
  | { readonly type: 'markCRD'; readonly live: CustomResourceDefinition; readonly connection: string }
  /** No binding of its Connection lists the API any more: from now on it follows another one. Only after that was read live. */
  | { readonly type: 'claimCRD'; readonly live: CustomResourceDefinition; readonly connection: string }
  /** With all its objects: each takes its copy along. Only after it was read live that nobody else binds it. */
  | { readonly type: 'deleteCRD'; readonly live: CustomResourceDefinition; readonly key: string }
  | { readonly type: 'startSync'; readonly key: string; readonly binding: Binding; readonly config: SyncConfig }
  | { readonly type: 'stopSync'; readonly key: string; readonly api: string }
  /** Takes the finalizer off all objects of the binding, and leaves their copies. `leaving`: it lists the API no more. */
  | {
      readonly type: 'release';
      readonly key: string;
      readonly crd: CustomResourceDefinition;
      readonly namespace: string | undefined;
      readonly leaving: boolean;
    }
  /** Notes on the binding of which resources it may have related copies. */
  | { readonly type: 'recordRelated'; readonly binding: Binding; readonly kinds: readonly RelatedKind[] }
  | {
      readonly type: 'startRelated';
      readonly key: string;
      readonly binding: Binding;
      readonly kind: RelatedKind;
      readonly link: ProviderLink;
    }
  | { readonly type: 'stopRelated'; readonly key: string; readonly kind: RelatedKind }
  | { readonly type: 'writeStatus'; readonly binding: Binding; readonly facts: StatusFacts };

/** What goes into the status. */
export interface StatusFacts {
  readonly boundAPIs?: NonNullable<Binding['status']>['boundAPIs'];
  readonly conditions: readonly NewCondition[];
}
