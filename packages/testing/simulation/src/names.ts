/** Who is who in a simulation. */
export interface Names {
  readonly consumer: string;
  readonly providers: readonly string[];
  /** The consumer and the providers. */
  readonly clusters: readonly string[];
  /** Two konnectors, one of which works, and the provider role of each provider. */
  readonly machines: readonly string[];
  /** One API of each provider. */
  readonly bindings: readonly Binding[];
  /** Consumers by the identities under which providers know them: the one whose cluster this is, and another one that only has its exports. */
  readonly consumers: readonly [string, string];
}

export interface Binding {
  readonly name: string;
  readonly provider: string;
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

export const NAMES: Names = {
  consumer: 'consumer',
  providers: ['provider-a', 'provider-b'],
  clusters: ['consumer', 'provider-a', 'provider-b'],
  machines: ['konnector-0', 'konnector-1', 'machine-a', 'machine-b'],
  bindings: [
    { name: 'databases', provider: 'provider-a', group: 'example.com', plural: 'databases', kind: 'Database' },
    { name: 'buckets', provider: 'provider-b', group: 'storage.example.com', plural: 'buckets', kind: 'Bucket' },
  ],
  consumers: ['consumer', 'neighbour'],
};

/** The namespaces of the users. */
export const namespaces = ['team-0', 'team-1', 'team-2'] as const;
