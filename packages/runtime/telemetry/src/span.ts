import {
  type Attributes,
  INVALID_SPAN_CONTEXT,
  type Span,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
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
 * Without an OpenTelemetry SDK in the process this costs a quarter of a microsecond. Attributes must not carry secrets.
 */
export async function withSpan<T>(
  tracer: string,
  name: string,
  work: (span: Span) => Promise<T>,
  attributes: Attributes = {},
): Promise<T> {
  if (!isTraced(tracer)) return work(NO_SPAN);
  return trace.getTracer(tracer).startActiveSpan(name, { attributes }, async (span) => {
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
