import { type Client, type KubeObject, getIfExists, listAll } from '@hawser/client';
import type { Informer } from '@hawser/informer';
import { annotations } from '@hawser/klutch';
import { resources } from '@hawser/kube-bind';
import { ownerAnnotations, ownerOf } from '@hawser/consumer-states';
import type { OwnCluster, OwnClusters } from '../bindings/own-cluster.js';
import { type Person, identityOf } from '../person.js';
import { hashOf } from '../personal-grants.js';

const BY_OWNER = 'portal-klutch-owner';
const BY_IDENTITY = 'portal-klutch-identity';
/** On a namespace made here: its person, to count a person's namespaces on every replica at once. */
const PERSON_LABEL = 'hawser.dev/portal-person';

/**
 * Klutch consumers' namespaces, and their owners. A cache finds them, so many consumers do not make it slow. Each is
 * read again before use: an operator may have given it to another person.
 */
export class KlutchHomes implements OwnClusters {
  readonly #client: Pick<Client, 'name' | 'get' | 'list' | 'create'>;
  readonly #namespaces: Pick<Informer<KubeObject>, 'byIndex' | 'observe'>;

  constructor(
    client: Pick<Client, 'name' | 'get' | 'list' | 'create'>,
    namespaces: Pick<Informer<KubeObject>, 'byIndex' | 'addIndex' | 'observe'>,
  ) {
    this.#client = client;
    this.#namespaces = namespaces;
    namespaces.addIndex(BY_OWNER, (home) => (identityIn(home) === undefined ? [] : [ownerOf(home)]));
    namespaces.addIndex(BY_IDENTITY, (home) => [identityIn(home) ?? []].flat());
  }

  async of(person: Person, signal: AbortSignal): Promise<readonly OwnCluster[]> {
    const homes = await this.#current(this.#namespaces.byIndex(BY_OWNER, identityOf(person)), signal);
    return homes
      .filter((home) => isOwner(person, home))
      .sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1))
      .map(clusterOf);
  }

  async one(person: Person, namespace: string, signal: AbortSignal): Promise<OwnCluster | undefined> {
    const known = this.#namespaces
      .byIndex(BY_OWNER, identityOf(person))
      .filter(({ metadata }) => metadata.name === namespace);
    const [home] = await this.#current(known, signal);
    return home !== undefined && isOwner(person, home) ? clusterOf(home) : undefined;
  }

  /** All with this identity, including `name`, which another replica may just have made. @throws {ApiError} */
  withIdentity(identity: string, name: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
    return this.#current([...this.#namespaces.byIndex(BY_IDENTITY, identity), { metadata: { name } }], signal).then(
      (homes) => homes.filter((home) => identityIn(home) === identity),
    );
  }

  /** Number of the person's consumers, including those that another replica has just made. @throws {ApiError} */
  async countOf(person: Person, signal: AbortSignal): Promise<number> {
    const [known, made] = await Promise.all([
      this.of(person, signal),
      listAll<KubeObject>(this.#client, resources.namespaces, {
        labelSelector: `${PERSON_LABEL}=${hashOf(identityOf(person))}`,
        representation: 'metadata',
        signal,
      }),
    ]);
    const own = made.filter((home) => identityIn(home) !== undefined && isOwner(person, home));
    return new Set([...known.map(({ namespace }) => namespace), ...own.map(({ metadata }) => metadata.name)]).size;
  }

  /** @throws {ApiError} */
  async create(person: Person, identity: string, name: string, signal: AbortSignal): Promise<KubeObject> {
    const marks = {
      [annotations.identity]: identity,
      [ownerAnnotations.issuer]: person.issuer,
      [ownerAnnotations.subject]: person.subject,
    };
    const labels = { [PERSON_LABEL]: hashOf(identityOf(person)) };
    const made = await this.#client.create<KubeObject>(
      resources.namespaces,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels, annotations: marks } },
      { signal },
    );
    this.#namespaces.observe(made);
    return made;
  }

  async #current(
    found: readonly { readonly metadata: { readonly name: string } }[],
    signal: AbortSignal,
  ): Promise<readonly KubeObject[]> {
    const names = [...new Set(found.map(({ metadata }) => metadata.name))];
    const homes = await Promise.all(
      names.map((name) =>
        getIfExists<KubeObject>(this.#client, resources.namespaces, { name }, { representation: 'metadata', signal }),
      ),
    );
    return homes.filter((home) => home !== undefined);
  }
}

/** Whether a person brought it in, or an operator gave it to them. */
export function isOwner(person: Person, home: KubeObject): boolean {
  return ownerOf(home) === identityOf(person);
}

function identityIn({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[annotations.identity];
}

/** A Klutch cluster has no name except its id. */
function clusterOf(home: KubeObject): OwnCluster {
  const { name } = home.metadata;
  const identity = identityIn(home) ?? name;
  const prettyName = identity.slice(identity.lastIndexOf('#') + 1);
  return { dialect: 'klutch', namespace: name, cluster: { identity, prettyName }, owner: ownerOf(home) };
}
