import type { KubeObject } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import type { Reach } from '@hawser/exportrbac';
import { describe, expect, it } from '@jest/globals';
import { History } from './history.js';
import { type ListOptions, isSelected, readListOptions } from './options.js';
import { ownObjects } from './page.js';
import { Printer } from './printer.js';
import { Sight } from './sight.js';
import type { Served } from './source.js';
import { ViewChanges } from './view-changes.js';
import { Watcher } from './watcher.js';

const RUNS = 500;
const STEPS = 150;
const consumers = ['kube-bind-a', 'kube-bind-b', 'kube-bind-c'];
const namespaces = ['ns-a', 'ns-b', 'ns-open'];
const mark = 'kube-bind.io/cluster-namespace';
const served: Served = {
  resource: { group: 'example.com', version: 'v1', resource: 'databases' },
  kind: 'Database',
  listKind: 'DatabaseList',
  namespaced: true,
};

type State = ReadonlyMap<string, KubeObject>;
const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;

/** Pseudo-random numbers, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e_37_79_b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** The API server: every state that there ever was, and what its watch has not told yet. */
class Server {
  version = 100;
  readonly states = new Map<number, State>([[100, new Map()]]);
  #unsent: { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }[] = [];

  get state(): State {
    return this.states.get(this.version) ?? new Map<string, KubeObject>();
  }

  write(random: (below: number) => number): void {
    // Other resources have versions too.
    const version = this.version + 1 + random(3);
    for (let each = this.version + 1; each < version; each++) this.states.set(each, this.state);
    const next = new Map(this.state);
    const namespace = namespaces[random(namespaces.length)] ?? '';
    const name = `o${random(6)}`;
    const before = next.get(`${namespace}/${name}`);
    const owner = consumers[random(consumers.length + 1)];
    const object: KubeObject = {
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: {
        name,
        namespace,
        uid: before?.metadata.uid ?? `uid-${version}`,
        resourceVersion: String(version),
        labels: { tier: String(random(2)) },
        ...(owner === undefined ? {} : { annotations: { [mark]: owner } }),
      },
    };
    const deletes = before !== undefined && random(3) === 0;
    if (deletes) next.delete(keyOf(object));
    else next.set(keyOf(object), object);
    this.version = version;
    this.states.set(version, next);
    const type = before === undefined ? 'ADDED' : 'MODIFIED';
    this.#unsent.push({ type: deletes ? 'DELETED' : type, object });
  }

  /** The watch of the gateway brings up to `count` changes. */
  send(history: History, count: number): void {
    for (const { type, object } of this.#unsent.splice(0, count)) {
      history.event(type, object);
      history.advance(object.metadata.resourceVersion);
    }
  }

  /** The gateway lists again. */
  relist(history: History): void {
    this.#unsent = [];
    const list = history.beginList();
    list.open(String(this.version));
    for (const object of this.state.values()) list.take(object);
    history.endList(list);
  }
}

/** A client of the gateway, as client-go is: it lists, watches from there, and lists again when it is told to. */
class Client {
  view = new Map<string, KubeObject>();
  version = '';
  watcher: Watcher | undefined;
  mustList = true;
  /** Of the sight with which it has listed. */
  sight: Sight;
  /** The socket is full. */
  full = false;
  drain: () => void = () => undefined;
  events = 0;

  constructor(
    readonly options: ListOptions,
    readonly server: Server,
    readonly history: History,
    readonly clock: FakeClock,
    sight: Sight,
  ) {
    this.sight = sight;
  }

  async list(): Promise<void> {
    this.watcher?.end();
    const snapshot = { objects: [...this.server.state.values()] };
    this.view = new Map((await ownObjects(snapshot, this.sight, this.options, '')).map((one) => [keyOf(one), one]));
    this.version = String(this.server.version);
    this.mustList = false;
    this.check();
    this.watch();
  }

  /** Also after the connection broke: it goes on from what it has been told. */
  watch(): void {
    this.watcher?.end();
    const watcher = new Watcher({
      served,
      history: this.history,
      options: this.options,
      printer: new Printer({ form: { kind: 'whole' }, include: 'None', columns: [], nowMs: () => 0 }),
      sight: this.sight,
      namespace: '',
      clock: this.clock,
      lifeMs: 1_000_000,
      sink: {
        write: (text) => {
          if (this.watcher === watcher) this.take(text);
          return !this.full;
        },
        onDrain: (drained) => {
          this.drain = drained;
        },
        end: () => undefined,
      },
    });
    this.watcher = watcher;
    watcher.startAfter(this.version);
  }

  take(text: string): void {
    const { type, object } = JSON.parse(text) as { readonly type: string; readonly object: KubeObject };
    if (type === 'ERROR') {
      this.mustList = true;
      return;
    }
    this.events++;
    this.version = object.metadata.resourceVersion ?? '';
    const known = this.view.has(keyOf(object));
    switch (type) {
      case 'ADDED':
        expect(known).toBe(false);
        this.view.set(keyOf(object), object);
        break;
      case 'MODIFIED':
        expect(known).toBe(true);
        this.view.set(keyOf(object), object);
        break;
      case 'DELETED':
        expect(known).toBe(true);
        expect(this.sees(object)).toBe(true);
        this.view.delete(keyOf(object));
        break;
      default:
        break;
    }
    this.check();
  }

  sees(object: KubeObject): boolean {
    return this.sight.sees(object) && isSelected(this.options, object);
  }

  /** What it has is what the model says that it may have, at the version that it knows. */
  check(): void {
    const truth = [...(this.server.states.get(Number(this.version)) ?? new Map<string, KubeObject>()).values()].filter(
      (object) => this.sees(object),
    );
    expect(Object.fromEntries(this.view)).toEqual(Object.fromEntries(truth.map((object) => [keyOf(object), object])));
  }
}

function reachOf(random: (below: number) => number, own: string): Reach {
  const shared = random(2) === 0 ? ['ns-open'] : [];
  return { kind: 'namespaces', own: new Set(random(4) === 0 ? [] : [own]), shared: new Set(shared) };
}

const newestShown = ({ resourceVersion }: History, clients: readonly Client[]): string =>
  String(Math.max(Number(resourceVersion), ...clients.map(({ version }) => Number(version))));

describe('the watches of consumers', () => {
  it(`show at each version what a filter over the whole history shows, in ${RUNS} random runs`, async () => {
    let events = 0;
    let lists = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = numbers(seed);
      const server = new Server();
      const history = new History(20);
      const clock = new FakeClock();
      const changes = new ViewChanges(clock);
      server.relist(history);
      const clients = consumers.map((consumer, index) => {
        const query = new URLSearchParams({
          allowWatchBookmarks: 'true',
          resourceVersion: '1',
          ...(random(2) === 0 ? { labelSelector: 'tier=1' } : {}),
        });
        const sight = new Sight(consumer, [reachOf(random, namespaces[index] ?? '')]);
        return new Client(readListOptions(query, true), server, history, clock, sight);
      });
      for (let step = 0; step < STEPS; step++) {
        const client = clients[random(clients.length)];
        if (client === undefined) continue;
        switch (random(16)) {
          case 0:
            server.relist(history);
            break;
          case 1:
            client.full = true;
            break;
          case 2:
            client.full = false;
            client.drain();
            break;
          case 3:
            // The connection breaks.
            if (
              !client.mustList &&
              changes.mustList(
                client.sight.clusterNamespace,
                'databases',
                client.version,
                newestShown(history, clients),
              )
            )
              client.mustList = true;
            else if (!client.mustList) client.watch();
            break;
          case 4:
            client.sight = new Sight(client.sight.clusterNamespace, [
              reachOf(random, namespaces[clients.indexOf(client)] ?? ''),
            ]);
            client.watcher?.see(client.sight);
            changes.record(client.sight.clusterNamespace, 'databases', newestShown(history, clients), false);
            break;
          case 5:
            for (const each of clients) each.watcher?.bookmark();
            break;
          case 6:
          case 7:
          case 8:
            server.send(history, random(8));
            break;
          default:
            server.write(random);
        }
        for (const each of clients) {
          if (!each.mustList) continue;
          lists++;
          await each.list();
        }
      }
      // In the end everybody knows everything.
      server.send(history, Infinity);
      for (const each of clients) {
        each.full = false;
        each.drain();
        if (each.mustList) await each.list();
        each.watcher?.bookmark();
        each.check();
        events += each.events;
        each.watcher?.end();
      }
    }
    // It has seen something.
    expect(events).toBeGreaterThan(RUNS * 20);
    expect(lists).toBeGreaterThan(RUNS);
  }, 120_000);
});
