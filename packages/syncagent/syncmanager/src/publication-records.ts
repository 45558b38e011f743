import { type Client, type KubeObject, getIfExists, isAlreadyExists, isConflict } from '@hawser/client';
import { parse, stringify } from '@hawser/json';
import { type PublishedResource, resources } from '@hawser/syncagent-api';
import type { PublishedKinds } from '@hawser/syncagent-sync';

/** Everything needed to release the objects of a PublishedResource after its deletion. */
export interface PublicationRecord {
  /** Name, uid, annotations and spec. */
  readonly publishedResource: PublishedResource;
  readonly kinds: PublishedKinds;
  /** Fingerprint of the kinds' input: the kinds are valid while it is equal. */
  readonly kindsOf?: string | undefined;
  /** Sorted URLs of virtual workspaces whose objects may have our finalizer. Undefined: record of an older version. */
  readonly endpoints?: readonly string[] | undefined;
}

interface Secret extends KubeObject {
  readonly type?: string | undefined;
  readonly data?: Readonly<Record<string, string>> | undefined;
}

const TRIES = 5;

/** Set by the operator on the Secret of the publications: URLs of permanently lost endpoints, separated by commas. */
export const lostEndpointsAnnotation = 'hawser.dev/lost-endpoints';

/**
 * Records started publications by uid, in one Secret of the agent's namespace. A PublishedResource has no finalizer of
 * ours: without a record, a deletion while the agent is down would leave finalizers in workspaces forever. A Secret,
 * because the agent has rights for it.
 */
export class PublicationRecords {
  readonly #client: Client;
  readonly #key: { readonly namespace: string; readonly name: string };
  #known: ReadonlyMap<string, PublicationRecord> = new Map();
  #lost: readonly string[] = [];
  /** Serialises writes: PublishedResources of one agent share the Secret. */
  #last: Promise<void> = Promise.resolve();

  constructor(client: Client, namespace: string, agentName: string) {
    this.#client = client;
    this.#key = { namespace, name: `hawser-publications.${agentName}` };
  }

  /** As of the last read or write. */
  get all(): ReadonlyMap<string, PublicationRecord> {
    return this.#known;
  }

  /** URLs of permanently lost endpoints from {@link lostEndpointsAnnotation}, as of the last read or write. */
  get lost(): readonly string[] {
    return this.#lost;
  }

  /** `namespace/name` of the Secret. */
  get path(): string {
    return `${this.#key.namespace}/${this.#key.name}`;
  }

  load(signal: AbortSignal): Promise<void> {
    const done = this.#last.then(async () => {
      this.#take(await this.#read(signal));
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  #take(secret: Secret | undefined): void {
    this.#known = recordsOf(secret);
    this.#lost = (secret?.metadata.annotations?.[lostEndpointsAnnotation] ?? '')
      .split(/[\s,]+/u)
      .flatMap((url) => (url === '' ? [] : [url.replace(/\/+$/u, '')]));
  }

  /** Writes the record unless it is there already. */
  async put(uid: string, record: PublicationRecord, signal: AbortSignal): Promise<void> {
    const text = encode(record);
    const present = this.#known.get(uid);
    if (present !== undefined && encode(present) === text) return;
    await this.#change((data) => ({ ...data, [uid]: text }), signal);
  }

  async remove(uid: string, signal: AbortSignal): Promise<void> {
    if (!this.#known.has(uid)) return;
    await this.#change((data) => Object.fromEntries(Object.entries(data).filter(([key]) => key !== uid)), signal);
  }

  #change(
    change: (data: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const done = this.#last.then(() => this.#write(change, signal));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #write(
    change: (data: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      const present = await this.#read(signal);
      const data = change(present?.data ?? {});
      try {
        this.#take(
          await (present === undefined
            ? this.#client.create<Secret>(
                resources.secrets,
                {
                  apiVersion: 'v1',
                  kind: 'Secret',
                  metadata: this.#key,
                  type: 'hawser.dev/publications',
                  data,
                } as Secret,
                { signal },
              )
            : this.#client.update<Secret>(resources.secrets, { ...present, data } as Secret, { signal })),
        );
        return;
      } catch (error) {
        if (tries >= TRIES || !(isConflict(error) || isAlreadyExists(error))) throw error;
      }
    }
  }

  #read(signal: AbortSignal): Promise<Secret | undefined> {
    return getIfExists<Secret>(this.#client, resources.secrets, this.#key, { signal });
  }
}

function recordsOf(secret: Secret | undefined): ReadonlyMap<string, PublicationRecord> {
  return new Map(
    Object.entries(secret?.data ?? {}).flatMap(([uid, text]): [string, PublicationRecord][] => {
      const record = decode(text);
      return record === undefined ? [] : [[uid, record]];
    }),
  );
}

function encode({
  publishedResource: {
    apiVersion,
    kind,
    metadata: { name, uid, annotations },
    spec,
  },
  kinds,
  kindsOf,
  endpoints,
}: PublicationRecord): string {
  return Buffer.from(
    stringify({
      publishedResource: { apiVersion, kind, metadata: { name, uid, annotations }, spec },
      kinds,
      ...(kindsOf === undefined ? {} : { kindsOf }),
      ...(endpoints === undefined ? {} : { endpoints }),
    }),
  ).toString('base64');
}

/** Undefined for an unreadable record: it is kept unused. */
function decode(text: string): PublicationRecord | undefined {
  try {
    const value = parse(Buffer.from(text, 'base64').toString()) as Partial<PublicationRecord> | null;
    return value?.publishedResource?.metadata.name === undefined || value.kinds?.kcp.resource.resource === undefined
      ? undefined
      : (value as PublicationRecord);
  } catch {
    return undefined;
  }
}
