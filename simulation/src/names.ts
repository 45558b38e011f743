/** Names of all parties of a simulation. */
export interface Names {
  readonly consumer: string;
  readonly providers: readonly string[];
  /** The consumer and the providers. */
  readonly clusters: readonly string[];
  /** Two konnectors, one of which works, and the provider role of each provider. */
  readonly machines: readonly string[];
  /** One API of each provider. */
  readonly bindings: readonly Binding[];
  /**
   * Consumers by their identities at the providers: the one with this cluster, and others that only have their exports.
   */
  readonly consumers: readonly [string, string, ...string[]];
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

/** Names with as many consumers as the roll-out has places, if any. */
export function namesFor(rollout: readonly unknown[]): Names {
  const [first, second] = NAMES.consumers;
  return { ...NAMES, consumers: [first, second, ...rollout.slice(2).map((_, index) => `neighbour-${index + 2}`)] };
}

/** The namespaces of the users. */
export const namespaces = ['team-0', 'team-1', 'team-2'] as const;

/** Additional offer of a binding's provider, if a bundle binds all its offers: users have no objects of it. */
export function extraOf({ name, plural, kind, ...rest }: Binding): Binding {
  return { ...rest, name: `${name}-copies`, plural: `${plural}copies`, kind: `${kind}Copy` };
}
