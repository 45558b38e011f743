import type { Mutant } from '../mutant.js';

export const syncagentMutants: readonly Mutant[] = [
  {
    name: 'RE-29',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/api/syncagent-api/src/strip-metadata.ts',
        find: 'if (key === lastApplied || key.startsWith(hawserPrefix)) return true;',
        replace:
          "if (key === 'syncagent.kcp.io/agent-name') return false;\n" +
          '  if (key === lastApplied || key.startsWith(hawserPrefix)) return true;',
      },
    ],
  },
  {
    name: 'RE-26',
    foundBy: { tests: ['packages/syncagent/apiresourceschema/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/apiresourceschema/src/decide.ts',
        find: "if (owner !== undefined && owner !== agentName) return { kind: 'publish', act: 'nothing' };",
        replace: '',
      },
    ],
  },
  {
    name: 'RE-22',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/mutation/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/mutation/identity.ts',
        find: 'if (identity.every((path) => get(rewritten, path).value === get(original, path).value)) return rewritten;',
        replace:
          'return rewritten;\n' +
          '  if (identity.every((path) => get(rewritten, path).value === get(original, path).value)) return rewritten;',
      },
    ],
  },
  {
    name: 'RE-30',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/naming/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/naming/legal-name.ts',
        find: 'const { legal, longest, allowed } = kinds[field];',
        replace: 'return name;\n' + '  const { legal, longest, allowed } = kinds[field];',
      },
    ],
  },
  {
    name: 'RE-10',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/naming/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/naming/naming.ts',
        find: "return (subject) => ((subject.object.metadata.namespace ?? '') === '' ? without(subject) : withNamespace(subject));",
        replace: 'return (subject) => withNamespace(subject);',
      },
    ],
  },
  {
    name: 'RE-24',
    foundBy: { tests: ['packages/syncagent/apiresourceschema/src/projection/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/apiresourceschema/src/projection/to-api-resource-schema.ts',
        find: 'const approval = isProtectedGroup(group) ? metadata.annotations?.[approvalAnnotation] : undefined;',
        replace: 'const approval = undefined;',
      },
    ],
  },
  {
    name: 'RE-3',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/related/selector/templated-selector.ts',
        find: 'return (primary) => {',
        replace:
          'let stuck: PrimaryPair | undefined;\n' +
          '  return (asked) => {\n' +
          '    const primary = (stuck ??= asked);',
      },
    ],
  },
  {
    name: 'unconditional-writes',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/act.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/act.ts',
        find: 'return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };',
        replace:
          'return {};\n' +
          '  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };',
      },
    ],
  },
  {
    name: 'RE-6',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-creation.ts',
        find:
          'if (Object.keys(labels).some(isIdentity)) {\n' +
          "    return held('NameTaken', `${there}, and is the copy of another object: it is left alone. Have the naming rules of the PublishedResource tell these objects apart, or rename this one.`, 'provider');\n" +
          '  }',
        replace: '',
      },
    ],
  },
  {
    name: 'adoption-marks-related',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-creation.ts',
        find: "if (marks === undefined) return waiting('cache');",
        replace:
          "if (marks === undefined) return { actions: [{ type: 'adopt', destination: occupant, marks: { labels: {}, annotations: {} } }], verdict: writing };",
      },
    ],
  },
  {
    name: 'adoption-remembered-as-written',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-creation.ts',
        find: "const agreement = settings.adoption === 'overwrite' ? undefined : agreed(occupant, snapshot, settings.subresources, memory.agreement);",
        replace:
          "return { actions: [{ type: 'adopt', destination: occupant, marks }, { type: 'storeSnapshot', snapshot }], verdict: writing };\n" +
          "  const agreement = settings.adoption === 'overwrite' ? undefined : agreed(occupant, snapshot, settings.subresources, memory.agreement);",
      },
    ],
  },
  {
    name: 'RE-5',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-deletion.ts',
        find:
          "const forget: readonly Action[] = remembered ? [{ type: 'forget' }] : [];\n" +
          '  const actions = [...forget, ...release];',
        replace: 'const forget: readonly Action[] = [];\n' + '  const actions = [...forget, ...release];',
      },
    ],
  },
  {
    name: 'RE-8',
    foundBy: {
      tests: [
        'packages/syncagent/syncagent-sync/src/neighbours.integration.test.ts',
        'packages/syncagent/syncagent-sync/src/rough-edges.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-deletion.ts',
        find: 'const shared = holds && isNeededByOthers?.() === true;',
        replace: 'const shared = false;',
      },
    ],
  },
  {
    name: 'RE-19',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/dependencies.ts',
        find: 'const thing = idOf(dependency);',
        replace: 'return;\n' + '    const thing = idOf(dependency);',
      },
    ],
  },
  {
    name: 'RE-18',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/other-agent.ts',
        find: 'const name = destination?.metadata.labels?.[AGENT_NAME];',
        replace: 'return undefined;\n' + '  const name = destination?.metadata.labels?.[AGENT_NAME];',
      },
    ],
  },
  {
    name: 'RE-11',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/primary.ts',
        find: "status: declared.includes('status') && kcp.subresources.includes('status') ? 'back' : 'none',",
        replace: "status: 'back',",
      },
    ],
  },
  {
    name: 'RE-37',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related.integration.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/next-look.ts',
        find: 'return since !== undefined && now - since >= UNRESOLVED_GRACE_MS;',
        replace: 'return false;',
      },
      {
        file: 'packages/syncagent/syncagent-sync/src/next-look.ts',
        find: 'return since === undefined || wasOverdue ? 0 : Math.max(1, since + UNRESOLVED_GRACE_MS - now);',
        replace: 'return since === undefined || wasOverdue ? 0 : UNRESOLVED_GRACE_MS;',
      },
    ],
  },
  {
    name: 'RE-9',
    foundBy: {
      tests: [
        'packages/syncagent/syncagent-sync/src/related.integration.test.ts',
        'packages/syncagent/syncagent-sync/src/rough-edges.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/related-pairs.ts',
        find: 'const gone = uniqueRecords(before).filter((record) => !now.has(recordId(record)));',
        replace: 'const gone = [];',
      },
    ],
  },
  {
    name: 'RE-21',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related.integration.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/related-observe.ts',
        find: '// Any answer but one about this very object is an error, not its absence.',
        replace:
          "if (origin === 'kcp') return getIfExists(this.#options.service, onService, destination, { signal }).catch(() => undefined);\n" +
          '    // Any answer but one about this very object is an error, not its absence.',
      },
    ],
  },
  {
    name: 'RE-7',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/selection.ts',
        find: "if (deletionTimestamp !== undefined) return 'selected';",
        replace: '',
      },
    ],
  },
  {
    name: 'RE-4',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/state-draft.ts',
        find: 'collides: known.size > 1 || [...values.keys()].some((key) => key.startsWith(`${shared}.`)) };',
        replace: 'collides: false };',
      },
      {
        file: 'packages/syncagent/syncagent-sync/src/state-draft.ts',
        find: 'return values.has(own) || isOf(snapshot, owner) ?',
        replace: 'return true ?',
      },
    ],
  },
  {
    name: 'RE-12',
    foundBy: { tests: ['packages/syncagent/syncagent-apiexport/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-apiexport/src/decide.ts',
        find: 'if (claims.some((other) => isSameClaim(other, wanted))) return undefined;',
        replace: '',
      },
      {
        file: 'packages/syncagent/syncagent-apiexport/src/decide.ts',
        find:
          'if (other !== undefined) {\n' +
          '      return {\n' +
          "        kind: 'problem', reason: 'ClaimOfAnotherIdentity',\n" +
          '        message: `The APIExport claims ${claimName(wanted)} with identity ${identityName(other)} already, so it cannot claim that with identity ${identityName(wanted)}. The provider must use the same identityHash in spec.related, or publish through another APIExport.`,\n' +
          '      };\n' +
          '    }',
        replace: '',
      },
    ],
  },
  {
    name: 'RE-14',
    foundBy: { tests: ['packages/syncagent/syncagent-apiexport/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-apiexport/src/decide.ts',
        find: "outcomes.set(uid, { kind: 'problem', reason: 'SchemaNameInvalid', message: `${schema} is not a name of an APIResourceSchema. The operator must empty status.resourceSchemaName of PublishedResource ${name}.` });",
        replace:
          'break;\n' +
          "      outcomes.set(uid, { kind: 'problem', reason: 'SchemaNameInvalid', message: `${schema} is not a name of an APIResourceSchema. The operator must empty status.resourceSchemaName of PublishedResource ${name}.` });",
      },
    ],
  },
  {
    name: 'RE-23',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/published-kinds.ts',
        find: 'const local = versions.find(({ name, served }) => served && isSelected(spec, name) && publishedName(spec, name) === remote.name)',
        replace: 'const local = versions.find(({ name, served }) => false)',
      },
    ],
  },
  {
    name: 'RE-1',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/running-sync.ts',
        find: 'this.#stopped ??= this.sync.stop();',
        replace: 'return Promise.resolve();\n' + '    this.#stopped ??= this.sync.stop();',
      },
    ],
  },
  {
    name: 'agent-waits-out-service-outages',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/outage.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/sync-parts.ts',
        find: '    recoveries: [client.recovery],\n' + '    retriesInMs',
        replace: '    retriesInMs',
      },
    ],
  },
  {
    name: 'agent-waits-out-kcp-outages',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/outage.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/run.ts',
        find: 'this.#parts.recoveries.add(engagement.url, engagement.recovery);',
        replace: '',
      },
    ],
  },
  {
    name: 'agent-logs-retries-too-early',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/retry-log.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/sync-parts.ts',
        find: 'retriesInMs: (key) => this.reconciler.retriesInMs(key),',
        replace: '',
      },
    ],
  },
  {
    name: 'agent-adopts-what-says-more',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/adoption.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/agreement.ts',
        find: '  if (known?.of !== agreementId(destination, wanted, subresources)) return',
        replace:
          "  if (Math.abs(1) === 1) return { kind: 'equal' };\n" +
          '  if (known?.of !== agreementId(destination, wanted, subresources)) return',
      },
    ],
  },
  {
    name: 'agent-adopts-never-with-defaults',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/adoption.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/agreement.ts',
        find: '  if (hasSameContent(live, answer, subresources)) return { of',
        replace: '  if (hasSameContent(live, wanted, subresources)) return { of',
      },
    ],
  },
  {
    name: 'agent-adopts-by-what-it-remembers',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/adoption.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-content.ts',
        find: "  if (pending && settings.adoption !== 'overwrite') {",
        replace: "  if (pending && settings.adoption !== 'overwrite' && observed.last.kind !== 'known') {",
      },
    ],
  },
  {
    name: 'agent-asks-again-and-again',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/adoption.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/object-memory.ts',
        find: "agreement: agreement?.kind === 'refused' ? undefined : agreement",
        replace: 'agreement: undefined',
      },
    ],
  },
  {
    name: 'agent-forgets-unbound-workspaces',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/vanished.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/workspace-gone.ts',
        find: '    return false;\n' + '  } catch',
        replace: '    return true;\n' + '  } catch',
      },
    ],
  },
  {
    name: 'agent-forgets-workspaces-of-lost-shards',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/vanished.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/running-syncs.ts',
        find:
          'missingEndpoints(running, engaged).length === 0\n' +
          '          && isWorkspaceGone(options.hosts.home, engaged, cluster, origin, signal)',
        replace:
          'missingEndpoints(running, engaged).length >= 0\n' +
          '          || isWorkspaceGone(options.hosts.home, engaged, cluster, origin, signal)',
      },
    ],
  },
  {
    name: 'agent-forgets-what-is-left',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/vanished.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/vanished.ts',
        find: 'await isLeft(object, signal)',
        replace: 'false',
      },
    ],
  },
  {
    name: 'agent-forgets-before-copies-go',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/vanished.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/vanished.ts',
        find:
          "      if (hasCopies(cluster)) return 'kept';\n" +
          "      const { items } = await service.list(resource, { labelSelector: `${labels.remoteCluster}=${cluster}`, limit: 1, representation: 'metadata', signal });\n" +
          "      if (items.length > 0) return 'kept';\n",
        replace:
          "      await service.list(resource, { labelSelector: `${labels.remoteCluster}=${cluster}`, limit: 1, representation: 'metadata', signal });\n" +
          '      if (Math.abs(1) === 1) hasCopies = () => false;\n',
      },
    ],
  },
  {
    name: 'agent-remembers-the-dead',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/vanished.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/sync-parts.ts',
        find: 'if (!this.#isForgetting) this.#changes.lookForVanished(this.state.clusters());',
        replace: '',
      },
    ],
  },
  {
    name: 'agent-keeps-missing-shards-to-itself',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/endings.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/endings.ts',
        find: '    events.record({ apiVersion',
        replace: "    if (message === '') events.record({ apiVersion",
      },
    ],
  },
  {
    name: 'agent-waits-for-lost-shards',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/endings.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/endings.ts',
        find: "const text = missing.filter((url) => !journal.lost.includes(url)).join(',');",
        replace: "const text = missing.join(',');",
      },
    ],
  },
  {
    name: 'agent-hides-forgotten-copies',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-ownership.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-content.ts',
        find: '  if (controller === undefined && isWrittenBySomeAgent(destination)) return',
        replace:
          "  if (controller === undefined && isWrittenBySomeAgent(destination) && destination.kind === '') return",
      },
    ],
  },
  {
    name: 'agent-takes-what-says-as-much',
    foundBy: {
      tests: [
        'packages/syncagent/syncagent-sync/src/related-ownership.test.ts',
        'packages/syncagent/syncmanager/src/storm.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-content.ts',
        find: "if ((adoption !== 'refuse' || memory.attempted === true) && agrees(destination, wanted, subresources)) {",
        replace: 'if (covers(destination, wanted, subresources)) {',
      },
    ],
  },
  {
    name: 'agent-takes-what-a-controller-owns',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-ownership.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/ownership.ts',
        find: 'if (controllerOf(occupant) !== undefined || Object.keys(occupant.metadata.labels ?? {}).some((key) => key === AGENT_NAME || isIdentity(key))) return false;',
        replace: '',
      },
    ],
  },
  {
    name: 'agent-takes-nothing-for-something',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-ownership.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/ownership.ts',
        find: 'return hasContent(wanted) && hasSameContent(occupant, wanted, subresources);',
        replace: 'return hasSameContent(occupant, wanted, subresources);',
      },
    ],
  },
  {
    name: 'agent-forgets-which-object-it-made',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-ownership.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/ownership.ts',
        find: "if (made !== undefined) return made === uid ? 'ours' : 'foreign';",
        replace: "if (made !== undefined) return uid === '' ? 'foreign' : 'ours';",
      },
    ],
  },
  {
    name: 'agent-shares-places',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-ownership.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-related.ts',
        find: '    if (other.source === own.source) return false;',
        replace: "    if (other.source !== '') return false;",
      },
    ],
  },
  {
    name: 'agent-ends-by-what-it-cannot-read',
    foundBy: {
      tests: ['packages/syncagent/syncmanager/src/endings.test.ts', 'packages/syncagent/syncmanager/src/storm.test.ts'],
    },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/endings.ts',
        find: 'return isWhole(ending, engagements) && ending.sync.complete && ending.sync.counts().held === 0;',
        replace: 'return ending.sync.counts().held === 0;',
      },
    ],
  },
  {
    name: 'agent-ends-without-missing-shards',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/endings.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/endings.ts',
        find: 'await this.#isAwaited(key, ending.publishedResource, missingEndpoints(ending, engagements), signal)',
        replace: 'false',
      },
    ],
  },
  {
    name: 'agent-keeps-broken-lists-to-itself',
    foundBy: {
      tests: [
        'packages/syncagent/syncmanager/src/unreadable.test.ts',
        'packages/syncagent/syncagent-sync/src/related-watches.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/unreadable.ts',
        find: "return isApiError(state.error, 'Forbidden', 'Unauthorized', 'NotFound') || state.failures >= PATIENCE ? state.error : undefined;",
        replace: "return isApiError(state.error, 'Forbidden', 'Unauthorized', 'NotFound') ? state.error : undefined;",
      },
    ],
  },
  {
    name: 'agent-tells-what-passes',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-watches.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/service-watches.ts',
        find: 'const error = unreadable(state);',
        replace: "const error = state.phase === 'waiting' ? state.error : undefined;",
      },
    ],
  },
  {
    name: 'agent-keeps-deep-objects-to-itself',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/deep.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/problem-of.ts',
        find: 'if (isTooDeep(error)) {',
        replace: 'if (isTooDeep(error) && failures < 0) {',
      },
    ],
  },
  {
    name: 'agent-waits-for-rights-for-ever',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-unreadable.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/related-unknown.ts',
        find: "  return isApiError(error, 'Forbidden', 'Unauthorized', 'NotFound', 'MethodNotAllowed') ? problemOf(error, side, 'object') : undefined;",
        replace: "  return isApiError(error, 'Malformed') ? problemOf(error, side, 'object') : undefined;",
      },
    ],
  },
  {
    name: 'agent-holds-primaries-for-finalizers-out-of-reach',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-unreadable.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-related.ts',
        find: '!context.deleting || !ENDING.has(type) ||',
        replace: 'context.deleting || !ENDING.has(type) ||',
      },
    ],
  },
  {
    name: 'agent-takes-a-failed-list-for-a-look',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/related-survey.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/sync-parts.ts',
        find: 'kcp.engagements.length > 0 && kcp.handles(this.resource).every(({ hasSynced }) => hasSynced)',
        replace: 'kcp.engagements.length > 0',
      },
    ],
  },
  {
    name: 'agent-writes-what-a-controller-owns',
    foundBy: {
      tests: [
        'packages/syncagent/syncagent-sync/src/ownership.test.ts',
        'packages/syncagent/syncmanager/src/storm.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/choose-copy.ts',
        find: "if (own !== undefined) return { kind: 'one', copy: own, standing: controllerOf(own) === undefined ? 'inPlace' : 'controlled' };",
        replace: "if (own !== undefined) return { kind: 'one', copy: own, standing: 'marked' };",
      },
    ],
  },
  {
    name: 'agent-deletes-what-bears-labels',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/ownership.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/ownership.ts',
        find: "known.standing === 'elsewhere' || known.standing === 'inPlace' ? written(known, destination, creator) : 'ours';",
        replace: "'ours';",
      },
    ],
  },
  {
    name: 'agent-writes-without-end',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/progress.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/sync-parts.ts',
        find: 'createFailures(clock, stepText, { effortOf, random })',
        replace: 'createFailures(clock, stepText, { random })',
      },
    ],
  },
  {
    name: 'agent-announces-without-end',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/progress.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/announcer.ts',
        find: 'createFailures<string>(clock, (step) => step, { effortOf: (step) => step, random })',
        replace: 'createFailures<string>(clock, (step) => step, { random })',
      },
    ],
  },
  {
    name: 'agent-caches-old-content-as-new',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/admission.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/act.ts',
        find: 'const isSame = metadata.generation === object.metadata.generation || metadata.deletionTimestamp !== undefined;',
        replace: 'const isSame = metadata.uid === object.metadata.uid;',
      },
    ],
  },
  {
    name: 'agent-caches-old-content-without-generation',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/admission.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/act.ts',
        find: '  if (object.metadata.generation === undefined) {',
        replace: "  if (object.metadata.generation === undefined && object.metadata.uid === '') {",
      },
    ],
  },
  {
    name: 'agent-heeds-labels-of-consumers',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide.ts',
        find: 'const other = otherAgent(destination, settings);',
        replace:
          "const label = observed.source?.metadata.labels?.['syncagent.kcp.io/agent-name'];\n  const other = label !== undefined && label === destination?.metadata.labels?.['syncagent.kcp.io/agent-name'] ? undefined : otherAgent(destination, settings);",
      },
    ],
  },
  {
    name: 'agent-makes-what-it-cannot-write-down',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-many.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-related.ts',
        find: 'if (recordBytes + bytes > RECORDS_BYTES) without.add(record);',
        replace: 'if (recordBytes + bytes < 0) without.add(record);',
      },
    ],
  },
  {
    name: 'agent-remembers-related-objects-first',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/state-store.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/state-draft.ts',
        find: '(key === RECORDS ? 0 : key === main.shared || key === main.own ? 1 : 2);',
        replace: '(key === RECORDS ? 0 : key === main.shared || key === main.own ? 2 : 1);',
      },
    ],
  },
  {
    name: 'agent-looks-at-all-for-each-namespace',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/dependencies.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/dependencies.ts',
        find: 'selectors === undefined || changed.labels === undefined || changed.labels.some(',
        replace:
          'selectors === undefined || changed.labels !== null || changed.labels === undefined || changed.labels.some(',
      },
    ],
  },
  {
    name: 'agent-lists-namespaces-for-each-object',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-selectors.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/related-observe.ts',
        find: 'isSameResource(resource, namespaces) ? this.#options.watches.list(resource) : undefined;',
        replace: 'undefined;',
      },
    ],
  },
  {
    name: 'agent-looks-into-namespaces-once',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/service-namespaces.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/service-namespaces.ts',
        find: '    (await firstObjectIn(client, namespace, () => false, signal)) ?? (await firstObjectIn(client, namespace, () => false, signal));',
        replace: '    (await firstObjectIn(client, namespace, () => false, signal));',
      },
    ],
  },
  {
    name: 'agent-removes-namespaces-that-it-fills',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/service-namespaces.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/service-namespaces.ts',
        find: "if (occupant !== undefined || entered.get(namespace) !== 0) return 'occupied';",
        replace: "if (occupant !== undefined) return 'occupied';",
      },
    ],
  },
  {
    name: 'agent-ends-not-where-a-controller-owns-the-copy',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/ownership.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-deletion.ts',
        find: 'return settings.letGo === true ? letGo(observed, source, settings) : heldControlled(destination);',
        replace: 'return heldControlled(destination);',
      },
    ],
  },
  {
    name: 'agent-ends-not-where-there-are-two-copies',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/ownership.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-opening.ts',
        find: "if (chosen.kind === 'several' && !keepsCopies) {",
        replace: "if (chosen.kind === 'several') {",
      },
    ],
  },
  {
    name: 'agent-forgets-what-it-made-just-before-it-was-killed',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-ownership.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/made-copies.ts',
        find: 'if (isAsMade(live, creator)) return { ...record, uid: live.metadata.uid };',
        replace: '',
      },
    ],
  },
  {
    name: 'what-cannot-be-read-becomes-the-agents-own',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-unreadable.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/related-pair-run.ts',
        find: 'const kept = isRemembered(look, record);',
        replace: 'const kept = true;',
      },
    ],
  },
  {
    name: 'what-cannot-be-looked-at-is-nobodys',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/related-unreadable.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/related-tally.ts',
        find: 'else if (result.waiting === true) this.#waiting.push(record);',
        replace: '',
      },
    ],
  },
  {
    name: 'restore-goes-unnoticed',
    foundBy: { agentSeed: 4 },
    edits: [
      {
        file: 'packages/runtime/informer/src/cache.ts',
        find: 'if (pass.restored || pass.regressed) this.#restored();',
        replace: 'if (pass.restored) this.#restored();',
      },
    ],
  },
  {
    name: 'agent-ends-objects-by-its-cache',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/restored-backup.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/reconcile.ts',
        find: 'if (await this.#isDeletionUndone(opened, signal)) {',
        replace: 'if (opened === undefined) {',
      },
    ],
  },
  {
    name: 'agent-drops-related-objects-by-its-cache',
    foundBy: { tests: ['packages/syncagent/syncagent-sync/src/restored-backup.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/related.ts',
        find: 'if (await isStored()) return stale;',
        replace: 'if (stale.length > 0) return stale;',
      },
    ],
  },
  {
    name: 'older-state-is-believed',
    foundBy: { agentSeed: 4 },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/changes.ts',
        find: 'state().doubt(doubt);',
        replace: 'void state;',
      },
    ],
  },
  {
    name: 'agent-adds-no-finalizer',
    foundBy: { agentSeed: 2 },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide.ts',
        find: 'return settings.finalizer && !hasFinalizer(source) && protects ?',
        replace: 'return false ?',
      },
    ],
  },
  {
    name: 'agent-forgets-what-it-made',
    foundBy: { agentSeed: 3 },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/creator.ts',
        find: 'return writers.length > 0 && writers.every(({ manager }) => manager === creator);',
        replace: "return writers.length < 0 && creator === '';",
      },
    ],
  },
  {
    name: 'what-has-moved-counts-as-deleted',
    foundBy: { agentSeed: 1 },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-deletion.ts',
        find: "const mayGo = memory.deletionSeen === true || (settings.origin === 'service' && settings.forcedDeletion);",
        replace: 'const mayGo = true;',
      },
      {
        file: 'packages/syncagent/syncagent-sync/src/decide-deletion.ts',
        find: 'return destination.metadata.deletionTimestamp === undefined && memory.deletionStands !== destination.metadata.uid',
        replace: 'return destination.metadata.uid === undefined',
      },
    ],
  },
  {
    name: 'unseen-workspace-counts-as-emptied',
    foundBy: { agentSeed: 2 },
    edits: [
      {
        file: 'packages/syncagent/syncagent-sync/src/kcp-caches.ts',
        find: 'return engagementOf(cluster)?.handles.get(id);',
        replace: 'return [...opened.values()][0]?.handles.get(id);',
      },
    ],
  },
  {
    name: 'workspace-stays-where-it-was-seen-first',
    foundBy: {
      tests: [
        'packages/syncagent/syncmanager/src/workspace-homes.test.ts',
        'packages/syncagent/syncmanager/src/moves.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/workspace-homes.ts',
        find: 'if (home === undefined || this.#specificityOf(url) >= this.#specificityOf(home)) home = url;',
        replace: 'if (home === undefined || this.#specificityOf(url) > this.#specificityOf(home)) home = url;',
      },
    ],
  },
  {
    name: 'endpoint-of-a-moved-workspace-is-missed',
    foundBy: { tests: ['packages/syncagent/syncmanager/src/moves.test.ts'] },
    edits: [
      {
        file: 'packages/syncagent/syncmanager/src/running-sync.ts',
        find: 'if (holders?.every(isShown) ?? haveAllMoved) this.#endpoints.delete(url);',
        replace: 'if (holders?.length === 0 && haveAllMoved) this.#endpoints.delete(url);',
      },
    ],
  },
];
