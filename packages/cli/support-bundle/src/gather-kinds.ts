import type { Resource } from '@hawser/client';
import { resources as coreKbind } from '@hawser/core-kbind';
import { isFields } from '@hawser/json';
import { resources as kcp } from '@hawser/kcp-api';
import { resources as klutch } from '@hawser/klutch';
import { resources as kubeBind } from '@hawser/kube-bind';
import { resources as syncagent } from '@hawser/syncagent-api';

import type { Served } from './discovery.js';
import type { Reader } from './reader.js';
import type { Shape } from './shape.js';
import { coreKbindShapes } from './shapes/core-kbind.js';
import { kcpShapes, syncagentShapes } from './shapes/kcp.js';
import { kubeBindShapes } from './shapes/kube-bind.js';

interface ReadKind {
  readonly resource: Resource;
  readonly shape: Shape;
}

const kindsOf = (resources: Readonly<Record<string, Resource>>, shapes: Readonly<Record<string, Shape>>): ReadKind[] =>
  Object.entries(resources).flatMap(([, resource]) => {
    const shape = shapes[resource.resource];
    return shape === undefined ? [] : [{ resource, shape }];
  });

/** Small kinds first: a full bundle then lacks only schemas. */
const last = new Set(['boundschemas', 'apiresourceschemas']);

/** Every kind that Hawser serves or writes. */
const kinds: readonly ReadKind[] = [
  ...kindsOf(kubeBind, kubeBindShapes),
  ...kindsOf(klutch, kubeBindShapes),
  ...kindsOf(coreKbind, coreKbindShapes),
  ...kindsOf(syncagent, syncagentShapes),
  ...kindsOf(kcp, kcpShapes),
].sort((a, b) => Number(last.has(a.resource.resource)) - Number(last.has(b.resource.resource)));

/** CRDs that our objects refer to. */
export interface MentionedAPIs {
  /** `databases.example.com`. */
  readonly names: Set<string>;
  /** `Database.example.com`. */
  readonly kinds: Set<string>;
}

/** Reads every kind of ours that the cluster serves, one file each. */
export async function gatherKinds(reader: Reader, folder: string, served: Served): Promise<MentionedAPIs> {
  const mentioned: MentionedAPIs = { names: new Set(), kinds: new Set() };
  const done = new Set<string>();
  for (const { resource, shape } of kinds) {
    const found = served.find(resource.group, resource.resource, resource.version);
    const name = `${resource.resource}.${resource.group}`;
    if (found === undefined || done.has(name)) continue;
    done.add(name);
    const listed = await (found.namespaced ? reader.listPermitted(found, shape) : reader.list(found, shape));
    if (listed === undefined) continue;
    for (const item of listed.items) mention(item, mentioned);
    reader.options.bundle.addJson(
      `${folder}/${name}.json`,
      `${listed.items.length} ${name}, version ${found.version}`,
      listed.items,
      listed.incomplete,
    );
  }
  return mentioned;
}

function mention(item: unknown, { names, kinds: mentioned }: MentionedAPIs): void {
  if (!isFields(item)) return;
  const { spec, status } = item;
  const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
  const ofSpec = isFields(spec) ? [...listOf(spec['resources']), spec['APIServiceSelector']] : [];
  const ofStatus = isFields(status) ? listOf(status['boundSchemas']) : [];
  for (const one of [...ofSpec, ...ofStatus])
    if (isFields(one)) names.add(`${String(one['resource'])}.${String(one['group'])}`);
  const bound = isFields(spec) ? listOf(spec['apis']) : [];
  for (const one of bound) if (isFields(one)) names.add(String(one['name']));
  const source = isFields(spec) ? spec['resource'] : undefined;
  if (isFields(source)) mentioned.add(`${String(source['kind'])}.${String(source['apiGroup'])}`);
}
