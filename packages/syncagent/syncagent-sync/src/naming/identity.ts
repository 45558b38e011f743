/** The place of an object in kcp. */
export interface Identity {
  readonly cluster: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}
