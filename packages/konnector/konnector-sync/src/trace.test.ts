import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { trace, context } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { withSpan } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';

import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

/** As OTLP has it in JSON. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly events?: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
  readonly attributes: readonly Attribute[];
}
interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}
interface Sent {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

let pair: EmbeddedPair;
let collector: Server;
let provider: NodeTracerProvider;
const spans: Span[] = [];

/** What an operator loads into the process: an SDK as published, whose exporter sends to a collector. */
beforeEach(async () => {
  spans.length = 0;
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = JSON.parse(Buffer.concat(chunks).toString()) as Sent;
      spans.push(...sent.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
  provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url }))] });
  provider.register();
});
afterEach(async () => {
  await pair.close();
  await provider.shutdown();
  trace.disable();
  context.disable();
  collector.closeAllConnections();
  collector.close();
});

const valueOf = (attributes: readonly Attribute[], key: string): string | undefined =>
  attributes.find((one) => one.key === key)?.value.stringValue;

it('a change is one trace, from what the informer has seen to the copy, and each object has its own', async () => {
  // As in production: a reconcile of another controller opens connections, informers and queues.
  pair = await withSpan('test', 'reconcile of an export', () => openEmbeddedPair());
  for (const name of ['one', 'other'])
    await pair.clients.consumer.create(pair.resource, pair.object(name, { password: 'not-for-traces' }));
  await pair.pass(10_000);
  expect(await pair.on('provider', 'other')).toBeDefined();
  await provider.forceFlush();
  const chain = (name: string): readonly Span[] => {
    const found: Span[] = [];
    let next = spans.find(
      (span) =>
        span.name === 'create databases.example.com' &&
        valueOf(span.attributes, 'namespace') === 'kube-bind-x-team' &&
        valueOf(span.attributes, 'name') === name,
    );
    while (next !== undefined) {
      found.unshift(next);
      const { traceId, parentSpanId } = next;
      next = spans.find((span) => span.traceId === traceId && span.spanId === parentSpanId);
    }
    return found;
  };
  // An exporter sends in its own time.
  await eventually(() => {
    for (const name of ['one', 'other'])
      expect(chain(name).map((span) => span.name)).toEqual([
        'add databases',
        'reconcile',
        'create databases.example.com',
      ]);
  });
  const [seen, reconciled] = chain('one');
  expect([seen, reconciled].map((span) => valueOf(span?.attributes ?? [], 'key'))).toEqual(['team/one', 'team/one']);
  expect(reconciled?.events?.map(({ name, attributes }) => [name, valueOf(attributes, 'action')])).toEqual(
    expect.arrayContaining([['decided', 'createCopy']]),
  );
  expect(chain('other')[0]?.traceId).not.toBe(seen?.traceId);
  expect(JSON.stringify(spans)).not.toContain('not-for-traces');
});

it('what is tried again in its own time is not a part of what began the trace before', async () => {
  pair = await openEmbeddedPair();
  await pair.allow('provider', ['get', 'list', 'watch', 'patch', 'delete']);
  await pair.clients.consumer.create(pair.resource, pair.object('late', { size: 'small' }));
  await pair.pass(120_000);
  await provider.forceFlush();
  const runs = (): readonly Span[] =>
    spans.filter((span) => span.name === 'reconcile' && valueOf(span.attributes, 'key') === 'team/late');
  await eventually(() => {
    expect(runs().filter(({ parentSpanId }) => (parentSpanId ?? '') === '').length).toBeGreaterThan(0);
  });
});
