/** An API for tests and demonstrations. */
export interface SampleApi {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
}
