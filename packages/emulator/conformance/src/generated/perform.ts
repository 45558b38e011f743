import { isObject, type JsonObject } from '@hawser/json';
import { type Answer, dig } from '../answer.js';
import type { Api, CallOptions } from '../api.js';
import { fixtureGroup } from '../fixtures.js';
import type { Known, Operation, Sequence, SequenceKind } from './operation.js';

const types: Readonly<Record<SequenceKind, { readonly apiVersion: string; readonly kind: string }>> = {
  widgets: { apiVersion: `${fixtureGroup}/v1`, kind: 'Widget' },
  gears: { apiVersion: `${fixtureGroup}/v1`, kind: 'Gear' },
  loose: { apiVersion: `${fixtureGroup}/v1`, kind: 'Loose' },
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap' },
  secrets: { apiVersion: 'v1', kind: 'Secret' },
  leases: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
};

/** Known state of an object. */
interface Seen {
  readonly uid: string;
  readonly versions: readonly string[];
  readonly last: JsonObject;
}

const foreign = '11111111-1111-1111-1111-111111111111';

/** Runs a sequence, then reads all events from a watch. */
export async function perform(api: Api, { kind, operations }: Sequence): Promise<void> {
  const collection = kind === 'widgets' || kind === 'gears' || kind === 'loose' ? api.fixture(kind) : api.path(kind);
  const { resourceVersion } = await api.quietly.get(collection);
  const performer = new Performer(api, kind, collection);
  for (const operation of operations) await performer.perform(operation);
  await api.quietly.create(collection, { ...types[kind], metadata: { name: 'z-end' } });
  await using watch = await api.watch(collection, { query: { resourceVersion } });
  for (;;) {
    const [event] = await watch.take(1);
    if (event?.object.name === 'z-end') return;
  }
}

class Performer {
  private readonly seen = new Map<string, Seen>();

  constructor(
    private readonly api: Api,
    private readonly kind: SequenceKind,
    private readonly collection: string,
  ) {}

  async perform(operation: Operation): Promise<void> {
    if (operation.kind === 'list') {
      await this.api.get(this.collection, { query: operation.query });
      return;
    }
    const answer = await this.send(operation);
    if (operation.dryRun || answer.status >= 300 || operation.kind === 'scale') return;
    this.notice(operation.name, answer);
  }

  private async send(operation: Exclude<Operation, { kind: 'list' }>): Promise<Answer> {
    const { api, collection } = this;
    const { name } = operation;
    const path = `${collection}/${name}`;
    const dry = operation.dryRun ? { dryRun: 'All' } : {};
    const options: CallOptions = { query: { fieldManager: operation.manager, ...dry } };
    switch (operation.kind) {
      case 'create':
        return api.create(collection, this.body(name, operation.content, operation.meta), options);
      case 'replace':
        return api.replace(
          path,
          this.body(name, operation.content, { ...operation.meta, ...this.version(name, operation.known) }),
          options,
        );
      case 'edit':
        return api.replace(
          path,
          merged(this.seen.get(name)?.last ?? this.body(name, {}, {}), operation.content),
          options,
        );
      case 'merge':
        return api.patch(
          'merge',
          path,
          removing(
            { ...operation.content, metadata: { ...operation.meta, ...this.version(name, operation.known) } },
            operation.remove,
          ),
          options,
        );
      case 'strategic':
        return api.patch('strategic', path, { ...operation.content, metadata: operation.meta }, options);
      case 'json':
        return api.patch('json', path, operation.steps, options);
      case 'apply':
        return api.patch('apply', path, this.body(name, operation.content, withoutEmpty(operation.meta)), {
          query: { fieldManager: operation.manager, force: String(operation.force), ...dry },
        });
      case 'status':
        return this.status(operation, `${path}/status`, options);
      case 'scale':
        return api.patch('merge', `${path}/scale`, { spec: { replicas: operation.replicas } }, options);
      case 'delete':
        return api.delete(path, {
          preconditions: this.preconditions(name, operation.uid, operation.version),
          ...(operation.dryRun ? { dryRun: ['All'] } : {}),
        });
      case 'get':
        return api.get(path);
    }
  }

  private status(
    { name, way, status }: Extract<Operation, { kind: 'status' }>,
    path: string,
    options: CallOptions,
  ): Promise<Answer> {
    if (way === 'merge') return this.api.patch('merge', path, { status }, options);
    if (way === 'apply') return this.api.patch('apply', path, { ...this.body(name, {}, {}), status }, options);
    return this.api.replace(path, { ...(this.seen.get(name)?.last ?? this.body(name, {}, {})), status }, options);
  }

  private body(name: string, content: JsonObject, meta: JsonObject): JsonObject {
    return { ...types[this.kind], ...content, metadata: { name, ...meta } };
  }

  private version(name: string, known: Known): JsonObject {
    const versions = this.seen.get(name)?.versions ?? [];
    const version = known === 'current' ? versions.at(-1) : known === 'old' ? versions.at(-2) : undefined;
    return version === undefined ? {} : { resourceVersion: version };
  }

  private preconditions(name: string, uid: Known, version: Known): JsonObject {
    const known = this.seen.get(name)?.uid;
    return {
      ...(uid === 'current' && known !== undefined ? { uid: known } : uid === 'old' ? { uid: foreign } : {}),
      ...this.version(name, version),
    };
  }

  private notice(name: string, answer: Answer): void {
    const version = answer.at('metadata', 'resourceVersion');
    if (typeof version !== 'string' || answer.at('kind') === 'Status') return;
    const before = this.seen.get(name);
    const versions =
      before === undefined || before.versions.at(-1) === version
        ? (before?.versions ?? [version])
        : [...before.versions, version];
    this.seen.set(name, { uid: answer.uid, versions, last: answer.object });
  }
}

/**
 * The real server stores empty metadata of an apply as null. The next write drops it, whatever it is, and so gets a new
 * resourceVersion. Not reproduced.
 */
function withoutEmpty(meta: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(
      ([, value]) => typeof value !== 'object' || value === null || Object.keys(value).length > 0,
    ),
  );
}

/** One level deep, like a user with an editor. */
function merged(object: JsonObject, content: JsonObject): JsonObject {
  const result: Record<string, JsonObject[string]> = { ...object };
  for (const [key, value] of Object.entries(content)) {
    const before = dig(object, [key]);
    result[key] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return result;
}

/** With a null at one of the places that a patch can remove. */
function removing(patch: JsonObject, what: string | undefined): JsonObject {
  if (what === undefined) return patch;
  if (what === 'spec' || what === 'data') return { ...patch, [what]: null };
  const parent = what === 'labels' || what === 'finalizers' ? 'metadata' : what === 'a' ? 'data' : 'spec';
  const before = patch[parent];
  return { ...patch, [parent]: { ...(isObject(before) ? before : {}), [what]: null } };
}
