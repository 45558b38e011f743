import type { Gauge, Labels, Metrics } from '@hawser/telemetry';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What a client counts. Without a label for the resource: the series of many clusters would be too many. */
export interface ClientMetrics {
  /** One HTTP exchange: each retry counts. `code`: the HTTP status, or the ApiErrorCode where there was no answer. */
  exchanged(verb: string, code: string, seconds: number): void;
  inFlight(count: number): void;
  openWatches(count: number): void;
  /** Takes this client's share out of the gauges. */
  close(): void;
}

export function clientMetrics(metrics: Metrics, cluster: string): ClientMetrics {
  const total = metrics.counter({ name: 'hawser_client_requests_total', help: 'HTTP requests to the API server, retries included.', labels: ['cluster', 'verb', 'code'] });
  const duration = metrics.histogram({
    name: 'hawser_client_request_duration_seconds',
    help: 'Time from sending a request to its whole answer; of a watch, to its start.',
    labels: ['cluster', 'verb'],
    buckets: BUCKETS,
  });
  const inFlight = metrics.gauge({ name: 'hawser_client_requests_in_flight', help: 'Requests that wait for an answer, watches apart.', labels: ['cluster'] });
  const watches = metrics.gauge({ name: 'hawser_client_watches', help: 'Watches that are open.', labels: ['cluster'] });
  const own = { cluster };
  const exchanges = new Map<string, { readonly total: Labels; readonly duration: Labels }>();
  const labelsOf = (verb: string, code: string): { readonly total: Labels; readonly duration: Labels } => {
    const key = `${verb} ${code}`;
    let labels = exchanges.get(key);
    if (labels === undefined) {
      labels = { total: { cluster, verb, code }, duration: { cluster, verb } };
      exchanges.set(key, labels);
    }
    return labels;
  };
  const inFlightNow = share(inFlight, own);
  const watchesNow = share(watches, own);
  return {
    exchanged(verb, code, seconds) {
      const labels = labelsOf(verb, code);
      total.inc(labels.total);
      duration.observe(seconds, labels.duration);
    },
    inFlight: inFlightNow.is,
    openWatches: watchesNow.is,
    close() {
      inFlightNow.close();
      watchesNow.close();
    },
  };
}

/** What one client adds to a gauge. Others may have the same labels, the clients of two providers for one, so nobody sets it. */
function share(gauge: Gauge, labels: Labels): { readonly is: (value: number) => void; readonly close: () => void } {
  let told = 0;
  let closed = false;
  const is = (value: number): void => {
    // Requests that are called off as the client closes come to their end afterwards.
    if (closed || value === told) return;
    gauge.inc(labels, value - told);
    told = value;
  };
  return {
    is,
    close() {
      is(0);
      closed = true;
    },
  };
}
