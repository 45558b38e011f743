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
  /** Spec and marks of `wanted` replace those of `live`. */
  | {
      readonly type: 'updateCRD';
      readonly live: CustomResourceDefinition;
      readonly wanted: CustomResourceDefinition;
    }
  /** Under pull policy None another party installs CRDs; this marks the CRD as bound. */
  | { readonly type: 'markCRD'; readonly live: CustomResourceDefinition; readonly connection: string }
  /**
   * Hands the CRD over to another Connection, after a live read that no binding of its own Connection lists the API.
   */
  | { readonly type: 'claimCRD'; readonly live: CustomResourceDefinition; readonly connection: string }
  /**
   * Deletes the CRD with all objects and their copies, after a live read that the binding still goes and nothing else
   * binds it.
   */
  | {
      readonly type: 'deleteCRD';
      readonly live: CustomResourceDefinition;
      readonly key: string;
      readonly binding: Binding;
    }
  | { readonly type: 'startSync'; readonly key: string; readonly binding: Binding; readonly config: SyncConfig }
  | { readonly type: 'stopSync'; readonly key: string; readonly api: string }
  /**
   * Takes the finalizer off all objects of the binding, after a live read of it; copies stay. `leaving`: the binding no
   * longer lists the API.
   */
  | {
      readonly type: 'release';
      readonly key: string;
      readonly crd: CustomResourceDefinition;
      readonly binding: Binding;
      readonly leaving: boolean;
    }
  /** Records on the binding the resources of which it may have related copies. */
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

/** Fields for the status. */
export interface StatusFacts {
  readonly boundAPIs?: NonNullable<Binding['status']>['boundAPIs'];
  readonly conditions: readonly NewCondition[];
}
