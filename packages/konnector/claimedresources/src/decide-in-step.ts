import { type KubeObject, type UnstructuredObject, versionOf } from '@hawser/client';
import { WANTED_HASH } from '@hawser/konnector-sync';
import { decideContent, drifting } from './decide-content.js';
import type { Decision } from './decision.js';
import { closedNamespace, exists, protectedObject, tooMany } from './held-objects.js';
import { type Side, otherSide } from './marks.js';
import { type Observed, type PairSettings, marksOf } from './observed.js';
import { isWrittenByKonnector, namelessCopy } from './origin.js';
import { type Policies, policyFor } from './policies.js';
import { progressing, standing, write } from './verdicts.js';
import { type CopyContext, contentHash, copyOf, originMarks, wantedContent } from './wanted.js';

const identitiesOf = ({ consumerCluster, clusterNamespaceUid }: PairSettings): Readonly<Record<Side, string>> => ({
  consumer: consumerCluster,
  provider: clusterNamespaceUid,
});

/** Keeps the copy in sync with the original. `adopting`: turns another client's object in its place into the copy. */
export function keepInStep(
  observed: Observed,
  settings: PairSettings,
  owner: Side,
  original: KubeObject,
  copy: KubeObject | undefined,
  policies: Policies,
  adopting = false,
): Decision {
  const { placement, consumerNamespace } = observed;
  const protection = observed.protection[owner];
  if (protection !== undefined) return protectedObject(observed, owner, protection);
  if (original.metadata.deletionTimestamp !== undefined && copy === undefined) return progressing('originalToGo');
  if (placement.kind === 'unassigned') return requestNamespace(observed, settings);
  const waiting =
    beforeReading(observed, owner, copy, adopting) ?? knownWithoutReading(observed, owner, original, copy);
  if (waiting !== undefined) return waiting;

  const side = otherSide(owner);
  const contents = { original: currentContent(observed, owner), copy: currentContent(observed, side) };
  if (contents.original === undefined || (copy !== undefined && contents.copy === undefined)) {
    return write({ type: 'read', sides: copy === undefined ? [owner] : ['consumer', 'provider'] });
  }
  if (isCredential(contents.original))
    return protectedObject(observed, owner, 'it is a token of the cluster that it stands in');
  const marks = marksOf(settings);
  if (marks.markedOwner(original) !== owner)
    return write({ type: 'markOriginal', side: owner, original, mark: marks.ownerMark(owner) });
  const context: CopyContext = {
    namespaces: { consumer: consumerNamespace, provider: placement.namespace },
    identities: identitiesOf(settings),
    marks,
  };
  const policy = policyFor(observed.claimedBy[owner], policies);
  if (copy === undefined || contents.copy === undefined)
    return createCopy(observed, owner, original, contents.original, context, policy.ignored);
  const decision = decideContent(observed, {
    owner,
    original: contents.original,
    copy: contents.copy,
    found: copy,
    context,
    policy,
    adopting,
  });
  // It would have to be recreated, and its marks do not permit its deletion.
  return decision.actions[0]?.type === 'deleteCopy' &&
    namelessCopy(copy, side) &&
    !isWrittenByKonnector(contents.copy, marks, side)
    ? exists(observed, side)
    : decision;
}

/** Problems visible in metadata that prevent making or reading a copy. */
function beforeReading(
  observed: Observed,
  owner: Side,
  copy: KubeObject | undefined,
  adopting: boolean,
): Decision | undefined {
  const { consumerNamespace } = observed;
  if (copy === undefined && !observed.cacheReady[otherSide(owner)]) return progressing('cache');
  if ((copy === undefined || adopting) && owner === 'provider' && observed.landing === 'unknown')
    return progressing('cache');
  if ((copy === undefined || adopting) && owner === 'provider' && observed.landing === 'closed')
    return closedNamespace(observed);
  // Checked before any read: objects over the limit must cost next to nothing.
  if (copy === undefined && owner === 'provider' && observed.full !== undefined) return tooMany(observed.full);
  if (copy?.metadata.deletionTimestamp !== undefined) return progressing('copyToGo');
  if (copy !== undefined && observed.unshared !== undefined)
    return write({ type: 'shareNamespace', consumerNamespace, binding: observed.unshared });
  return undefined;
}

/** Decides from what is remembered of the current versions. */
function knownWithoutReading(
  observed: Observed,
  owner: Side,
  original: KubeObject,
  copy: KubeObject | undefined,
): Decision | undefined {
  const { memory, now } = observed;
  const side = otherSide(owner);
  const from = versionOf(original);
  if (copy !== undefined && memory.inStep?.[owner] === from && memory.inStep[side] === versionOf(copy))
    return standing({ kind: 'inStep', owner });
  if (copy !== undefined && memory.parked?.from === from && memory.parked.until > now)
    return { ...standing(memory.parked.verdict), requeueAfterMs: memory.parked.until - now };
  // Another client keeps deleting it.
  return copy === undefined && memory.lastWrite?.from === from ? drifting(observed, side, original) : undefined;
}

function createCopy(
  { claimedBy, consumerNamespace }: Observed,
  owner: Side,
  original: KubeObject,
  content: UnstructuredObject,
  context: CopyContext,
  ignored: Parameters<typeof contentHash>[2],
): Decision {
  const wanted = wantedContent(content, owner, context);
  const hash = contentHash(wanted, original, ignored);
  const marks = { ...originMarks(original, owner, context), [WANTED_HASH]: hash };
  return write({
    type: 'createCopy',
    side: otherSide(owner),
    copy: copyOf(content, owner, wanted, marks, context),
    from: versionOf(original),
    hash,
    binding: claimedBy[owner][0] ?? '',
    consumerNamespace,
  });
}

/** The content read, if still at the cached version. */
export function currentContent({ cached, contents }: Observed, side: Side): UnstructuredObject | undefined {
  const [object, content] = [cached[side], contents?.[side]];
  return object !== undefined && content !== undefined && versionOf(object) === versionOf(content)
    ? content
    : undefined;
}

/** Secrets with credentials of the cluster itself. */
function isCredential(object: UnstructuredObject): boolean {
  return (
    object.apiVersion === 'v1' &&
    object.kind === 'Secret' &&
    (object['type'] === 'kubernetes.io/service-account-token' || object['type'] === 'bootstrap.kubernetes.io/token')
  );
}

function requestNamespace(
  { placement, consumerNamespace, claimedBy, now }: Observed,
  { clusterNamespace, namespaceGraceMs }: PairSettings,
): Decision {
  const since = placement.kind === 'unassigned' ? placement.since : undefined;
  if (since === undefined)
    return write({ type: 'requestNamespace', consumerNamespace, binding: claimedBy.consumer[0] ?? '' });
  const leftMs = since + namespaceGraceMs - now;
  if (leftMs > 0) return { ...progressing('namespace'), requeueAfterMs: leftMs };
  const message = `The provider has not assigned a namespace to APIServiceNamespace ${clusterNamespace}/${consumerNamespace} yet. Claimed objects of this namespace wait for it.`;
  return progressing('namespace', { reason: 'NamespacePending', message, actor: 'provider' });
}
