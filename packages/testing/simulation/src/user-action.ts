/** What somebody does, as a person or a pipeline would: directly, and knowing whether it worked. Objects are meant by number. */
export type UserAction =
  | { readonly at: number; readonly kind: 'create' | 'update' | 'delete'; readonly object: number }
  /** Deleted, and created again as soon as the name is free. */
  | { readonly at: number; readonly kind: 'recreate'; readonly object: number }
  /** Something on the provider's side changes the copy's spec. */
  | { readonly at: number; readonly kind: 'tamper'; readonly object: number }
  /** The API is unbound and bound again `forMs` later. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'unbind'; readonly binding: number }
  /** The owner of the API adds a field to its CRD. */
  | { readonly at: number; readonly kind: 'add-field'; readonly binding: number }
  /** The owner of the API makes a change to its CRD that breaks something; `forMs` later it is approved, or taken back. */
  | { readonly at: number; readonly forMs: number; readonly kind: 'narrow'; readonly binding: number; readonly approved: boolean };
