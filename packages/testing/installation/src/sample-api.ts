/** An API that a test or a demonstration offers. */
export interface SampleApi {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
}
