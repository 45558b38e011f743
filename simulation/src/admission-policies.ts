import type { ApiRequest } from '@hawser/apiserver';
import type { AnswerSink } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

/** As rare as possible: still earlier than a watch counts as silent. More of them would fill a run with bookmarks. */
export const BOOKMARK_MS = 110_000;

/**
 * Whether a request reads admission policies. The simulated API server does not know them, and says so; readers would
 * retry again and again. A real server without policies answers with an empty list.
 */
export function readsAdmissionPolicies({ method, path }: ApiRequest): boolean {
  return (
    method === 'GET' &&
    /^\/apis\/admissionregistration\.k8s\.io\/v1\/validatingadmissionpolic(?:ies|ybindings)(?:\?|$)/u.test(path)
  );
}

/** Answers with no policies, and with a watch that only shows that it is alive. Returns how to end it. */
export function answerNoPolicies({ path, headers }: ApiRequest, time: VirtualTime, sink: AnswerSink): () => void {
  const kind = path.includes('bindings') ? 'ValidatingAdmissionPolicyBinding' : 'ValidatingAdmissionPolicy';
  const metadataOnly = String(headers['accept'] ?? '').includes('as=PartialObjectMetadata');
  const metadata = { resourceVersion: '1' };
  sink.head(200, { 'content-type': 'application/json' });
  if (!/[?&]watch=(?:true|1)(?:&|$)/u.test(path)) {
    const list = metadataOnly
      ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' }
      : { apiVersion: 'admissionregistration.k8s.io/v1', kind: `${kind}List` };
    sink.data(JSON.stringify({ ...list, metadata, items: [] }));
    sink.end();
    return () => undefined;
  }
  const bookmark = `${JSON.stringify({ type: 'BOOKMARK', object: { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata } })}\n`;
  const next = () =>
    time.setTimeout(() => {
      sink.data(bookmark);
      timer = next();
    }, BOOKMARK_MS);
  let timer = next();
  const end = time.setTimeout(
    () => {
      timer.cancel();
      sink.end();
    },
    1_000 * Number(/[?&]timeoutSeconds=(?<seconds>\d+)/u.exec(path)?.groups?.['seconds'] ?? 1_800),
  );
  return () => {
    timer.cancel();
    end.cancel();
  };
}
