import { type ObjectKey, type Resource, type UnstructuredObject, getIfExists, isApiError } from '@hawser/client';
import type { Random } from '@hawser/clock';
import { eventually } from '@hawser/testenv';
import { secretByImage } from './secret-by-image.js';
import { type Admission, CRONTABS, SECRETS, type WholeAgent, openWholeAgent } from './whole-agent.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';
const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };
const TEAMS = ['root:team-1', 'root:team-2'] as const;
const OBJECTS = ['one', 'two', 'three'] as const;
/** `pg` and `idle` are names of the operator's Secrets, at the places of copies. */
const IMAGES = ['creds', 'shared', 'pg', 'idle'] as const;
const OPERATORS = { password: 'of-the-operator' };
const CONTROLLER = {
  ownerReferences: [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'pg',
      uid: '5b1c1a52-1111-4c3f-9d2a-000000000001',
      controller: true,
    },
  ],
};
const PATIENT = { timeoutMs: 30_000, intervalMs: 100 };

type Content = Readonly<Record<string, string>>;

/** An object on the service cluster that the agent did not make: it must stay unchanged. */
interface Foreign {
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  readonly version: string | undefined;
}

/**
 * An agent, users of two workspaces and an operator of the service cluster act in turn, by chance, while kcp fails and
 * the agent restarts. Compares wishes and foreign objects at the end. Equal numbers: equal actions; requests overlap.
 */
export class Storm {
  readonly agent: WholeAgent;
  readonly #random: Random;
  readonly #foreign: Foreign[] = [];
  /** Actions so far, for messages. */
  readonly done: string[] = [];
  #sliceIsGone = false;
  #serial = 0;

  private constructor(agent: WholeAgent, random: Random) {
    this.agent = agent;
    this.#random = random;
  }

  static async open(random: Random): Promise<Storm> {
    const agent = await openWholeAgent({ shards: ['root', 'west'], related: [secretByImage()], claims: ['secrets'] });
    const storm = new Storm(agent, random);
    await agent.makeSlice();
    await agent.start();
    await agent.publish();
    await agent.world.bind(TEAMS[0]);
    await agent.world.bind(TEAMS[1], 'west');
    for (const team of TEAMS) {
      const namespace = storm.#namespaceOf(team);
      await agent.world.service.create(NAMESPACES, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      await storm.#make(SECRETS, secret({ namespace, name: 'pg' }, OPERATORS, CONTROLLER));
      await storm.#make(SECRETS, secret({ namespace, name: 'idle' }, OPERATORS));
      // Waits until the workspace serves CronTabs.
      await agent.create(team, 'first');
      await agent.placed(team, 'first');
    }
    return storm;
  }

  /** One action. A late or repeated one does nothing. */
  async step(): Promise<void> {
    const team = this.#pick(TEAMS);
    const [object, image] = [this.#pick(OBJECTS), this.#pick(IMAGES)];
    const user = this.agent.world.workspace(team);
    const content = this.#pick<Content>([{}, { own: String(this.#serial++) }, OPERATORS]);
    const actions: readonly (readonly [string, number, () => Promise<unknown>])[] = [
      [
        `a user makes ${object} with ${image}`,
        8,
        () =>
          user.create(CRONTABS, {
            apiVersion: 'example.com/v1',
            kind: 'CronTab',
            metadata: {
              name: object,
              namespace: 'default',
              labels: this.#random() < 0.2 ? { 'syncagent.kcp.io/agent-name': 'another' } : {},
            },
            spec: { cronSpec: '*', image },
          } as UnstructuredObject),
      ],
      [
        `a user changes ${object} to ${image}`,
        5,
        () =>
          this.agent.change(team, object, {
            spec: { cronSpec: String(this.#serial++), image: this.#random() < 0.3 ? null : image },
          }),
      ],
      [`a user deletes ${object}`, 4, () => user.delete(CRONTABS, { namespace: 'default', name: object })],
      [
        `a user makes Secret ${image}`,
        6,
        () => user.create(SECRETS, secret({ namespace: 'default', name: image }, content)),
      ],
      [
        `a user changes Secret ${image}`,
        4,
        () =>
          user.patch(
            SECRETS,
            { namespace: 'default', name: image },
            { type: 'merge', patch: { data: encoded(content) } },
          ),
      ],
      [`a user deletes Secret ${image}`, 2, () => user.delete(SECRETS, { namespace: 'default', name: image })],
      [`an operator makes a child of ${object}`, 2, () => this.#like(team, object, CONTROLLER)],
      [`a person clones ${object}`, 2, () => this.#like(team, object, {})],
      [`an operator puts a child in the place of the copy of ${object}`, 2, () => this.#replace(team, object)],
      [
        `a person deletes the copy of ${object}`,
        1,
        () =>
          this.#isForeign(CRONTABS, this.#namespaceOf(team), object)
            ? Promise.resolve()
            : this.agent.world.service.delete(CRONTABS, { namespace: this.#namespaceOf(team), name: object }),
      ],
      [
        'kcp refuses lists',
        2,
        () =>
          this.#failing(({ resource, verb }) => verb === 'list' && (resource === 'crontabs' || resource === 'secrets')),
      ],
      ['kcp fails', 1, () => this.#failing(() => true)],
      [
        'an admission strips finalizers',
        1,
        () => {
          this.agent.admission = this.agent.admission === undefined ? stripping : undefined;
          return Promise.resolve();
        },
      ],
      ['the endpoint slice goes or comes', 1, () => this.#turnSlice()],
      ['the agent is started anew', 2, () => this.#restart()],
      ['a moment passes', 8, () => this.#rest()],
    ];
    const all = actions.reduce((sum, [, weight]) => sum + weight, 0);
    let at = this.#random() * all;
    const [what, , run] = actions.find(([, weight]) => (at -= weight) < 0) ?? present(actions[0]);
    this.done.push(`${team} ${what}`);
    try {
      await run();
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'AlreadyExists', 'Conflict', 'Invalid')) throw error;
    }
  }

  /** Ends all faults. */
  async heal(): Promise<void> {
    this.agent.world.kcp.kcp.setFaults(undefined);
    this.agent.admission = undefined;
    if (this.#sliceIsGone) await this.#turnSlice();
  }

  /** Visible faults; empty once everything has come to rest. */
  async wrong(): Promise<readonly string[]> {
    const found: string[] = await this.harmed();
    for (const team of TEAMS) {
      const user = this.agent.world.workspace(team);
      const namespace = this.#namespaceOf(team);
      const present = (await user.list(CRONTABS)).items;
      const secrets = new Map((await user.list(SECRETS)).items.map((each) => [each.metadata.name, each]));
      const referred = new Set<string>();
      // Its related objects wait with it.
      const isHeld = present.some(({ metadata }) => this.#isForeign(CRONTABS, namespace, metadata.name));
      for (const object of present) {
        const { name, deletionTimestamp } = object.metadata;
        if (this.#isForeign(CRONTABS, namespace, name)) {
          // The agent can do nothing for it, and does nothing.
          const reason = this.#problemReasonOf(team, name);
          if (reason !== 'CopyControlled' && reason !== 'Occupied')
            found.push(`${team} ${name} says ${reason ?? 'nothing'}, though another has the place of its copy`);
          continue;
        }
        if (deletionTimestamp !== undefined) found.push(`${team} ${name} is still being deleted`);
        const copy = await this.agent.copyOf(team, name);
        if (JSON.stringify(sorted(copy?.['spec'])) !== JSON.stringify(sorted(object['spec'])))
          found.push(`${team} ${name} differs from its copy`);
        const { image } = object['spec'] as { readonly image?: string };
        const original = image === undefined ? undefined : secrets.get(image);
        if (image === undefined || original === undefined) continue;
        referred.add(image);
        if (this.#isForeign(SECRETS, namespace, image)) {
          const reason = this.#problemReasonOf(team, name);
          if (reason !== 'Occupied')
            found.push(`${team} ${name} says ${reason ?? 'nothing'} of Secret ${image}, which is another's`);
        } else {
          const related = await getIfExists(this.agent.world.service, SECRETS, { namespace, name: image });
          if (
            JSON.stringify(sorted(related?.['data'] ?? {})) !== JSON.stringify(sorted(original['data'] ?? {})) ||
            related === undefined
          )
            found.push(`${team} Secret ${image} differs from its copy`);
        }
      }
      for (const [
        name,
        {
          metadata: { finalizers = [], deletionTimestamp },
        },
      ] of secrets) {
        if (!referred.has(name) && finalizers.includes(FINALIZER) && !isHeld)
          found.push(`${team} Secret ${name} is held without need`);
        if (deletionTimestamp !== undefined && !isHeld) found.push(`${team} Secret ${name} is still being deleted`);
      }
      for (const {
        metadata: { name, uid },
      } of (await this.agent.world.service.list(CRONTABS, { namespace })).items) {
        if (
          !present.some(({ metadata }) => metadata.name === name) &&
          !this.#foreign.some((other) => other.uid === uid)
        )
          found.push(`${team} the copy ${name} is left`);
      }
      for (const {
        metadata: { name, uid },
      } of (await this.agent.world.service.list(SECRETS, { namespace })).items) {
        if (!referred.has(name) && !isHeld && !this.#foreign.some((other) => other.uid === uid))
          found.push(`${team} the copy of Secret ${name} is left`);
      }
    }
    return found;
  }

  /** Changed objects of others. */
  async harmed(): Promise<string[]> {
    const found: string[] = [];
    for (const { resource, key, uid, version } of this.#foreign) {
      const { metadata } = (await getIfExists(this.agent.world.service, resource, key)) ?? {};
      if (metadata?.uid !== uid || metadata?.resourceVersion !== version)
        found.push(
          `${resource.resource} ${key.namespace ?? ''}/${key.name} is another's, and ${metadata === undefined ? 'gone' : 'not as it was'}`,
        );
    }
    return found;
  }

  /** Objects of workspaces that have our finalizer. */
  async held(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const team of TEAMS) {
      for (const resource of [CRONTABS, SECRETS]) {
        const { items } = await this.agent.world.workspace(team).list(resource);
        found.push(
          ...items
            .filter(({ metadata: { finalizers = [] } }) => finalizers.includes(FINALIZER))
            .map(({ metadata: { name } }) => `${team} ${resource.resource} ${name}`),
        );
      }
    }
    return found;
  }

  async settled(): Promise<void> {
    await eventually(async () => {
      const wrong = await this.wrong();
      if (wrong.length > 0) throw new Error(`${wrong.join('\n')}\nafter\n${this.done.join('\n')}`);
    }, PATIENT);
  }

  /** Deletes the PublishedResource while nothing is readable, and restarts the agent. Then all is readable again. */
  async endUnread(): Promise<void> {
    await this.heal();
    if (this.#random() < 0.5) {
      await this.#turnSlice();
      await eventually(() => {
        if (this.agent.manager.engagements.length > 0) throw new Error('still engaged');
      });
      await this.agent.unpublish();
    } else {
      await this.agent.world.restart();
      await this.agent.unpublish();
      await this.#failing(({ resource, verb }) => verb === 'list' && resource === 'crontabs', Infinity);
      await this.agent.start();
    }
    for (let at = 0; at < 20; at++) {
      this.agent.manager.report();
      await this.#rest();
    }
    await this.heal();
  }

  #isForeign(of: Resource, namespace: string, name: string): boolean {
    return this.#foreign.some(
      ({ resource, key }) => resource === of && key.namespace === namespace && key.name === name,
    );
  }

  #problemReasonOf(team: string, name: string): string | undefined {
    return this.agent.sync()?.why(`${this.#clusterOf(team)}|default/${name}`).problem?.reason;
  }

  #clusterOf(team: string): string {
    return this.agent.world.kcp.kcp.find(team)?.name ?? '';
  }

  #namespaceOf(team: string): string {
    return `copies-${this.#clusterOf(team)}`;
  }

  async #make(resource: Resource, object: UnstructuredObject): Promise<void> {
    const {
      metadata: { namespace, name, uid, resourceVersion },
    } = await this.agent.world.service.create(resource, object, { fieldManager: 'operator' });
    this.#foreign.push({ resource, key: { namespace, name }, uid, version: resourceVersion });
  }

  /** An object with the marks of the copy. */
  async #like(team: string, name: string, more: object): Promise<void> {
    const copy = await this.agent.copyOf(team, name);
    if (copy === undefined) return;
    const {
      apiVersion,
      kind,
      metadata: { namespace, labels, annotations },
    } = copy;
    await this.#make(CRONTABS, {
      apiVersion,
      kind,
      metadata: { namespace, name: `${name}-${this.#serial++}`, labels, annotations, ...more },
      spec: { cronSpec: 'of another' },
    });
  }

  /** Puts an object with the copy's marks in its place, unless the agent is faster and recreates the copy. */
  async #replace(team: string, name: string): Promise<void> {
    const copy = await this.agent.copyOf(team, name);
    if (copy === undefined || this.#isForeign(CRONTABS, this.#namespaceOf(team), name)) return;
    const {
      apiVersion,
      kind,
      metadata: { namespace, labels, annotations },
    } = copy;
    await this.agent.world.service.delete(CRONTABS, { namespace, name });
    await this.#make(CRONTABS, {
      apiVersion,
      kind,
      metadata: { namespace, name, labels, annotations, ...CONTROLLER },
      spec: { cronSpec: 'of another' },
    });
  }

  /** Makes requests to virtual workspaces fail; the next fault, or none, ends it. */
  #failing(
    concerns: (info: { readonly resource?: string | undefined; readonly verb?: string | undefined }) => boolean,
    times = 12,
  ): Promise<void> {
    const { kcp } = this.agent.world.kcp;
    let left = times;
    kcp.setFaults(({ path }, info) =>
      path.startsWith('/services/') && concerns(info) && left-- > 0
        ? { instead: { status: 500, headers: {}, body: 'not now' } }
        : undefined,
    );
    return Promise.resolve();
  }

  async #turnSlice(): Promise<void> {
    if (this.#sliceIsGone) await this.agent.makeSlice();
    else await this.agent.removeSlice();
    this.#sliceIsGone = !this.#sliceIsGone;
  }

  async #restart(): Promise<void> {
    await this.agent.world.restart();
    await this.agent.start();
  }

  async #rest(): Promise<void> {
    // Some requests last that long.
    for (let at = 0; at < 20; at++) await this.agent.records();
  }

  #pick<T>(items: readonly T[]): T {
    return present(items[Math.floor(this.#random() * items.length)]);
  }
}

const stripping: Admission = (patch) =>
  patch.metadata?.finalizers == null
    ? patch
    : {
        ...patch,
        metadata: { ...patch.metadata, finalizers: patch.metadata.finalizers.filter((name) => name !== FINALIZER) },
      };

function secret({ namespace, name }: ObjectKey, content: Content, more: object = {}): UnstructuredObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { namespace, name, ...more },
    data: encoded(content),
  };
}

function encoded(content: Content): Content {
  return Object.fromEntries(Object.entries(content).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}

function sorted(value: unknown): unknown {
  return typeof value !== 'object' || value === null
    ? value
    : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}
