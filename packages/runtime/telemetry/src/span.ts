import {
  type Attributes,
  type Context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  context,
  trace,
} from '@opentelemetry/api';
import { redactText } from './redact-text.js';

const NO_SPAN: Span = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Whether the OpenTelemetry API of this process has a provider that records spans. */
function isTraced(tracer: string): boolean {
  // The API's proxy stands in for a later provider; without one it has no delegate tracer.
  const provider: TracerProvider & { getDelegateTracer?(name: string): Tracer | undefined } = trace.getTracerProvider();
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer(tracer) !== undefined;
}

/**
 * Runs `work` in an active span of that tracer. A failure marks the span and is rethrown. Costs a quarter of a
 * microsecond without an OpenTelemetry SDK. Attributes must not carry secrets. `cause`: the parent; default: the active
 * span.
 */
export async function withSpan<T>(
  tracer: string,
  name: string,
  work: (span: Span) => Promise<T>,
  attributes: Attributes = {},
  cause?: Cause,
): Promise<T> {
  if (!isTraced(tracer)) return work(NO_SPAN);
  return trace.getTracer(tracer).startActiveSpan(name, { attributes }, cause ?? context.active(), async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({
        code: SpanStatusCode.ERROR,
        message: redactText(error instanceof Error ? error.message : String(error)),
      });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Parent of later work: kept with work that waits. */
export type Cause = Context;

/** Cause of work without a recorded origin. */
export const noCause: Cause = ROOT_CONTEXT;

/**
 * Starts something long-lived, such as a watch or a timer, outside the active span: its later work is not part of that
 * span.
 */
export function apart<T>(start: () => T): T {
  return context.with(ROOT_CONTEXT, start);
}

/** The active span as a cause; undefined without recording, so nothing is kept. */
export function currentCause(tracer: string): Cause | undefined {
  return isTraced(tracer) ? context.active() : undefined;
}

/**
 * Like {@link withSpan}, for synchronous work. `describe` returns the attributes, and is called only when spans are
 * recorded.
 */
export function inSpan<T>(tracer: string, name: string, describe: () => Attributes, work: () => T): T {
  if (!isTraced(tracer)) return work();
  return trace.getTracer(tracer).startActiveSpan(name, { attributes: describe() }, (span) => {
    try {
      return work();
    } finally {
      span.end();
    }
  });
}

/** Adds an event to the active span. */
export function noteInSpan(tracer: string, name: string, describe: () => Attributes): void {
  if (isTraced(tracer)) trace.getActiveSpan()?.addEvent(name, describe());
}
