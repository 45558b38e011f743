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

/** Whether somebody has given the OpenTelemetry API of this process something to record spans with. */
function isTraced(tracer: string): boolean {
  // The API stands in for a provider that may come later; asked for the tracer behind it, it has none.
  const provider: TracerProvider & { getDelegateTracer?(name: string): Tracer | undefined } = trace.getTracerProvider();
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer(tracer) !== undefined;
}

/**
 * Runs `work` in a span of the tracer of that name, which is the active one meanwhile. A failure marks the span and is passed on.
 * Without an OpenTelemetry SDK in the process this costs a quarter of a microsecond. Attributes must not carry secrets. `cause`: what it is part of; default: what runs now.
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

/** What something later is part of: it is kept with work that waits. */
export type Cause = Context;

/** Work that nothing has asked for that is recorded. */
export const noCause: Cause = ROOT_CONTEXT;

/** Starts what lives on for itself, such as a watch or a timer: nothing that it ever does is part of what happens to run now. */
export function apart<T>(start: () => T): T {
  return context.with(ROOT_CONTEXT, start);
}

/** What runs now; undefined where nobody records, so that nothing is kept. */
export function currentCause(tracer: string): Cause | undefined {
  return isTraced(tracer) ? context.active() : undefined;
}

/** As {@link withSpan}, for work that does not wait. `describe` gives the attributes, and is asked only where somebody records. */
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

/** Writes down in the span that runs now what happened in it. */
export function noteInSpan(tracer: string, name: string, describe: () => Attributes): void {
  if (isTraced(tracer)) trace.getActiveSpan()?.addEvent(name, describe());
}
