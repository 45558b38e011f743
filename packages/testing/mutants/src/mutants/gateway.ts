import type { Mutant } from '../mutant.js';

const folder = 'packages/provider/gateway/src/';
const leaks = [`${folder}leaks.integration.test.ts`];
const model = [`${folder}watcher.model.test.ts`];
const integration = [`${folder}gateway.integration.test.ts`];
const own = 'const own = await ownObjects(snapshot, sight, options, request.namespace);';

/** Leaves a list unfiltered where `condition` holds. */
const unfiltered = (condition: string): string =>
  `const own = ${condition} ? snapshot.objects : await ownObjects(snapshot, sight, options, request.namespace);`;

/** The gateway's filter misses one kind of request. */
export const gatewayMutants: readonly Mutant[] = [
  {
    name: 'gateway-list-unfiltered',
    foundBy: { tests: leaks },
    edits: [
      {
        file: `${folder}page.ts`,
        find: 'if (!sight.sees(object)) continue;',
        replace: '',
      },
    ],
  },
  {
    name: 'gateway-page-unfiltered',
    foundBy: { tests: leaks },
    edits: [{ file: `${folder}reads.ts`, find: own, replace: unfiltered("options.continueToken !== ''") }],
  },
  {
    name: 'gateway-exact-unfiltered',
    foundBy: { tests: leaks },
    edits: [{ file: `${folder}reads.ts`, find: own, replace: unfiltered("options.match === 'Exact'") }],
  },
  {
    name: 'gateway-memory-unfiltered',
    foundBy: { tests: leaks },
    edits: [{ file: `${folder}reads.ts`, find: own, replace: unfiltered("options.resourceVersion === '0'") }],
  },
  {
    name: 'gateway-table-unfiltered',
    foundBy: { tests: leaks },
    edits: [
      {
        file: `${folder}reads.ts`,
        find: own,
        replace: unfiltered("/as=Table/u.test(read.incoming.headers.accept ?? '')"),
      },
    ],
  },
  {
    name: 'gateway-metadata-unfiltered',
    foundBy: { tests: leaks },
    edits: [
      {
        file: `${folder}reads.ts`,
        find: own,
        replace: unfiltered("/as=Partial/u.test(read.incoming.headers.accept ?? '')"),
      },
    ],
  },
  {
    name: 'gateway-selected-unfiltered',
    foundBy: { tests: leaks },
    edits: [{ file: `${folder}reads.ts`, find: own, replace: unfiltered('!options.fields.empty') }],
  },
  {
    name: 'gateway-get-unfiltered',
    foundBy: { tests: integration },
    edits: [
      {
        file: `${folder}reads.ts`,
        find: 'const isForeign = known !== undefined && !sight.sees(known);',
        replace: 'const isForeign = known !== undefined && known.metadata.name === "";',
      },
      {
        file: `${folder}reads.ts`,
        find: "return !isForeign && sight.sees(object) ? { kind: 'own', object } : { kind: 'other' };",
        replace: "return { kind: 'own', object };",
      },
    ],
  },
  {
    name: 'gateway-get-by-memory',
    foundBy: { tests: [`${folder}reads.test.ts`] },
    edits: [
      {
        file: `${folder}reads.ts`,
        find: "return !isForeign && sight.sees(object) ? { kind: 'own', object } : { kind: 'other' };",
        replace: "return !isForeign ? { kind: 'own', object } : { kind: 'other' };",
      },
    ],
  },
  {
    name: 'gateway-foreign-name-asked-for',
    foundBy: { tests: [`${folder}reads.test.ts`] },
    edits: [
      {
        file: `${folder}reads.ts`,
        find: 'const key = { name: isForeign ? absentName(name) : name,',
        replace: 'const key = { name: isForeign ? name : name,',
      },
    ],
  },
  {
    name: 'gateway-slow-list-keeps-all',
    foundBy: { tests: [`${folder}reads-slow.test.ts`] },
    edits: [
      {
        file: `${folder}reads.ts`,
        find: 'return pageOf(own, snapshot.version, options);',
        replace: 'return Object.assign(pageOf(own, snapshot.version, options), { snapshot });',
      },
    ],
  },
  {
    name: 'gateway-watch-unfiltered',
    foundBy: { tests: model },
    edits: [
      {
        file: `${folder}watcher.ts`,
        find: 'return this.#sight.sees(object) && isSelected(options, object);',
        replace: 'return isSelected(options, object);',
      },
    ],
  },
  {
    name: 'gateway-initial-events-unfiltered',
    foundBy: { tests: leaks },
    edits: [
      {
        file: `${folder}reads.ts`,
        find: 'return { version: initial.version, objects: await ownObjects(initial, sight, options, namespace) };',
        replace: 'return initial;',
      },
    ],
  },
  {
    name: 'gateway-tombstone-shows-new-owner',
    foundBy: { tests: model },
    edits: [
      {
        file: `${folder}watcher.ts`,
        find: "else if (was) this.#sendObject('DELETED', at(before, version));",
        replace: "else if (was) this.#sendObject('DELETED', at(after ?? before, version));",
      },
    ],
  },
  {
    name: 'gateway-tombstone-forgotten',
    foundBy: { tests: model },
    edits: [
      {
        file: `${folder}watcher.ts`,
        find: "else if (was) this.#sendObject('DELETED', at(before, version));",
        replace: "else if (was && after === undefined) this.#sendObject('DELETED', at(before, version));",
      },
    ],
  },
  {
    name: 'gateway-sight-changes-unsaid',
    foundBy: { tests: model },
    edits: [
      {
        file: `${folder}watcher.ts`,
        find: 'if (isBehind || differs(history, before, sight))',
        replace: 'if (isBehind)',
      },
    ],
  },
  {
    name: 'gateway-change-of-foreign-passed-on',
    foundBy: { tests: integration },
    edits: [
      {
        file: `${folder}objects.ts`,
        find: "if (kind !== 'own' && !creates) throw notFound(request);",
        replace: "if (kind === 'absent' && !creates) throw notFound(request);",
      },
    ],
  },
  {
    name: 'gateway-resources-of-others-told',
    foundBy: { tests: integration },
    edits: [
      {
        file: `${folder}discovery.ts`,
        find: "isFields(resource) && typeof resource['name'] === 'string' && shown.resource(group, resource['name'].split('/')[0] ?? '')",
        replace: "isFields(resource) && typeof resource['name'] === 'string' && shown.group(group)",
      },
    ],
  },
  {
    name: 'gateway-groups-of-others-told',
    foundBy: { tests: integration },
    edits: [
      {
        file: `${folder}discovery.ts`,
        find: "(group) => isFields(group) && typeof group['name'] === 'string' && shown.group(group['name'])",
        replace: "(group) => isFields(group) && typeof group['name'] === 'string' && shown.group('')",
      },
    ],
  },
  {
    name: 'gateway-schemas-of-others-told',
    foundBy: { tests: integration },
    edits: [
      {
        file: `${folder}discovery.ts`,
        find: "Object.entries(answer['paths']).filter(([path]) => shown.resource(group, resourceOfPath(path)))",
        replace: "Object.entries(answer['paths']).filter(() => shown.group(group))",
      },
    ],
  },
  {
    name: 'gateway-rights-of-others-told',
    foundBy: { tests: integration },
    edits: [
      {
        file: `${folder}objects.ts`,
        find: "(verb === 'get' || verb === 'list' || verb === 'watch') && view.resources.has(resourceGroupName({ group, resource }))",
        replace: "(verb === 'get' || verb === 'list' || verb === 'watch') && view.resources.size > 0",
      },
    ],
  },
  {
    name: 'gateway-address-unbounded',
    foundBy: { tests: [`${folder}server.test.ts`] },
    edits: [
      {
        file: `${folder}connections.ts`,
        find: 'const within = standing.served < this.#perAddress;',
        replace: 'const within = standing.served < this.all;',
      },
    ],
  },
  {
    name: 'gateway-documents-of-others-kept',
    foundBy: { tests: [`${folder}attacks.integration.test.ts`] },
    edits: [
      {
        file: `${folder}handler.ts`,
        find: 'key: JSON.stringify([path, identity.dialect.name, ...parts]),',
        replace: 'key: JSON.stringify([path, identity.dialect.name]),',
      },
    ],
  },
  {
    name: 'gateway-namespaces-before',
    foundBy: { tests: [`${folder}claims.integration.test.ts`] },
    edits: [
      {
        file: `${folder}not-before.ts`,
        find: "if (token !== '') query.set('continue', checked(token, since));",
        replace: '',
      },
    ],
  },
  {
    name: 'gateway-namespaces-first',
    foundBy: { tests: [`${folder}page.test.ts`] },
    edits: [
      {
        file: `${folder}page.ts`,
        find: 'if (!sight.sees(object)) continue;',
        replace:
          "if (namespace !== '' && object.metadata.namespace !== namespace) continue; if (!sight.sees(object)) continue;",
      },
    ],
  },
  {
    name: 'gateway-tokens-in-one-queue',
    foundBy: { tests: [`${folder}queues.test.ts`] },
    edits: [
      {
        file: `${folder}queues.ts`,
        find: 'else await this.#turn(asker);',
        replace: "else await this.#turn('');",
      },
    ],
  },
];
