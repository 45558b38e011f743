/** Where an object of kcp is. */
export interface Identity {
  readonly cluster: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}
